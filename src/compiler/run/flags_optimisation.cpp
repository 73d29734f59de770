// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/flags_optimisation.hpp"

#include <algorithm>
#include <string_view>

#include "image/optimisation.hpp"

namespace launchbox {

code_optimisation optimisation_of_flags(const std::vector<std::string>& flags)
{
    constexpr std::string_view passing[] = {"-Xptxas", "--ptxas-options", "-ptxas-options"};
    constexpr std::string_view debugging[] = {"-G", "--device-debug", "-device-debug"};
    constexpr std::string_view optimising[] = {"-dopt", "--dopt"};
    constexpr std::string_view quick[] = {"-Ofc", "--Ofast-compile", "-Ofast-compile"};
    const auto any = [](const auto& names, std::string_view word) {
        return std::ranges::find(names, word) != std::end(names);
    };
    std::string for_ptxas;
    bool debug = false, optimised = false;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string_view flag = flags[i];
        const std::size_t equal = std::min(flag.find('='), flag.size());
        const std::string_view name = flag.substr(0, equal);
        std::string_view value = equal < flag.size() ? flag.substr(equal + 1) : std::string_view{};
        if (equal == flag.size() && i + 1 < flags.size()) value = flags[i + 1];
        if (any(debugging, flag)) debug = true;
        if (any(optimising, name)) optimised |= value == "on";
        if (any(passing, name)) for_ptxas.append(value).append(" ");
        if (any(quick, name)) for_ptxas.append("-Ofc ").append(value).append(" ");
    }
    if (debug && !optimised) return code_optimisation::debug;
    return optimisation_of_options(for_ptxas);
}

}  // namespace launchbox
