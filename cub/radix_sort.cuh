// Tunings of cub::DeviceRadixSort::SortKeys: its histogram and its onesweep passes.
//
//     CUB 3.5 and later: cub::DeviceRadixSort::SortKeys(in, out, n, 0, bits, ENV)
//         where ENV is cuda::execution::tune(cub_tuning::selector<T>{}), or contains it
//     before, hub<T> for CUB's dispatcher: cub_tuning::sort_keys(storage, bytes, in, out, n, stream)
#include <cub/device/device_radix_sort.cuh>

namespace cub_tuning {

struct row {
    int threads, items;  ///< of a pass, given for elements of 4 bytes
    int histogram_threads, histogram_items;
};

#if CUB_VERSION >= 300500

template <class T>
struct selector {
    __host__ __device__ constexpr cub::RadixSortPolicy operator()(cuda::compute_capability architecture) const
    {
        cub::RadixSortPolicy policy =
            cub::detail::radix_sort::policy_selector_from_types<T, cub::NullType, cub::detail::choose_offset_t<int>>{}(
                architecture);
        const row r = rows<T>::at(architecture.get());
        if (r.threads == 0) return policy;
        const block_shape pass = register_bound(r.threads, r.items, sizeof(T));
        policy.algorithm = cub::RadixSortAlgorithm::onesweep;
        policy.histogram = {r.histogram_threads, r.histogram_items, 1, 8};
        policy.exclusive_sum = {256, 8};
        policy.onesweep = {pass.threads,
                           pass.items,
                           cub::RADIX_SORT_STORE_DIRECT,
                           cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                           cub::BLOCK_SCAN_RAKING_MEMOIZE,
                           1,
                           8};
        return policy;
    }
};

#else

template <class T>
struct hub {
    template <class Own, int Architecture>
    struct policy : Own {
        static constexpr row r = rows<T>::at(Architecture);
        enum { ONESWEEP = true, ONESWEEP_RADIX_BITS = 8 };
        using HistogramPolicy = cub::AgentRadixSortHistogramPolicy<r.histogram_threads, r.histogram_items, 1, T, 8>;
        using ExclusiveSumPolicy = cub::AgentRadixSortExclusiveSumPolicy<256, 8>;
        using OnesweepPolicy =
            cub::AgentRadixSortOnesweepPolicy<r.threads, r.items, T, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                              cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT, 8>;
    };
#if CUB_VERSION >= 300300
    using own = cub::detail::radix_sort::policy_hub<T, cub::NullType, cub::detail::choose_offset_t<int>>;
#else
    using own = cub::detail::radix::policy_hub<T, cub::NullType, cub::detail::choose_offset_t<int>>;
#endif
    using MaxPolicy = policy_chain<typename own::MaxPolicy, policy, typename rows<T>::architectures>;
};

/// cub::DeviceRadixSort::SortKeys with the rows of T.
template <class T>
cudaError_t sort_keys(void* storage, size_t& bytes, const T* in, T* out, int n, cudaStream_t stream = nullptr)
{
    cub::DoubleBuffer<T> keys(const_cast<T*>(in), out);
    cub::DoubleBuffer<cub::NullType> values;
    return cub::DispatchRadixSort<cub::SortOrder::Ascending, T, cub::NullType, cub::detail::choose_offset_t<int>,
                                  cub::detail::identity_decomposer_t, hub<T>>::Dispatch(storage, bytes, keys, values, n,
                                                                                        0, int{sizeof(T)} * 8, false,
                                                                                        stream);
}

#endif

}  // namespace cub_tuning
