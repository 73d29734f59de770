#include <launchbox/launch_bounds.hpp>
#include <launchbox/sm_limits.hpp>

#if defined(CUDART_VERSION) || defined(CUDA_VERSION)
#error "a header for plain C++ brought in a header of CUDA"
#endif
#if __cplusplus < 202002L || __cplusplus >= 202100L
#error "launchbox::launchbox asks for C++20, neither less nor more"
#endif

static_assert(launchbox::max_legal_min_blocks(*launchbox::find_sm_limits({9, 0}), 1024) == 2);

int main()
{
    return launchbox::sm_limits_table.empty() ? 1 : 0;
}
