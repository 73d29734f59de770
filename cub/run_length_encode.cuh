// Tunings of cub::DeviceRunLengthEncode::Encode, with lengths of type int.
//
//     CUB 3.5 and later: cub::DeviceRunLengthEncode::Encode(in, keys, lengths, count, n, ENV)
//         where ENV is cuda::execution::tune(cub_tuning::selector<T>{}), or contains it
//     before, hub<T> for CUB's dispatcher: cub_tuning::encode(storage, bytes, in, keys, lengths, count, n, stream)
#include <cub/device/device_run_length_encode.cuh>

#include <thrust/iterator/constant_iterator.h>

#if CUB_VERSION >= 300400 && CUB_VERSION < 300500
#error "CUB 3.4 takes no tunings for run-length encoding: CUB 3.0 to 3.3, and 3.5 and later do"
#endif

namespace cub_tuning {

struct row {
    int threads, items;
    cub::BlockLoadAlgorithm load;
    cub::CacheLoadModifier modifier;
    lookback_delay delay;
    int wait, latency;  ///< nanoseconds
};

#if CUB_VERSION >= 300500

template <class T>
struct selector {
    __host__ __device__ constexpr cub::RleEncodePolicy operator()(cuda::compute_capability architecture) const
    {
        const row r = rows<T>::at(architecture.get());
        cub::RleEncodePolicy policy = cub::detail::rle::encode::policy_selector_from_types<int, T>{}(architecture);
        if (r.threads == 0) return policy;
        policy.algorithm = cub::RleAlgorithm::lookback;
        policy.lookback = {r.threads,
                           r.items,
                           r.load,
                           r.modifier,
                           cub::BLOCK_SCAN_WARP_SCANS,
                           delay_policy(r.delay, r.wait, r.latency)};
        return policy;
    }
};

#else

template <class T>
struct hub {
    template <class Own, int Architecture>
    struct policy : Own {
        static constexpr row r = rows<T>::at(Architecture);
        using ReduceByKeyPolicyT =
            cub::AgentReduceByKeyPolicy<r.threads, r.items, r.load, r.modifier, cub::BLOCK_SCAN_WARP_SCANS,
                                        delay_of<rows<T>, Architecture> >;
    };
    using own = cub::detail::rle::encode::policy_hub<int, T>;
    using MaxPolicy = policy_chain<typename own::MaxPolicy, policy, typename rows<T>::architectures>;
};

/// cub::DeviceRunLengthEncode::Encode with the rows of T.
template <class T>
cudaError_t encode(void* storage, size_t& bytes, const T* in, T* keys, int* lengths, int* count, int n,
                   cudaStream_t stream = nullptr)
{
    using ones = thrust::constant_iterator<int, int>;
    return cub::DispatchReduceByKey<const T*, T*, ones, int*, int*, cuda::std::equal_to<>, cuda::std::plus<>, int, int,
                                    hub<T> >::Dispatch(storage, bytes, in, keys, ones(1), lengths, count, {}, {}, n,
                                                       stream);
}

#endif

}  // namespace cub_tuning
