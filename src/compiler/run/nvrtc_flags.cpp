// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string_view>

#include "compiler/run/nvrtc.hpp"
#include "support/process/command_words.hpp"

namespace launchbox {

namespace {

// An option of nvcc that takes a value, its other spellings, and NVRTC's name for it; empty if NVRTC has none.
struct option_name {
    std::array<std::string_view, 4> spellings;
    std::string_view nvrtc;
    bool joined = false;  // -Ifolder
};

constexpr std::string_view folder_option = "--include-path=", file_option = "--pre-include=";
constexpr std::array<option_name, 16> options{{
    {{"-I", "--include-path"}, folder_option, true},
    {{"-isystem", "--system-include"}, folder_option},
    {{"-include", "--pre-include"}, file_option},
    {{"-D", "--define-macro"}, "--define-macro=", true},
    {{"-U", "--undefine-macro"}, "--undefine-macro=", true},
    {{"-std", "--std"}, "--std="},
    {{"-Xptxas", "--ptxas-options"}, "--ptxas-options="},
    {{"-maxrregcount", "--maxrregcount"}, "--maxrregcount="},
    {{"-diag-suppress", "--diag-suppress"}, "--diag-suppress="},
    {{"-diag-error", "--diag-error"}, "--diag-error="},
    {{"-ftz", "--ftz"}, "--ftz="},
    {{"-fmad", "--fmad"}, "--fmad="},
    {{"-prec-div", "--prec-div"}, "--prec-div="},
    {{"-prec-sqrt", "--prec-sqrt"}, "--prec-sqrt="},
    {{"-Xcompiler", "--compiler-options", "-Xcudafe", "-Xlinker"}, ""},
    {{"-ccbin", "--compiler-bindir", "-t", "--threads"}, ""},
}};

// Flags that concern the host, or that NVRTC implies.
constexpr std::array<std::string_view, 14> without_meaning{"-O",
                                                           "-O0",
                                                           "-O1",
                                                           "-O2",
                                                           "-O3",
                                                           "-m64",
                                                           "--m64",
                                                           "--optimize",
                                                           "--expt-relaxed-constexpr",
                                                           "-v",
                                                           "-g",
                                                           "--debug",
                                                           "-expt-relaxed-constexpr",
                                                           "--verbose"};

struct flag_value {
    const option_name* option = nullptr;
    std::string value = {};
};

// The option at word `at` and its value; if that is the next word, `at` advances.
std::optional<flag_value> option_at(const std::vector<std::string>& flags, std::size_t& at)
{
    const std::string_view word = flags[at];
    for (const option_name& option : options)
        for (const std::string_view name : option.spellings) {
            if (name.empty() || !word.starts_with(name)) continue;
            const std::string_view rest = word.substr(name.size());
            if (rest.starts_with('=')) return flag_value{&option, std::string(rest.substr(1))};
            if (rest.empty()) {
                if (at + 1 == flags.size()) return std::nullopt;
                return flag_value{&option, flags[++at]};
            }
            if (option.joined && name.size() == 2) return flag_value{&option, std::string(rest)};
        }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> flags_for_nvrtc(const std::vector<std::string>& flags)
{
    std::vector<std::string> result;
    for (std::size_t at = 0; at < flags.size(); ++at) {
        const std::string& word = flags[at];
        if (const auto found = option_at(flags, at)) {
            if (!found->option->nvrtc.empty()) result.push_back(std::string(found->option->nvrtc) + found->value);
            continue;
        }
        bool drop = false;
        for (const std::string_view nothing : without_meaning) drop |= word == nothing;
        if (!drop) result.push_back(word);
    }
    return result;
}

std::vector<std::string> flags_without_names(const std::vector<std::string>& flags)
{
    std::vector<std::string> result;
    for (std::size_t at = 0; at < flags.size(); ++at) {
        const std::size_t first = at;
        static_cast<void>(option_at(flags, at));
        const std::vector<std::string> flag(flags.begin() + static_cast<std::ptrdiff_t>(first),
                                            flags.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        if (names_in(flag).empty()) result.insert(result.end(), flag.begin(), flag.end());
    }
    return result;
}

}  // namespace launchbox
