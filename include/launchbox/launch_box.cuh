// launchbox: launch parameters with one row per architecture, on which host and device always agree.
// SPDX-License-Identifier: Apache-2.0
//
//     struct row { int threads, items, min_blocks = 0; };
//     using tuning = launchbox::launch_box<launchbox::sm<80, row{256, 11, 3}>, launchbox::sm<90, row{256, 15, 2}>>;
//
//     struct square {
//         using tuning = ::tuning;
//         template <row r> static __device__ void run(int* data, int count);  // r.threads and r.items are constants
//     };
//     launchbox::launch<square>(stream, count, data, count);
// No host function takes an architecture or a row: the row is that of the code that the GPU runs.
#pragma once

#if __cplusplus < 202002L
#error "launchbox/launch_box.cuh needs C++20: compile with -std=c++20"
#elif !defined(__CUDACC__)
#error "launchbox/launch_box.cuh defines kernels: compile it as CUDA C++, with nvcc as a .cu file or with -x cu"
#elif !defined(__CUDA_ARCH_LIST__)
#error \
    "launchbox/launch_box.cuh needs a compiler that defines __CUDA_ARCH_LIST__: nvcc 12.0 or later, clang 22 or later"
#else

#include <cuda_runtime_api.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>

#include <launchbox/detail/launch_box/tuned_explanation.cuh>
#include <launchbox/detail/launch_box/tuned_kernel.cuh>
#include <launchbox/detail/launch_box/tuned_launch.cuh>
#include <launchbox/launch.cuh>
#include <launchbox/tuning_by_size.hpp>
#include <launchbox/tuning_by_type.hpp>
#include <launchbox/tuning_table.hpp>
#include <launchbox/work_size.hpp>

/// The launch bounds of a `__global__` function with the row of its architecture:
/// `template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void kernel(int* data, int count)`.
#define LAUNCHBOX_BOUNDS(...)                                                         \
    __launch_bounds__(::launchbox::detail::bounds_of_function<__VA_ARGS__>().threads, \
                      ::launchbox::detail::bounds_of_function<__VA_ARGS__>().min_blocks)

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

/// In device code: the row that the code is compiled with, a constant. The kernel must have LAUNCHBOX_BOUNDS of the
/// same table.
template <class Box>
consteval auto row_here()
{
    return detail::typed_row_of_this_pass<Box>();
}

/// Launches `Body::run` with the row of the code for the current GPU: as many blocks as `work` elements need, with the
/// row's threads and dynamic shared memory. Nothing is launched for 0 elements. `work` is a number, or `blocks{...}`
/// for a given grid. Throws launch_error like `launch(kernel, ...)`, and at the first launch on a GPU also if the GPU
/// cannot hold the row, or if the program has no code for it, or code that was compiled with another table.
template <class Body, class Unit = detail::this_unit, class... Arguments>
void launch(cudaStream_t stream, const work_size& work, Arguments&&... arguments)
{
    detail::launch_tuned<Body, Unit>({.stream = stream}, work, std::forward<Arguments>(arguments)...);
}

/// The same with a cluster, programmatic dependent launch, or cooperatively. Grid, threads and shared memory come from
/// the row; setting them in the launch_config throws launch_error. A body with `static constexpr bool
/// programmatic_dependent_launch = true` is always launched that way, with code for 9.0 or newer, and must call
/// cudaGridDependencySynchronize() before it touches global memory.
template <class Body, class Unit = detail::this_unit, class... Arguments>
void launch(const launch_config& config, const work_size& work, Arguments&&... arguments)
{
    if (!detail::leaves_shape_to_row(config)) [[unlikely]]
        detail::refuse_given_shape(config, detail::type_name<Body>());
    detail::launch_tuned<Body, Unit>(detail::extras_of(config), work, std::forward<Arguments>(arguments)...);
}

/// The same without exceptions: returns the runtime's error, or the runtime error that is nearest to what launch_error
/// would say.
template <class Body, class Unit = detail::this_unit, class... Arguments>
cudaError_t try_launch(cudaStream_t stream, const work_size& work, Arguments&&... arguments) noexcept
{
    return detail::try_launch_tuned<Body, Unit>({.stream = stream}, work, std::forward<Arguments>(arguments)...);
}
template <class Body, class Unit = detail::this_unit, class... Arguments>
cudaError_t try_launch(const launch_config& config, const work_size& work, Arguments&&... arguments) noexcept
{
    if (!detail::leaves_shape_to_row(config)) [[unlikely]]
        return cudaErrorInvalidConfiguration;
    return detail::try_launch_tuned<Body, Unit>(detail::extras_of(config), work, std::forward<Arguments>(arguments)...);
}

/// Does the work of the first launch on the current GPU in advance: loads and checks the code, opts in to shared
/// memory. Call it before a stream capture, or if the first launch should take no longer than the others.
template <class Body, class Unit = detail::this_unit>
void prepare()
{
    const int device = detail::current_device(detail::type_name<Body>());
    detail::for_each_class<Body>([&]<std::size_t Class>() { detail::prepare_tuned<Body, Unit, Class>(device); });
}

/// The row of a body, or of a table, on the current GPU: the row of the code that runs there. `elements` chooses among
/// the tables of by_size. Throws launch_error if the program has no code for this GPU.
template <class BodyOrTable, class Unit = detail::this_unit>
auto row_for(std::int64_t elements = 0)
{
    if constexpr (requires { typename BodyOrTable::tuning; })
        return detail::row_of_body<BodyOrTable, Unit>(elements);
    else
        return detail::row_of_table<BodyOrTable, Unit>(elements);
}

/// The row of a table on the current GPU, for a `__global__` function with LAUNCHBOX_BOUNDS of that table. Checks that
/// the function was compiled with that row, and opts in to the row's dynamic shared memory. Queries the runtime each
/// time (about a microsecond): keep the result if that matters.
// Always inlined: the architecture probe must come from the unit of `kernel`. Units for sm_90 and for sm_90a have the
// same list, and the linker would keep the function of one of them for both.
template <class Box, class Unit = detail::this_unit, class... Parameters>
[[gnu::always_inline]] inline auto row_for(void (*kernel)(Parameters...))
{
    return detail::row_of_kernel<Box, Unit>(detail::handle_of(kernel),
                                            reinterpret_cast<const void*>(&detail::architecture_probe<Unit>));
}

/// How many blocks of a body's kernel, with its row, one SM of the current GPU holds at once.
template <class Body, class Unit = detail::this_unit>
int resident_blocks(std::int64_t elements = 0)
{
    return detail::account_of<Body, Unit>(elements).resident_blocks;
}

/// A short text about what is launched on this GPU and why: row, code, registers, local memory, resident blocks and
/// limiters, and whether the row is the architecture's own or inherited from an older one.
template <class Body, class Unit = detail::this_unit>
std::string explain()
{
    const int device = detail::current_device(detail::type_name<Body>());
    std::string text;
    detail::for_each_class<Body>(
        [&]<std::size_t Class>() { text += detail::explain_tuned<Body, Unit, Class>(device); });
    return text;
}

}  // namespace launchbox
#pragma GCC visibility pop

#endif
