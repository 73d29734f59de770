// SPDX-License-Identifier: Apache-2.0
#include "tune/build/compile_endings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string_view>

#include "support/process/subprocess.hpp"

namespace launchbox {

std::string timeout_reason(double seconds)
{
    return fmt::format("the compiler did not end within {:g} s", seconds);
}

std::string memory_reason(std::int64_t bytes)
{
    const double mib = static_cast<double>(bytes) / (1 << 20);
    if (bytes <= 0) return "the compiler took more memory than there is";
    return fmt::format("the compiler took more than {:.4g} {} of memory", mib >= 1024 ? mib / 1024 : mib,
                       mib >= 1024 ? "GiB" : "MiB");
}

// What NVRTC, cicc, ptxas, gcc, cudafe++ and shells say.
bool is_out_of_memory(const std::string& said)
{
    std::string text = said;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 8> phrases{"bad_alloc",
                                                      "out of memory",
                                                      "out_of_memory",
                                                      "cannot allocate",
                                                      "memory exhausted",
                                                      "memory exceeded",
                                                      "memory allocation failure",
                                                      "not enough memory"};
    return std::ranges::any_of(phrases,
                               [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

std::string death_of_compiler(const nvcc_output& output)
{
    if (const std::size_t at = output.log.find("died due to signal"); at != std::string::npos) {
        std::size_t start = output.log.rfind('\n', at);
        start = start == std::string::npos ? 0 : start + 1;
        std::string line = output.log.substr(start, output.log.find('\n', at) - start);
        constexpr std::string_view prefix = "nvcc error   : ";
        if (line.starts_with(prefix)) line.erase(0, prefix.size());
        while (line.ends_with(' ')) line.pop_back();
        return line;
    }
    // An exit status alone is none: nvcc ends with that of ptxas, which is 255 after any error.
    if (output.signal == 0) return {};
    return "killed by signal " + std::to_string(output.signal) + " (" + ::strsignal(output.signal) + ")";
}

}  // namespace launchbox
