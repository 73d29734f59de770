// Tunings of cub::DeviceReduce::Sum.
//
//     CUB 3.5 and later: cub::DeviceReduce::Sum(in, out, n, ENV)
//         where ENV is cuda::execution::tune(cub_tuning::selector<T>{}), or contains it
//     before, hub<T> for CUB's dispatcher: cub_tuning::sum(storage, bytes, in, out, n, stream)
#include <cub/device/device_reduce.cuh>

namespace cub_tuning {

struct row {
    int threads, items;  ///< given for elements of 4 bytes
    int vector;          ///< items per load
};

template <class T>
using sum_of = cuda::std::__accumulator_t<cuda::std::plus<>, T, T>;

#if CUB_VERSION >= 300500

template <class T>
struct selector {
    __host__ __device__ constexpr cub::ReducePolicy operator()(cuda::compute_capability architecture) const
    {
        const row r = rows<T>::at(architecture.get());
        if (r.threads == 0)
            return cub::detail::reduce::policy_selector_from_types<sum_of<T>, cub::detail::choose_offset_t<int>,
                                                                   cuda::std::plus<>>{}(architecture);
        const block_shape shape = memory_bound(r.threads, r.items, sizeof(sum_of<T>));
        const cub::ReducePassPolicy pass{shape.threads, shape.items, r.vector, cub::BLOCK_REDUCE_WARP_REDUCTIONS,
                                         cub::LOAD_DEFAULT};
        return {pass, pass};
    }
};

#else

template <class T>
struct hub {
    template <class Own, int Architecture>
    struct policy : Own {
        static constexpr row r = rows<T>::at(Architecture);
        using ReducePolicy = cub::AgentReducePolicy<r.threads, r.items, sum_of<T>, r.vector,
                                                    cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::LOAD_DEFAULT>;
        using SingleTilePolicy = ReducePolicy;
    };
    using own = cub::detail::reduce::policy_hub<sum_of<T>, cub::detail::choose_offset_t<int>, cuda::std::plus<>>;
    using MaxPolicy = policy_chain<typename own::MaxPolicy, policy, typename rows<T>::architectures>;
};

#if CUB_VERSION >= 300100
using unchanged = cuda::std::identity;
#else
using unchanged = cuda::std::__identity;
#endif

/// cub::DeviceReduce::Sum with the rows of T.
template <class T>
cudaError_t sum(void* storage, size_t& bytes, const T* in, T* out, int n, cudaStream_t stream = nullptr)
{
    return cub::DispatchReduce<const T*, T*, cub::detail::choose_offset_t<int>, cuda::std::plus<>, T, sum_of<T>,
                               unchanged, hub<T>>::Dispatch(storage, bytes, in, out, n, {}, T{}, stream);
}

#endif

}  // namespace cub_tuning
