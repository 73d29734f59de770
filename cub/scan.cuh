// Tunings of cub::DeviceScan::ExclusiveSum.
//
//     CUB 3.5 and later: cub::DeviceScan::ExclusiveSum(in, out, n, ENV)
//         where ENV is cuda::execution::tune(cub_tuning::selector<T>{}), or contains it
//     before, hub<T> for CUB's dispatcher: cub_tuning::exclusive_sum(storage, bytes, in, out, n, stream)
#include <cub/device/device_scan.cuh>

namespace cub_tuning {

struct row {
    int threads, items;  ///< given for elements of 4 bytes
    cub::BlockLoadAlgorithm load;
    cub::CacheLoadModifier modifier;
    lookback_delay delay;
    int wait, latency;  ///< nanoseconds
};

__host__ __device__ constexpr cub::BlockStoreAlgorithm store_like(cub::BlockLoadAlgorithm load)
{
    return load == cub::BLOCK_LOAD_DIRECT ? cub::BLOCK_STORE_DIRECT : cub::BLOCK_STORE_WARP_TRANSPOSE;
}

template <class T>
using sum_of = cuda::std::__accumulator_t<cuda::std::plus<>, T, T>;

#if CUB_VERSION >= 300500

template <class T>
struct selector {
    __host__ __device__ constexpr cub::ScanPolicy operator()(cuda::compute_capability architecture) const
    {
        constexpr cub::detail::scan::policy_selector_from_types<const T*, T*, sum_of<T>,
                                                                cub::detail::choose_offset_t<int>, cuda::std::plus<>>
            own{};
        const row r = rows<T>::at(architecture.get());
        if (r.threads == 0) return own(architecture);
        const block_shape shape = memory_bound(r.threads, r.items, sizeof(sum_of<T>));
        return {cub::ScanAlgorithm::lookback,
                {shape.threads, shape.items, r.load, r.modifier, store_like(r.load), cub::BLOCK_SCAN_WARP_SCANS,
                 delay_policy(r.delay, r.wait, r.latency)},
                own(architecture).lookahead};
    }
};

#else

template <class T>
struct hub {
    template <class Own, int Architecture>
    struct policy : Own {
        static constexpr row r = rows<T>::at(Architecture);
        using ScanPolicyT = cub::AgentScanPolicy<
            r.threads, r.items, sum_of<T>, r.load, r.modifier, store_like(r.load), cub::BLOCK_SCAN_WARP_SCANS,
            cub::detail::MemBoundScaling<r.threads, r.items, sum_of<T>>, delay_of<rows<T>, Architecture>>;
    };
    using own = cub::detail::scan::policy_hub<T, T, sum_of<T>, cub::detail::choose_offset_t<int>, cuda::std::plus<>>;
    using MaxPolicy = policy_chain<typename own::MaxPolicy, policy, typename rows<T>::architectures>;
};

/// cub::DeviceScan::ExclusiveSum with the rows of T.
template <class T>
cudaError_t exclusive_sum(void* storage, size_t& bytes, const T* in, T* out, int n, cudaStream_t stream = nullptr)
{
    using zero = cub::detail::InputValue<T>;
    return cub::DispatchScan<const T*, T*, cuda::std::plus<>, zero, cub::detail::choose_offset_t<int>, sum_of<T>,
                             cub::ForceInclusive::No, hub<T>>::Dispatch(storage, bytes, in, out, {}, zero(T{}), n,
                                                                        stream);
}

#endif

}  // namespace cub_tuning
