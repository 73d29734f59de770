// Tunings of cub::DeviceSelect::If.
//
//     CUB 3.5 and later: cub::DeviceSelect::If(in, out, count, n, predicate, ENV)
//         where ENV is cuda::execution::tune(cub_tuning::selector<T>{}), or contains it
//     before, hub<T> for CUB's dispatcher: cub_tuning::select_if(storage, bytes, in, out, count, n, predicate, stream)
#include <cub/device/device_select.cuh>

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
    __host__ __device__ constexpr cub::SelectPolicy operator()(cuda::compute_capability architecture) const
    {
        const row r = rows<T>::at(architecture.get());
        if (r.threads == 0)
            return cub::detail::select::policy_selector_from_types<const T*, cub::NullType*, T*, cuda::std::int64_t,
                                                                   cub::SelectImpl::Select>{}(architecture);
        return {cub::SelectAlgorithm::lookback,
                {r.threads, r.items, r.load, r.modifier, cub::BLOCK_SCAN_WARP_SCANS,
                 delay_policy(r.delay, r.wait, r.latency)}};
    }
};

#else

template <class T>
struct hub {
    template <class Own, int Architecture>
    struct policy : Own {
        static constexpr row r = rows<T>::at(Architecture);
        using SelectIfPolicyT = cub::AgentSelectIfPolicy<r.threads, r.items, r.load, r.modifier,
                                                         cub::BLOCK_SCAN_WARP_SCANS, delay_of<rows<T>, Architecture> >;
    };
    using own = cub::detail::select::policy_hub<T, cub::NullType, cub::detail::select::per_partition_offset_t, false,
                                                cub::SelectImpl::Select>;
    using MaxPolicy = policy_chain<typename own::MaxPolicy, policy, typename rows<T>::architectures>;
};

/// cub::DeviceSelect::If with the rows of T.
template <class T, class Predicate>
cudaError_t select_if(void* storage, size_t& bytes, const T* in, T* out, int* count, cuda::std::int64_t n,
                      Predicate wanted, cudaStream_t stream = nullptr)
{
    return cub::DispatchSelectIf<const T*, cub::NullType*, T*, int*, Predicate, cub::NullType, cuda::std::int64_t,
                                 cub::SelectImpl::Select, hub<T> >::Dispatch(storage, bytes, in, nullptr, out, count,
                                                                             wanted, {}, n, stream);
}

#endif

}  // namespace cub_tuning
