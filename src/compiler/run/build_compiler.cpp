// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/build_compiler.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "compiler/run/nvcc_arguments.hpp"
#include "support/error.hpp"
#include "support/process/command_words.hpp"
#include "support/text/ascii.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using std::string_view;

enum class compiler_kind { none, nvcc, nvcc_wrapper, clang };

// "clang++" for "/usr/bin/x86_64-linux-gnu-clang++-17" and for "clang++.exe".
string_view stem_of(string_view program)
{
    program.remove_prefix(program.find_last_of("/\\") + 1);  // npos + 1 is 0
    if (program.ends_with(".exe")) program.remove_suffix(4);
    const std::size_t dash = program.rfind('-');
    if (dash != string_view::npos && dash + 1 < program.size() &&
        program.find_first_not_of("0123456789.", dash + 1) == string_view::npos)
        program = program.substr(0, dash);
    return program;
}

compiler_kind kind_of(string_view program)
{
    const string_view stem = stem_of(program);
    const auto is = [&](string_view name) {
        return stem == name || (stem.ends_with(name) && stem[stem.size() - name.size() - 1] == '-');
    };
    if (is("nvcc")) return compiler_kind::nvcc;
    if (is("nvcc_wrapper")) return compiler_kind::nvcc_wrapper;
    for (const string_view name : {"clang", "clang++", "icpx", "gcc", "g++", "cc", "c++"})
        if (is(name)) return compiler_kind::clang;
    // Bazel's name for its script that runs clang or nvcc with clang's flags.
    return stem.starts_with("crosstool_wrapper") ? compiler_kind::clang : compiler_kind::none;
}

bool is_shell(string_view stem)
{
    return stem == "sh" || stem == "bash" || stem == "dash" || stem == "zsh";
}

// Programs that may replace nvcc in a build's command and take other flags. Unknown programs count as wrappers of nvcc.
bool has_flags_of_its_own(string_view stem)
{
    for (const string_view name : {"cl", "clang-cl", "cmake", "cmd", "hipcc", "amdclang", "amdclang++", "nvc", "nvc++",
                                   "nvfortran", "python", "python3", "sh", "bash", "dash", "zsh"})
        if (stem == name) return true;
    return false;
}

struct found_compiler_word {
    std::size_t place = 0;
    compiler_kind kind = compiler_kind::none;
};

// The first word that is a compiler, before the first compiler flag. If none is known, the first word counts as one.
found_compiler_word find_compiler_word(const std::vector<std::string>& command)
{
    for (std::size_t i = 0; i < command.size(); ++i) {
        const compiler_kind kind = kind_of(command[i]);
        if (kind != compiler_kind::none) return {i, kind};
        if (command[i] == "-c" || command[i] == "-o" || command[i].starts_with("-I") || command[i].starts_with("-D"))
            break;
    }
    return {};
}

constexpr std::array<std::pair<string_view, string_view>, 12> clang_in_nvcc{
    {{"-fgpu-rdc", "-rdc=true"},
     {"-fcuda-rdc", "-rdc=true"},
     {"-fno-gpu-rdc", "-rdc=false"},
     {"-fno-cuda-rdc", "-rdc=false"},
     {"-ffast-math", "-use_fast_math"},
     {"-fgpu-flush-denormals-to-zero", "-ftz=true"},
     {"-fcuda-flush-denormals-to-zero", "-ftz=true"},
     {"-ffp-contract=off", "-fmad=false"},
     {"-foffload-lto", "-dlto"},
     {"-foffload-lto=full", "-dlto"},
     {"-foffload-lto=thin", "-dlto"},
     {"--cuda-noopt-device-debug", "-G"}}};

// Flags of clang and gcc that take the next word as value, and nvcc's name for them; empty if nvcc has none.
constexpr std::array<std::pair<string_view, string_view>, 23> valued{{{"-D", "-D"},
                                                                      {"-U", "-U"},
                                                                      {"-I", "-I"},
                                                                      {"-isystem", "-isystem"},
                                                                      {"-include", "-include"},
                                                                      {"-iquote", "-I"},
                                                                      {"-idirafter", "-isystem"},
                                                                      {"-imacros", "-include"},
                                                                      {"-x", "-x"},
                                                                      {"-Xcuda-ptxas", "-Xptxas"},
                                                                      {"-o", ""},
                                                                      {"-MF", ""},
                                                                      {"-MT", ""},
                                                                      {"-MQ", ""},
                                                                      {"-Xclang", ""},
                                                                      {"-Xcuda-fatbinary", ""},
                                                                      {"-Xarch_host", ""},
                                                                      {"-Xlinker", ""},
                                                                      {"-Xpreprocessor", ""},
                                                                      {"-mllvm", ""},
                                                                      {"-target", ""},
                                                                      {"-isysroot", ""},
                                                                      {"--param", ""}}};

// "-std=gnu++23" in nvcc's form, which has no GNU extensions and ends at C++20.
std::string standard_of(string_view value)
{
    std::string name(value);
    if (name.starts_with("gnu")) name.replace(0, 3, "c");
    for (const char* later : {"c++2a", "c++2b", "c++2c", "c++23", "c++26", "c++latest"})
        if (name == later) name = "c++20";
    for (const auto& [early, official] :
         {std::pair{"c++0x", "c++11"}, {"c++1y", "c++14"}, {"c++1z", "c++17"}, {"c++98", "c++03"}})
        if (name == early) name = official;
    return "-std=" + name;
}

std::vector<std::string> from_clang(const std::vector<std::string>& words)
{
    std::vector<std::string> result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "-Xarch_device") continue;  // the next word is for kernels, like all that are kept
        if (const auto other =
                std::ranges::find(clang_in_nvcc, string_view(word), [](const auto& e) { return e.first; });
            other != clang_in_nvcc.end()) {
            result.emplace_back(other->second);
            continue;
        }
        if (const auto other = std::ranges::find(valued, string_view(word), [](const auto& e) { return e.first; });
            other != valued.end()) {
            if (i + 1 == words.size()) break;
            ++i;
            if (other->second.empty()) continue;
            result.emplace_back(other->second);
            result.push_back(words[i]);
            continue;
        }
        if (word.starts_with("-std=") || word.starts_with("--std=")) {
            result.push_back(standard_of(string_view(word).substr(word.find('=') + 1)));
            continue;
        }
        // Bazel's script: flags for nvcc without dashes.
        if (constexpr string_view passed = "-nvcc_options="; word.starts_with(passed)) {
            result.push_back("--" + word.substr(passed.size()));
            continue;
        }
        if (word.starts_with("-xc")) result.push_back("-x=" + word.substr(2));
        // "-isystem/folder" from Meson: nvcc takes these as two words.
        bool split = false;
        for (const string_view flag : {"-isystem", "-include"})
            if (word.starts_with(flag) && word.size() > flag.size()) {
                result.insert(result.end(), {std::string(flag), word.substr(flag.size())});
                split = true;
            }
        if (split) continue;
        const bool stays = word.starts_with("-D") || word.starts_with("-U") || word.starts_with("-I") ||
                           word.starts_with("-x=") || word.starts_with("-Xcuda-ptxas=");
        if (word.starts_with("-iquote") && word.size() > 7)
            result.push_back("-I" + word.substr(7));
        else if (word.starts_with("-Xcuda-ptxas="))
            result.push_back("-Xptxas=" + word.substr(word.find('=') + 1));
        else if (stays)
            result.push_back(word);
    }
    return result;
}

// nvcc_wrapper compiles every input as CUDA, and distributes flags between nvcc and the host compiler.
std::vector<std::string> from_nvcc_wrapper(const std::vector<std::string>& words)
{
    std::vector<std::string> result{"-forward-unknown-to-host-compiler"};
    bool has_language = false;
    for (const std::string& word : words) {
        if (word.starts_with("-std=") || word.starts_with("--std=")) {
            result.push_back(standard_of(string_view(word).substr(word.find('=') + 1)));
            continue;
        }
        has_language |= names_language(word);
        result.push_back(word);
    }
    if (!has_language) result.insert(result.end(), {"-x", "cu"});
    return result;
}

}  // namespace

std::vector<std::string> as_nvcc_words(const std::vector<std::string>& command)
{
    if (command.empty()) return {};
    const string_view first = stem_of(command.front());
    // sh -c 'nvcc ...'
    if (is_shell(first) && command.size() > 2 && command[1].starts_with('-') && command[1].ends_with('c'))
        return as_nvcc_words(command_words(command[2]));
    const found_compiler_word compiler = find_compiler_word(command);
    // clang compiles for AMD's GPUs, too.
    const bool for_amd = std::ranges::any_of(
        command, [](string_view word) { return word == "-xhip" || word.starts_with("--offload-arch=gfx"); });
    const std::array<string_view, 2> hip{"-x", "hip"};
    if (for_amd || std::search(command.begin(), command.end(), hip.begin(), hip.end()) != command.end())
        throw error("the build's command compiles for AMD's GPUs",
                    "give the command of the build for NVIDIA's, or nvcc's flags after --");
    if (compiler.kind == compiler_kind::none && has_flags_of_its_own(first))
        throw error("the build's command runs " + escape_for_terminal(std::string(first)) +
                        ", whose flags launchbox does not know",
                    "give nvcc's flags after --, as in -- -I FOLDER -DNAME=VALUE");
    // Another command may follow: `nvcc ... && nvcc -M ...`.
    const auto begin = command.begin() + static_cast<std::ptrdiff_t>(compiler.place) + 1;
    const auto end = std::find_if(begin, command.end(), [](const std::string& word) {
        return word == "&&" || word == "||" || word == ";" || word == "|";
    });
    const std::vector<std::string> words(begin, end);
    if (compiler.kind == compiler_kind::clang) return from_clang(words);
    return compiler.kind == compiler_kind::nvcc_wrapper ? from_nvcc_wrapper(words) : words;
}

}  // namespace launchbox
