// Tunings of cub::DeviceSegmentedSort::SortKeys.
//
//     CUB 3.5 and later: cub::DeviceSegmentedSort::SortKeys(in, out, n, segments, begins, ends, ENV)
//         where ENV is cuda::execution::tune(cub_tuning::selector<T>{}), or contains it
//     before, hub<T> for CUB's dispatcher: cub_tuning::sort_keys(storage, bytes, in, out, n, segments, begins, ends,
//     stream)
#include <cub/device/device_segmented_sort.cuh>

namespace cub_tuning {

struct row {
    int threads;
    int large_items;  ///< given for elements of 4 bytes
    int radix_bits;
    cub::RadixRankAlgorithm rank;
    cub::BlockLoadAlgorithm load;
    cub::CacheLoadModifier modifier;
    int medium_threads, medium_items, small_threads, small_items;  ///< threads: those of a warp that sort one segment
    cub::WarpLoadAlgorithm warp_load;
    cub::CacheLoadModifier warp_modifier;
    int partitioning;  ///< with more segments than this, they are partitioned by size first
};

#if CUB_VERSION >= 300500

template <class T>
struct selector {
    __host__ __device__ constexpr cub::SegmentedSortPolicy operator()(cuda::compute_capability architecture) const
    {
        const row r = rows<T>::at(architecture.get());
        if (r.threads == 0)
            return cub::detail::segmented_sort::policy_selector_from_types<T, cub::NullType>{}(architecture);
        const block_shape large = register_bound(r.threads, r.large_items, sizeof(T));
        return {{large.threads, large.items, r.load, r.modifier, r.rank, cub::BLOCK_SCAN_WARP_SCANS, r.radix_bits},
                {r.threads, r.medium_threads, r.medium_items, r.warp_load, r.warp_modifier, cub::WARP_STORE_DIRECT},
                {r.threads, r.small_threads, r.small_items, r.warp_load, r.warp_modifier, cub::WARP_STORE_DIRECT},
                r.partitioning};
    }
};

#else

template <class T>
struct hub {
    template <class Own, int Architecture>
    struct policy : Own {
        static constexpr row r = rows<T>::at(Architecture);
        static constexpr int BLOCK_THREADS = r.threads;
        static constexpr int RADIX_BITS = r.radix_bits;
        static constexpr int PARTITIONING_THRESHOLD = r.partitioning;
        using LargeSegmentPolicy = cub::AgentRadixSortDownsweepPolicy<r.threads, r.large_items, T, r.load, r.modifier,
                                                                      r.rank, cub::BLOCK_SCAN_WARP_SCANS, r.radix_bits>;
#if CUB_VERSION >= 300200
        template <int Threads, int Items>
        using of_warp = cub::AgentSubWarpMergeSortPolicy<r.threads, Threads, Items, r.warp_load, r.warp_modifier>;
        using SmallSegmentPolicy = of_warp<r.small_threads, r.small_items>;
        using MediumSegmentPolicy = of_warp<r.medium_threads, r.medium_items>;
#else
        template <int Threads, int Items>
        using of_warp = cub::AgentSubWarpMergeSortPolicy<Threads, Items, r.warp_load, r.warp_modifier>;
        using SmallAndMediumSegmentedSortPolicyT =
            cub::AgentSmallAndMediumSegmentedSortPolicy<r.threads, of_warp<r.small_threads, r.small_items>,
                                                        of_warp<r.medium_threads, r.medium_items> >;
#endif
    };
    using own = cub::detail::segmented_sort::policy_hub<T, cub::NullType>;
    using MaxPolicy = policy_chain<typename own::MaxPolicy, policy, typename rows<T>::architectures>;
};

/// cub::DeviceSegmentedSort::SortKeys with the rows of T.
template <class T>
cudaError_t sort_keys(void* storage, size_t& bytes, const T* in, T* out, cuda::std::int64_t n,
                      cuda::std::int64_t segments, const int* begins, const int* ends, cudaStream_t stream = nullptr)
{
    cub::DoubleBuffer<T> keys(const_cast<T*>(in), out);
    cub::DoubleBuffer<cub::NullType> values;
    return cub::DispatchSegmentedSort<cub::SortOrder::Ascending, T, cub::NullType, int, const int*, const int*,
                                      hub<T> >::Dispatch(storage, bytes, keys, values, n, segments, begins, ends, false,
                                                         stream);
}

#endif

}  // namespace cub_tuning
