// Turns rows into tuning policies of CUB. Both the measured programs and the headers that launchbox emit --format cub
// writes contain this text. C++17.
#include <cub/version.cuh>

#if CUB_VERSION < 300000 || CUB_VERSION >= 400000
#error "these tunings are for CUB 3.x, and this is another"
#endif

#include <cub/agent/single_pass_scan_operators.cuh>
#include <cub/util_device.cuh>

#include <cuda/std/functional>
#include <cuda/std/type_traits>

#include <cstdint>

#if CUB_VERSION >= 300500
#include <cuda/__execution/tune.h>
#include <cuda/std/execution>
#include <cuda/stream>
#endif

namespace cub_tuning {

/// 90 for sm_90.
template <int... Architecture>
struct architecture_list {
};

/// The measured rows of a type. On any other architecture CUB uses its own tuning.
template <class T>
struct rows {
    static_assert(sizeof(T) == 0, "there are no rows for this type: tune it, and emit this header again");
};

/// Threads and items, given for elements of 4 bytes and scaled for others so that the bytes in registers or shared
/// memory stay the same.
struct block_shape {
    int threads, items;
};
__host__ __device__ constexpr block_shape fitted(int threads, int items, int bytes)
{
    const int most = (48 * 1024 / (bytes * items) + 31) / 32 * 32;
    return {threads < most ? threads : most, items};
}
__host__ __device__ constexpr int at_least_one(int items)
{
    return items < 1 ? 1 : items;
}
__host__ __device__ constexpr block_shape memory_bound(int threads, int items, int bytes)
{
    const int scaled = items * 4 / bytes;
    return fitted(threads, at_least_one(scaled < 2 * items ? scaled : 2 * items), bytes);
}
__host__ __device__ constexpr block_shape register_bound(int threads, int items, int bytes)
{
    return fitted(threads, at_least_one(items * 4 / (bytes < 4 ? 4 : bytes)), bytes);
}

/// How a block waits for the sums of the blocks before it.
enum lookback_delay {
    no_delay,
    fixed_delay,
    exponential_backoff,
    exponential_backoff_jitter,
    exponential_backoff_jitter_window,
    exponential_backon_jitter_window,
    exponential_backon_jitter,
    exponential_backon
};

#if CUB_VERSION >= 300500

/// The public interface: policy selectors in an environment.
template <class Selector>
auto environment(cudaStream_t stream)
{
    return cuda::std::execution::env{cuda::std::execution::prop{cuda::get_stream, cuda::stream_ref{stream}},
                                     cuda::execution::tune(Selector{})};
}
__host__ __device__ constexpr cub::LookbackDelayPolicy delay_policy(lookback_delay delay, int wait, int latency)
{
    return {static_cast<cub::LookbackDelayAlgorithm>(delay), static_cast<unsigned>(wait),
            static_cast<unsigned>(latency)};
}
static_assert(int(cub::LookbackDelayAlgorithm::no_delay) == no_delay &&
              int(cub::LookbackDelayAlgorithm::exponential_backon) == exponential_backon);

#else

/// Older versions have no public interface: a policy hub replaces CUB's own.
template <class Type>
struct type_is {
    using type = Type;
};

// The policy that one of CUB's chains has for a version, 900 for sm_90.
template <int Version, class Policy>
struct policy_at {
    template <int Own, class Same, class Previous>
    static auto find(const cub::ChainedPolicy<Own, Same, Previous>*)
        -> cuda::std::conditional_t<(Version < Own && !cuda::std::is_same_v<Same, Previous>),
                                    policy_at<Version, Previous>, type_is<Same> >;
    using type = typename decltype(find(static_cast<const Policy*>(nullptr)))::type;
};

// Tuned<Default, 90> on sm_90; CUB's own chain on architectures that are not on the list.
template <class Own, template <class, int> class Tuned, class Architectures>
struct policy_chain;
template <class Own, template <class, int> class Tuned>
struct policy_chain<Own, Tuned, architecture_list<> > {
    using ActivePolicy = typename Own::ActivePolicy;
    template <class Operation>
    CUB_RUNTIME_FUNCTION static cudaError_t Invoke(int version, Operation& operation)
    {
        return Own::Invoke(version, operation);
    }
};
template <class Own, template <class, int> class Tuned, int First, int... More>
struct policy_chain<Own, Tuned, architecture_list<First, More...> > {
    using policy = Tuned<typename policy_at<First * 10, Own>::type, First>;
    using others = policy_chain<Own, Tuned, architecture_list<More...> >;
    using ActivePolicy = cuda::std::conditional_t<CUB_PTX_ARCH == First * 10, policy, typename others::ActivePolicy>;
    template <class Operation>
    CUB_RUNTIME_FUNCTION static cudaError_t Invoke(int version, Operation& operation)
    {
        if (version == First * 10) return operation.template Invoke<policy>();
        return others::Invoke(version, operation);
    }
};

template <lookback_delay Delay, unsigned Wait, unsigned Latency>
constexpr auto delay_type()
{
    if constexpr (Delay == no_delay)
        return type_is<cub::detail::no_delay_constructor_t<Latency> >{};
    else if constexpr (Delay == fixed_delay)
        return type_is<cub::detail::fixed_delay_constructor_t<Wait, Latency> >{};
    else if constexpr (Delay == exponential_backoff)
        return type_is<cub::detail::exponential_backoff_constructor_t<Wait, Latency> >{};
    else if constexpr (Delay == exponential_backoff_jitter)
        return type_is<cub::detail::exponential_backoff_jitter_constructor_t<Wait, Latency> >{};
    else if constexpr (Delay == exponential_backoff_jitter_window)
        return type_is<cub::detail::exponential_backoff_jitter_window_constructor_t<Wait, Latency> >{};
    else if constexpr (Delay == exponential_backon_jitter_window)
        return type_is<cub::detail::exponential_backon_jitter_window_constructor_t<Wait, Latency> >{};
    else if constexpr (Delay == exponential_backon_jitter)
        return type_is<cub::detail::exponential_backon_jitter_constructor_t<Wait, Latency> >{};
    else
        return type_is<cub::detail::exponential_backon_constructor_t<Wait, Latency> >{};
}
template <class Rows, int Architecture>
using delay_of = typename decltype(delay_type<Rows::at(Architecture).delay, Rows::at(Architecture).wait,
                                              Rows::at(Architecture).latency>())::type;

#endif

}  // namespace cub_tuning
