// launchbox: checks that the arguments of a launch fit the parameters of the kernel; if not, the compiler prints one
// sentence. Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace launchbox::detail {

template <class...>
struct list {};

// Compilers print the name of this template, and with it the types of the argument that does not fit.
template <std::size_t Position, class Given, class Parameter>
struct launch_argument {
    static constexpr bool fits = std::is_convertible_v<Given, Parameter>;
    static_assert(fits,
                  "launchbox::launch: an argument does not convert to the kernel's parameter; its position (from 0), "
                  "its type and the parameter's stand in launch_argument<...> nearby");
};

template <class Parameters, class Arguments>
struct launch_arguments;

template <class... Parameters, class... Arguments>
struct launch_arguments<list<Parameters...>, list<Arguments...>> {
    static constexpr bool same_count = sizeof...(Parameters) == sizeof...(Arguments);
    static_assert(same_count, "launchbox::launch: the kernel takes another number of arguments");

    template <std::size_t... Position>
    static constexpr bool each_fits(std::index_sequence<Position...>)
    {
        return (launch_argument<Position, Arguments, Parameters>::fits && ...);
    }
    static constexpr bool fit()
    {
        if constexpr (same_count)
            return each_fits(std::index_sequence_for<Parameters...>{});
        else
            return false;
    }
};

/// True; otherwise a static assertion fails.
template <class Parameters, class Arguments>
constexpr bool arguments_fit(Parameters, Arguments)
{
    return launch_arguments<Parameters, Arguments>::fit();
}

}  // namespace launchbox::detail
