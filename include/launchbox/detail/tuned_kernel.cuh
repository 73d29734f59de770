// launchbox: the kernel of a body with a tuning, and its row on each GPU. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <launchbox/detail/launch_arguments.hpp>
#include <launchbox/detail/row_choice.cuh>
#include <launchbox/detail/row_seal.cuh>
#include <launchbox/detail/target_unit.cuh>
#include <launchbox/detail/tuning_choice.hpp>

namespace launchbox::detail {

/// The row of this device pass. The host pass has none: what it compiles here never runs.
template <class Box>
consteval typename Box::row_type row_of_this_pass()
{
#ifdef __CUDA_ARCH__
    if constexpr (box_on_architecture<Box, code_architecture()>::fits) return row_in<Box>(code_architecture());
#endif
    return Box::rows.back();
}

template <class Body>
concept has_dynamic_shared_bytes =
    requires(const typename classes_of<typename Body::tuning>::template box<0>::row_type& row)
{
    Body::dynamic_shared_bytes(row);
};
template <class Body>
concept has_tile = requires(const typename classes_of<typename Body::tuning>::template box<0>::row_type& row)
{
    Body::tile(row);
};

/// The figures of a row as a body uses it: its functions dynamic_shared_bytes(row) and tile(row), where it has them,
/// win.
template <class Body, class Row>
constexpr row_figures figures_for(const Row& row, const compute_capability& architecture)
{
    row_figures figures = figures_of(row, architecture);
    if constexpr (has_dynamic_shared_bytes<Body>)
        figures.dynamic_shared_bytes = static_cast<std::int64_t>(Body::dynamic_shared_bytes(row));
    if constexpr (has_tile<Body>) figures.tile = static_cast<std::int64_t>(Body::tile(row));
    return figures;
}

// Checked in each device pass: a body may need more shared memory than its row alone says.
template <class Body, class Box>
consteval bool body_fits()
{
#ifdef __CUDA_ARCH__
    if constexpr (box_on_architecture<Box, code_architecture()>::fits)
        return row_on_architecture<figures_for<Body>(row_of_this_pass<Box>(), code_architecture()),
                                   code_architecture()>::fits;
#endif
    return true;
}

template <class Body, std::size_t Class>
using box_of = box_in_use<typename classes_of<typename Body::tuning>::template box<Class>>;

/// The kernel. Should the row of the launch ever be another than its own, it stops with a trap, which ends the CUDA
/// context, instead of computing something else.
template <class Body, class Unit, std::size_t Class, class Seal, class... Parameters>
__global__ void __launch_bounds__(row_of_this_pass<box_of<Body, Class>>().threads,
                                  row_of_this_pass<box_of<Body, Class>>().min_blocks)
    tuned_kernel(Seal of_launch, Parameters... parameters)
{
#ifdef __CUDA_ARCH__
    if constexpr (body_fits<Body, box_of<Body, Class>>()) {
        constexpr auto row = row_of_this_pass<box_of<Body, Class>>();
        constexpr auto own = sealed_constant<row>();
        if (!own.fits(of_launch)) __trap();
        Body::template run<row>(parameters...);
    }
#endif
}

template <class Function>
struct parameters_of_run {
    static_assert(!sizeof(Function*), "launch_box: run of a body is a 'static __device__ void' function template");
};
template <class... Parameters>
struct parameters_of_run<void (*)(Parameters...)> {
    static_assert((!std::is_reference_v<Parameters> && ...),
                  "launch_box: run of a body takes its parameters by value: a reference of the host means nothing on "
                  "the device");
    using type = list<Parameters...>;
};

/// The pointers by which the runtime knows kernel and witness.
struct unit_pointers {
    const void* kernel;
    const void* witness;
};

template <class Body, class Unit, std::size_t Class, class Parameters>
struct tuned_entry;

/// One kernel of a body: its table, its pointers, and what was found out on each GPU.
template <class Body, class Unit, std::size_t Class, class... Parameters>
struct tuned_entry<Body, Unit, Class, list<Parameters...>> {
    using box = box_of<Body, Class>;
    using row_type = typename box::row_type;
    using seal = row_seal<row_type>;
    using parameters = list<Parameters...>;
    static constexpr std::size_t rows = box::rows.size();

    static constexpr std::array<row_figures, rows> figures = [] {
        std::array<row_figures, rows> all{};
        for (std::size_t i = 0; i < rows; ++i) all[i] = figures_for<Body>(box::rows[i], box::architectures[i]);
        return all;
    }();
    static constexpr std::array<seal, rows> seals = [] {
        std::array<seal, rows> all{};
        for (std::size_t i = 0; i < rows; ++i) all[i] = sealed(box::rows[i]);
        return all;
    }();

    // A variable, and not constants where they are used: of functions the linker may keep some of one unit and some of
    // another, and they must all speak of the same kernel. Not const, or the compiler would put in those of its unit.
    static inline constinit unit_pointers pointers{
        reinterpret_cast<const void*>(&tuned_kernel<Body, Unit, Class, seal, Parameters...>),
        reinterpret_cast<const void*>(&witness<Unit>)};

    static kernel_handle handle()
    {
#if defined(__cpp_rtti)
        return {pointers.kernel, typeid(void(Parameters...)).name(), typeid(Body).name()};
#else
        return {pointers.kernel, nullptr, nullptr};
#endif
    }

    static row_answer ask(int device)
    {
        return choose_row({handle(), pointers.witness, figures, Unit::numbers}, device);
    }

    static std::size_t row_on(int device)
    {
        return known.on(device, [=] { return ask(device).row; });
    }
    static inline constinit known_rows known{};
};

template <class Body>
struct body_check {
    static constexpr bool has_tuning = requires { typename Body::tuning; };
    static_assert(has_tuning, "launch_box: a body names its table: 'using tuning = ...;'");
};

// With the row of this pass, which is used anyway: the parameters are the same with every row.
template <class Body, class Box, class = void>
struct run_of_body {
    static_assert(!sizeof(Body*),
                  "launch_box: a body has 'template <row r> static __device__ void run(...)', one function with fixed "
                  "parameter types, where 'row' is the type of its rows");
};
template <class Body, class Box>
struct run_of_body<Body, Box, std::void_t<decltype(&Body::template run<row_of_this_pass<Box>()>)>> {
    using parameters = typename parameters_of_run<decltype(&Body::template run<row_of_this_pass<Box>()>)>::type;
};

template <class Body, class Unit, std::size_t Class>
using tuned = tuned_entry<Body, Unit, Class, typename run_of_body<Body, box_of<Body, Class>>::parameters>;

}  // namespace launchbox::detail
