// launchbox: the architectures of this translation unit, and the architecture probe, which tells the host which one
// runs. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <launchbox/detail/launch_box/fnv.hpp>
#include <launchbox/detail/launch_box/probe_value.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// The -gencode list of a translation unit as a type. It is part of the name of every kernel, cache and launch
/// function, so that units with different lists share none of them: the linker keeps one of several inline functions
/// with the same name, and that one would launch the kernels of its own unit for all others. It is hidden, and so is
/// everything with it in its name: otherwise the dynamic linker would merge the caches of all plugins of a process,
/// although each plugin has its own CUDA runtime, which knows only the plugin's kernels.
template <int... CudaArch>
struct [[gnu::visibility("hidden")]] unit_for {
    static constexpr std::array<int, sizeof...(CudaArch)> numbers{CudaArch / 10 ...};
    static constexpr bool has_given_row = false;
    static constexpr std::uint64_t hash = fnv1a(numbers);
};

#ifdef LAUNCHBOX_ROW
// A unit with LAUNCHBOX_ROW shares nothing with other units either.
template <std::uint64_t Row, int... CudaArch>
struct [[gnu::visibility("hidden")]] unit_with_row : unit_for<CudaArch...> {
    static constexpr bool has_given_row = true;
    static constexpr std::uint64_t hash = unit_for<CudaArch...>::hash ^ Row;
};

#define LAUNCHBOX_DETAIL_TEXT(...) #__VA_ARGS__
#define LAUNCHBOX_DETAIL_TEXT_OF(...) LAUNCHBOX_DETAIL_TEXT(__VA_ARGS__)
using this_unit = unit_with_row<fnv1a(std::string_view(LAUNCHBOX_DETAIL_TEXT_OF(LAUNCHBOX_ROW))), __CUDA_ARCH_LIST__>;
#undef LAUNCHBOX_DETAIL_TEXT_OF
#undef LAUNCHBOX_DETAIL_TEXT
#else
using this_unit = unit_for<__CUDA_ARCH_LIST__>;
#endif

/// A unit as a number, short in the names of its kernels: each letter costs a nanosecond at each launch (CUDA 13.0 on
/// an H200; measurements/nvidia-h200/launch_box_bench.json).
template <class Unit>
inline constexpr unsigned unit_number = static_cast<unsigned>(Unit::hash ^ Unit::hash >> 32);

/// The architecture of this device pass; 0.0 in the host pass.
consteval compute_capability code_architecture()
{
#if !defined(__CUDA_ARCH__)
    return {};
#elif defined(__CUDA_ARCH_SPECIFIC__)
    return {__CUDA_ARCH__ / 100, __CUDA_ARCH__ / 10 % 10, architecture_variant::accelerated};
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    return {__CUDA_ARCH__ / 100, __CUDA_ARCH__ / 10 % 10, architecture_variant::family};
#else
    return {__CUDA_ARCH__ / 100, __CUDA_ARCH__ / 10 % 10};
#endif
}

/// Tells the host for which architecture the running code was compiled. It is never launched: its launch bound encodes
/// the architecture, and cudaFuncGetAttributes reports the bound. There is no other way: the attribute ptxVersion is
/// the lowest virtual architecture of all objects that nvlink put into the image, without suffix.
template <class Unit>
__global__ void __launch_bounds__(probe_value_of(code_architecture())) architecture_probe()
{
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
