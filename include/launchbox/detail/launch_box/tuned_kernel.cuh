// launchbox: the kernel of a body with a tuning, and its row on each GPU. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include <launchbox/detail/launch/launch_arguments.hpp>
#include <launchbox/detail/launch_box/row_choice.cuh>
#include <launchbox/detail/launch_box/row_seal.cuh>
#include <launchbox/detail/launch_box/size_classes.hpp>
#include <launchbox/detail/launch_box/table_use.hpp>
#include <launchbox/detail/launch_box/target_unit.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// The row of this device pass. The host pass has none: what it compiles here never runs.
template <class Box>
consteval auto row_of_this_pass()
{
    if constexpr (one_table<Box>::fine) {
#ifdef __CUDA_ARCH__
        using box = box_in_use<Box>;
        if constexpr (box_on_architecture<box, code_architecture()>::fits) return row_in<box>(code_architecture());
#endif
        return Box::rows.back();
    } else {
        return row_of_wrong_table<Box>();
    }
}

#ifdef LAUNCHBOX_ROW
template <bool HasTypes>
struct given_row_check {
    static_assert(!HasTypes, "LAUNCHBOX_ROW: there is no one row for a table with rows of several types");
    static constexpr bool fine = false;
};
#endif

/// The same with its type, where the rows of a table are of several.
template <class Box>
consteval auto typed_row_of_this_pass()
{
    if constexpr (!has_typed_rows<Box>) {
        return row_of_this_pass<Box>();
    } else {
#ifdef LAUNCHBOX_ROW
        static_cast<void>(given_row_check<has_typed_rows<Box>>::fine);
        return no_row{};
#else
        return Box::template typed_row<static_cast<std::size_t>(row_of_this_pass<Box>().place)>;
#endif
    }
}

/// The figures of that row. A table that is wrong has 1 thread, so that only table_check fails.
template <class Box>
consteval row_figures bounds_of_this_pass()
{
    if constexpr (one_table<Box>::fine)
        return figures_of(row_of_this_pass<Box>(), {});
    else
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

/// Whether a body says of itself that it may begin before the kernel ahead of it in the stream has ended.
template <class Body>
constexpr bool asks_to_begin_early()
{
    if constexpr (requires { Body::programmatic_dependent_launch; })
        return Body::programmatic_dependent_launch;
    else
        return false;
}

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
    if constexpr (box_on_architecture<box_in_use<Box>, code_architecture()>::fits)
        return row_on_architecture<figures_for<Body>(row_of_this_pass<Box>(), code_architecture()),
                                   code_architecture()>::fits;
#endif
    return true;
}

template <class Body, std::size_t Class>
using table_of_class = typename classes_of<typename Body::tuning>::template box<Class>;
template <class Body, std::size_t Class>
using box_of = box_in_use<table_of_class<Body, Class>>;

}  // namespace launchbox::detail

namespace launchbox {

/// The kernel of a body. Should the row of the launch ever be another than its own, it stops with a trap, which ends
/// the CUDA context, instead of computing something else. `Unit` is the unit_number of the file.
template <class Body, unsigned Unit, unsigned Class, class Seal, class... Parameters>
__global__ void __launch_bounds__(detail::bounds_of_this_pass<detail::table_of_class<Body, Class>>().threads,
                                  detail::bounds_of_this_pass<detail::table_of_class<Body, Class>>().min_blocks)
    tuned(Seal of_launch, Parameters... parameters)
{
#ifdef __CUDA_ARCH__
    if constexpr (detail::body_fits<Body, detail::table_of_class<Body, Class>>()) {
        constexpr auto row = detail::row_of_this_pass<detail::table_of_class<Body, Class>>();
        constexpr auto own = detail::sealed_constant<row>();
        if (!detail::is_same_seal(own, of_launch)) __trap();
        constexpr auto typed = detail::typed_row_of_this_pass<detail::table_of_class<Body, Class>>();
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

// With the row of this pass, which is used anyway: the parameters are the same with every row. A variable, since for
// 'template <auto r>' nvcc 13.0 deduces nothing from a call or from an element of an array.
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
        return body_error::in_table;  // which has said so
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

/// Does not compile for a wrong body. Code that uses a body checks `fine` first and does nothing otherwise, so that the
/// compiler prints this one sentence and no errors that follow from it.
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

/// The pointers by which the runtime knows a kernel and the architecture probe of its unit.
struct unit_pointers {
    const void* kernel;
    const void* probe;
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

    // A variable, so that all functions that use it mean the same kernel: of inline functions the linker may keep some
    // from one unit and some from another. Not const, or the compiler would replace it by the pointers of its own unit.
    static inline constinit unit_pointers pointers{
        reinterpret_cast<const void*>(
            &launchbox::tuned<Body, unit_number<Unit>, static_cast<unsigned>(Class), seal, Parameters...>),
        reinterpret_cast<const void*>(&architecture_probe<Unit>)};

    static const char* name() { return type_name<Body>(); }
    static kernel_handle handle() { return {pointers.kernel, type_name<void(Parameters...)>(), name()}; }

    static row_answer ask(int device) { return choose_row({handle(), pointers.probe, figures, Unit::numbers}, device); }

    struct known_row {
        std::size_t row;
        bool begins_early;
    };
    static known_row known_on(int device)
    {
        const std::size_t both = known.on(device, [=] {
            const row_answer answer = ask(device);
            return 2 * answer.row + (asks_to_begin_early<Body>() && can_begin_early(answer.code) ? 1 : 0);
        });
        return {both / 2, both % 2 != 0};
    }
    static std::size_t row_on(int device) { return known_on(device).row; }
    static inline constinit known_rows known{};
};

template <class Body, class Unit, std::size_t Class>
using tuned_kernel = tuned_entry<Body, Unit, Class, typename run_of_body<Body, box_of<Body, Class>>::parameters>;

}  // namespace launchbox::detail
#pragma GCC visibility pop
