// A plugin with a launch box and its own runtime: two of them in one program use the same names for everything.
#include <launchbox/launch_box.cuh>

#include "launch_fake_runtime.hpp"

namespace plugin {

struct row {
    int threads, items, min_blocks = 0;
};

}  // namespace plugin

// The same in both plugins, like a body in a header.
template <class Element>
struct shared_body {
    using tuning = launchbox::only<plugin::row{96, 5}>;
    template <plugin::row r>
    static __device__ void run(Element* data)
    {
        data[0] = r.items;
    }
};

/// How many of three launches ran this plugin's own kernel; negative: an error.
extern "C" int launches_of_own_kernel()
{
    using launchbox::fake;
    fake.max_threads = 96;
    const void* probe = nullptr;
    const void* kernel = nullptr;
    for (const auto& [symbol, stub] : launchbox::registered_kernels())
        (symbol.find("probe") == std::string::npos ? kernel : probe) = stub;
    fake.codes[{probe, 0}].max_threads = 90;
    int own = 0;
    fake.on_launch = [&](const cudaLaunchConfig_t&, const void* launched, void**) { own += launched == kernel; };
    for (int i = 0; i < 3; ++i)
        if (launchbox::try_launch<shared_body<int> >(nullptr, 1, nullptr) != cudaSuccess) return -1;
    return fake.asked[{probe, 0}] == 1 ? own : -2;
}
