// launchbox: the kernel of a body with a tuning, and its row on each GPU. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <launchbox/detail/launch/launch_arguments.hpp>
#include <launchbox/detail/launch_box/row_choice.cuh>
#include <launchbox/detail/launch_box/row_seal.cuh>
#include <launchbox/detail/launch_box/size_classes.hpp>
#include <launchbox/detail/launch_box/table_use.hpp>
#include <launchbox/detail/launch_box/target_unit.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// The row of this device pass. The host pass has none: code that it compiles with this row never runs.
template <class Box, std::size_t Variant = 0>
consteval auto row_of_this_pass()
{
    if constexpr (one_table<Box>::fine) {
#ifdef __CUDA_ARCH__
        using here = box_on_architecture<box_in_use<Box>, code_architecture(), Variant>;
        if constexpr (here::fits) return box_in_use<Box>::rows[static_cast<std::size_t>(here::row)];
#endif
        return Box::rows.back();
    } else {
        return row_of_wrong_table<Box>();
    }
}

#ifdef LAUNCHBOX_ROW
template <bool HasTypes>
struct given_row_check {
    static_assert(!HasTypes, "LAUNCHBOX_ROW: a table with rows of several types has no single row");
    static constexpr bool fine = false;
};
#endif

/// The same with its own type, if a table has rows of several types.
template <class Box, std::size_t Variant = 0>
consteval auto typed_row_of_this_pass()
{
    if constexpr (!has_typed_rows<Box>) {
        return row_of_this_pass<Box, Variant>();
    } else {
#ifdef LAUNCHBOX_ROW
        static_cast<void>(given_row_check<has_typed_rows<Box>>::fine);
        return no_row{};
#else
        return Box::template typed_row<static_cast<std::size_t>(row_of_this_pass<Box, Variant>().place)>;
#endif
    }
}

// Whether this device pass has the variant: other architectures of the unit may have more variants.
template <class Box, std::size_t Variant>
consteval bool has_variant()
{
#ifdef __CUDA_ARCH__
    if constexpr (Variant > 0) return box_on_architecture<box_in_use<Box>, code_architecture(), Variant>::row >= 0;
#endif
    return true;
}

/// The figures of row_of_this_pass. For an invalid table there is 1 thread, so that only table_check fails, and also
/// for a variant that this architecture does not have.
template <class Box, std::size_t Variant = 0>
consteval row_figures bounds_of_this_pass()
{
    if constexpr (one_table<Box>::fine) {
        if constexpr (has_variant<Box, Variant>()) return figures_of(row_of_this_pass<Box, Variant>(), {});
    }
    return {.threads = 1};
}

/// The same for a `__global__` function, which has one row.
template <class Box>
consteval row_figures bounds_of_function()
{
    if constexpr (function_has_table<Box>()) return bounds_of_this_pass<Box>();
    return {.threads = 1};
}

template <class Body>
concept has_dynamic_shared_bytes =
    requires(const typename classes_of<typename Body::tuning>::template box<0>::row_type& row) {
        Body::dynamic_shared_bytes(row);
    };
template <class Body>
concept has_tile =
    requires(const typename classes_of<typename Body::tuning>::template box<0>::row_type& row) { Body::tile(row); };

/// Whether a body asks to begin before the preceding kernel in the stream has ended.
template <class Body>
constexpr bool asks_to_begin_early()
{
    if constexpr (requires { Body::programmatic_dependent_launch; })
        return Body::programmatic_dependent_launch;
    else
        return false;
}

/// The figures of a row as a body uses it: the body's functions dynamic_shared_bytes(row) and tile(row), if any, take
/// precedence.
template <class Body, class Row>
constexpr row_figures figures_for(const Row& row, const compute_capability& architecture)
{
    row_figures figures = figures_of(row, architecture);
    if constexpr (has_dynamic_shared_bytes<Body>)
        figures.dynamic_shared_bytes = static_cast<std::int64_t>(Body::dynamic_shared_bytes(row));
    if constexpr (has_tile<Body>) figures.tile = static_cast<std::int64_t>(Body::tile(row));
    return figures;
}

// Checked in each device pass: a body may need more shared memory than its row says.
template <class Body, class Box, std::size_t Variant>
consteval bool body_fits()
{
#ifdef __CUDA_ARCH__
    if constexpr (box_on_architecture<box_in_use<Box>, code_architecture(), Variant>::fits)
        return row_on_architecture<figures_for<Body>(row_of_this_pass<Box, Variant>(), code_architecture()),
                                   code_architecture()>::fits;
    else if constexpr (Variant > 0)
        return false;
#endif
    return true;
}

/// A body has a kernel for each size class and variant of its row. Both are encoded in one number, so that kernel names
/// do not grow for tables without rows for some GPUs.
template <class Body>
struct kernel_number {
    static constexpr std::size_t classes = classes_of<typename Body::tuning>::count;
    static constexpr unsigned of(std::size_t size_class, std::size_t variant)
    {
        return static_cast<unsigned>(size_class + variant * classes);
    }
};

template <class Body, std::size_t Class>
using table_of_class = typename classes_of<typename Body::tuning>::template box<Class>;
template <class Body, std::size_t Class>
using box_of = box_in_use<table_of_class<Body, Class>>;

template <class Body, unsigned Number>
consteval row_figures bounds_of_kernel()
{
    constexpr unsigned classes = kernel_number<Body>::classes;
    return bounds_of_this_pass<table_of_class<Body, Number % classes>, Number / classes>();
}

}  // namespace launchbox::detail

namespace launchbox {

/// The kernel of a body. If the row of the launch ever differs from its own, it stops with a trap, which ends the CUDA
/// context, instead of computing wrong results. `Unit` is the unit_number of the file, `Number` the kernel_number.
template <class Body, unsigned Unit, unsigned Number, class Seal, class... Parameters>
__global__ void __launch_bounds__(detail::bounds_of_kernel<Body, Number>().threads,
                                  detail::bounds_of_kernel<Body, Number>().min_blocks)
    tuned(Seal of_launch, Parameters... parameters)
{
#ifdef __CUDA_ARCH__
    constexpr unsigned classes = detail::kernel_number<Body>::classes, variant = Number / classes;
    using table = detail::table_of_class<Body, Number % classes>;
    if constexpr (detail::body_fits<Body, table, variant>()) {
        constexpr auto row = detail::row_of_this_pass<table, variant>();
        constexpr auto own = detail::sealed_constant<row>();
        if (!detail::is_same_seal(own, of_launch)) __trap();
        constexpr auto typed = detail::typed_row_of_this_pass<table, variant>();
        Body::template run<typed>(parameters...);
    }
#endif
}

}  // namespace launchbox

namespace launchbox::detail {

/// The parameters of `run`, if it has the right form.
template <class Function>
struct function_of_run {
    static constexpr bool has_form = false, has_reference = false;
};
template <class... Parameters>
struct function_of_run<void (*)(Parameters...)> {
    static constexpr bool has_form = true, has_reference = (std::is_reference_v<Parameters> || ...);
    using parameters = list<Parameters...>;
};

// Uses the row of this pass, which is instantiated anyway: the parameters are the same with every row. It is a
// variable, since for 'template <auto r>' nvcc 13.0 deduces nothing from a call or an array element.
template <class Box>
using row_type_to_find_run = decltype(typed_row_of_this_pass<Box>());
template <class Box>
constexpr row_type_to_find_run<Box> row_to_find_run = typed_row_of_this_pass<Box>();

template <class Body, class Box, class = void>
struct run_of_body {
    static constexpr bool exists = false;
};
template <class Body, class Box>
struct run_of_body<Body, Box,
                   std::void_t<decltype(&Body::template run<row_type_to_find_run<Box>(row_to_find_run<Box>)>)>>
    : function_of_run<decltype(&Body::template run<row_type_to_find_run<Box>(row_to_find_run<Box>)>)> {
    static constexpr bool exists = true;
};

/// What is wrong with a body on every architecture; the first that applies.
enum class body_error {
    none,
    in_table,
    no_tuning,
    no_table,
    no_run,
    form_of_run,
    reference,
    form_of_shared,
    form_of_tile,
    seal
};

template <class Body>
constexpr body_error find_body_error()
{
    if constexpr (!requires { typename Body::tuning; }) {
        return body_error::no_tuning;
    } else if constexpr (kind_of_table<typename Body::tuning>() == table_kind::none) {
        return body_error::no_table;
    } else if constexpr (!Body::tuning::is_valid) {
        return body_error::in_table;  // table_check has reported it
    } else {
        using run = run_of_body<Body, box_of<Body, 0>>;
        if constexpr (!run::exists)
            return body_error::no_run;
        else if constexpr (!run::has_form)
            return body_error::form_of_run;
        else if constexpr (run::has_reference)
            return body_error::reference;
        else if constexpr (names_shared<Body> && !has_dynamic_shared_bytes<Body>)
            return body_error::form_of_shared;
        else if constexpr (names_tile<Body> && !has_tile<Body>)
            return body_error::form_of_tile;
        else
            return has_seal<typename Body::tuning::row_type> ? body_error::none : body_error::seal;
    }
}

/// Fails to compile for an invalid body. Code that uses a body checks `fine` first and does nothing if it is false, so
/// that the compiler prints this one sentence and no errors that follow from it.
template <class Body>
struct body_check {
    static constexpr body_error error = find_body_error<Body>();
    static_assert(error != body_error::no_tuning, "launch_box: a body names its table: 'using tuning = ...;'");
    static_assert(error != body_error::no_table, "launch_box: 'tuning' of a body is a table such as launch_box<...>");
    static_assert(error != body_error::no_run,
                  "launch_box: a body has 'template <row r> static __device__ void run(...)', one function with fixed "
                  "parameter types, where 'row' is the type of its rows");
    static_assert(error != body_error::form_of_run,
                  "launch_box: run of a body is a 'static __device__ void' function template");
    static_assert(error != body_error::reference,
                  "launch_box: run of a body takes its parameters by value: a reference of the host means nothing on "
                  "the device");
    static_assert(error != body_error::form_of_shared,
                  "launch_box: 'dynamic_shared_bytes' of a body is a 'static constexpr' function of a row");
    static_assert(error != body_error::form_of_tile,
                  "launch_box: 'tile' of a body is a 'static constexpr' function of a row");
    static_assert(error != body_error::seal,
                  "launch_box: rows with a bool, a floating-point number or gaps between members need an operator==; "
                  "add 'bool operator==(const row&) const = default;' to their type");
    static constexpr bool fine = error == body_error::none;
};

// Mangled; null without RTTI.
template <class Type>
const char* type_name()
{
#if defined(__cpp_rtti)
    return typeid(Type).name();
#else
    return nullptr;
#endif
}

/// The most variants that code for any architecture of the unit can have, with any suffix, since the host does not know
/// the suffix.
template <class Box, class Unit>
constexpr std::size_t count_kernels()
{
    std::size_t count = 1;
    for (const int number : Unit::numbers)
        for (const architecture_variant variant :
             {architecture_variant::plain, architecture_variant::family, architecture_variant::accelerated}) {
            const std::size_t here = count_variants(places_of<Box>(), {number / 10, number % 10, variant});
            if (here > count) count = here;
        }
    return count;
}

template <class Body, class Unit, std::size_t Class, class Seal, class Parameters, class Variants>
struct unit_pointers;

/// The pointers by which the runtime knows the architecture probe of a unit, followed by the kernels of one size class
/// of a body, one for each variant.
template <class Body, class Unit, std::size_t Class, class Seal, class... Parameters, std::size_t... Variant>
struct unit_pointers<Body, Unit, Class, Seal, list<Parameters...>, std::index_sequence<Variant...>> {
    // One variable, so that all functions that use it refer to the same kernels: the linker may keep some inline
    // functions from one unit and some from another. Not const, or the compiler would replace it by the pointers of its
    // own unit.
    static inline constinit const void* all[]{
        reinterpret_cast<const void*>(&architecture_probe<Unit>),
        reinterpret_cast<const void*>(
            &launchbox::tuned<Body, unit_number<Unit>, kernel_number<Body>::of(Class, Variant), Seal,
                              Parameters...>)...};
};

template <class Body, class Unit, std::size_t Class, class Parameters>
struct tuned_entry;

/// The kernels of one size class of a body: their table, their pointers, and the row on each GPU.
template <class Body, class Unit, std::size_t Class, class... Parameters>
struct tuned_entry<Body, Unit, Class, list<Parameters...>> {
    using box = box_of<Body, Class>;
    using row_type = typename box::row_type;
    using seal = row_seal<row_type>;
    using parameters = list<Parameters...>;
    static constexpr std::size_t rows = box::rows.size(), kernels = count_kernels<box, Unit>();
    static_assert(rows < 1024 && kernels < 256, "launch_box: a table has fewer than 1,024 rows");

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

    using pointers = unit_pointers<Body, Unit, Class, seal, parameters, std::make_index_sequence<kernels>>;
    static const void* kernel(std::size_t variant) { return pointers::all[1 + variant]; }

    static const char* name() { return type_name<Body>(); }
    static kernel_handle handle(std::size_t variant = 0)
    {
        return {kernel(variant), type_name<void(Parameters...)>(), name()};
    }

    static row_answer ask(int device)
    {
        return choose_row({handle(), pointers::all[0], figures, places_of<box>(), Unit::numbers,
                           std::span<const void* const>(pointers::all).subspan(1)},
                          device);
    }

    struct known_row {
        std::size_t row, variant;
        bool begins_early;
    };
    static known_row known_on(int device)
    {
        const std::size_t all = known.on(device, [=] {
            const row_answer answer = ask(device);
            return answer.row * 512 + answer.variant * 2 +
                   (asks_to_begin_early<Body>() && can_begin_early(answer.code) ? 1 : 0);
        });
        return {all / 512, kernels > 1 ? all / 2 % 256 : 0, all % 2 != 0};
    }
    static std::size_t row_on(int device) { return known_on(device).row; }
    static inline constinit known_rows known{};
};

template <class Body, class Unit, std::size_t Class>
using tuned_kernel = tuned_entry<Body, Unit, Class, typename run_of_body<Body, box_of<Body, Class>>::parameters>;

}  // namespace launchbox::detail
#pragma GCC visibility pop
