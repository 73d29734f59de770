// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/program_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "compiler/run/named_files.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr double longest_listing_seconds = 60;

std::map<std::string, std::string> usual_values(const tune_spec& spec, const std::string& architecture,
                                                const std::string& output)
{
    std::map<std::string, std::string> values{{"output", output}, {"arch", architecture}, {"name", spec.name}};
    for (const tuning_parameter& parameter : spec.parameters)
        values[parameter.name] = parameter_text(parameter.values.front());
    if (spec.baseline)
        for (const auto& [name, value] : spec.baseline->values) values[name] = parameter_text(value);
    for (const auto& [name, value] : spec.workloads.front().values.values) values[name] = parameter_text(value);
    return values;
}

// ccache and similar tools run the compiler named after them.
bool runs_what_follows(std::string_view program)
{
    const std::string name = fs::path(program).filename().string();
    return name == "ccache" || name == "sccache" || name == "distcc";
}

std::size_t place_of_compiler(const std::vector<std::string>& build)
{
    return build.size() > 1 && runs_what_follows(build.front()) ? 1 : 0;
}

bool is_of_system(const fs::path& file, const fs::path& compiler)
{
    const std::string text = file.string();
    for (const char* folder : {"/usr/include/", "/usr/lib/"})
        if (text.starts_with(folder)) return true;
    // A toolkit has bin/nvcc, and its headers in include or targets.
    std::error_code unknown;
    const fs::path top = fs::weakly_canonical(compiler, unknown).parent_path().parent_path();
    return top.has_relative_path() && text.starts_with(top.string() + "/") && compiler.filename() == "nvcc";
}

// "3.0.1" of `#define CUB_VERSION 300001`.
std::string cub_in(const std::string& rule, const fs::path& folder)
{
    for (const std::string& name : prerequisites_in(rule)) {
        std::error_code unknown;
        if (!name.ends_with("cub/version.cuh") || !fs::is_regular_file(folder / name, unknown)) continue;
        const std::string text = read_file(folder / name);
        constexpr std::string_view before = "#define CUB_VERSION ";
        const std::size_t at = text.find(before);
        int number = 0;
        if (at != std::string::npos)
            std::from_chars(text.data() + at + before.size(), text.data() + text.size(), number);
        if (number <= 0) return {};
        return fmt::format("{}.{}.{}", number / 100000, number / 100 % 1000, number % 100);
    }
    return {};
}

// Only the words with options. The others are sources, or are hashed as they are, since the compiler does not read
// files that they name.
std::vector<std::string> option_words(const std::vector<std::string>& command)
{
    std::vector<std::string> words;
    for (std::size_t i = 1; i < command.size(); ++i) {
        const std::string& before = command[i - 1];
        if (command[i].starts_with('-') || command[i].starts_with('@') || before == "-optf" ||
            before == "--options-file" || before.starts_with("-X"))
            words.push_back(command[i]);
    }
    return words;
}

}  // namespace

std::vector<std::string> flags_of_environment(const tune_spec& spec)
{
    std::vector<std::string> flags;
    if (!spec.program || spec.program->build.empty()) return flags;
    for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
            for (std::string& word : words_in(value)) flags.push_back(std::move(word));
    return flags;
}

bool is_compiler(std::string_view program)
{
    std::string name = fs::path(program).filename().string();
    // "-12", "-12.3"
    const std::size_t end = name.find_last_not_of("0123456789.");
    if (end != std::string::npos && name[end] == '-' && end + 1 < name.size()) name.erase(end);
    // "x86_64-linux-gnu-"
    name.erase(0, name.rfind('-') == std::string::npos ? 0 : name.rfind('-') + 1);
    constexpr std::array<std::string_view, 7> names{"nvcc", "gcc", "g++", "cc", "c++", "clang", "clang++"};
    return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> prerequisites_in(std::string_view rule)
{
    std::vector<std::string> words(1);
    bool is_behind_colon = false;
    for (std::size_t i = 0; i < rule.size(); ++i) {
        const char c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\0';
        if (c == '\\' && (next == '\n' || next == '\r')) continue;
        if ((c == '\\' && (next == ' ' || next == '#' || next == '\\')) || (c == '$' && next == '$')) {
            words.back() += next;
            ++i;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            if (!words.back().empty()) words.emplace_back();
        } else if (c == ':' && !is_behind_colon && (next == ' ' || next == '\n' || next == '\t' || next == '\0')) {
            is_behind_colon = true;
            words.assign(1, "");
        } else {
            words.back() += c;
        }
    }
    if (words.back().empty()) words.pop_back();
    return is_behind_colon ? words : std::vector<std::string>();
}

std::vector<std::string> listing_options(const std::vector<std::string>& build, const fs::path& list)
{
    if (build.empty() || !is_compiler(build[place_of_compiler(build)])) return {};
    const auto is_source = [](const std::string& word) {
        constexpr std::array<std::string_view, 7> endings{".cu", ".c", ".cc", ".cpp", ".cxx", ".C", ".c++"};
        return !word.starts_with('-') && std::ranges::find(endings, fs::path(word).extension()) != endings.end();
    };
    // With several sources, the list would only describe the last.
    if (std::ranges::count_if(build, is_source) != 1) return {};
    constexpr std::array<std::string_view, 4> others{"-M", "--generate-dep", "--dependency", "-E"};
    for (const std::string& word : build)
        if (std::ranges::any_of(others, [&](std::string_view other) { return word.starts_with(other); })) return {};
    return {"-MD", "-MF", list.string()};
}

std::vector<fs::path> files_in_list(const std::string& rule, const fs::path& folder,
                                    const std::vector<std::string>& build)
{
    const fs::path program = build[place_of_compiler(build)];
    const fs::path compiler = program.has_parent_path() ? folder / program : find_in_path(program);
    std::vector<fs::path> files;
    for (const std::string& name : prerequisites_in(rule)) {
        std::error_code unknown;
        const fs::path file = folder / name;
        if (fs::is_regular_file(file, unknown) && !is_of_system(fs::weakly_canonical(file, unknown), compiler))
            files.push_back(file.lexically_normal());
    }
    return files;
}

std::vector<fs::path> files_of_build(const tune_spec& spec, const std::string& architecture, std::string* cub)
{
    if (!spec.program || spec.program->build.empty()) return {};
    const std::vector<std::string>& build = spec.program->build;
    const std::size_t first = place_of_compiler(build);
    if (!is_compiler(build[first])) return {};
    const temporary_directory folder;
    const fs::path list = folder.path() / "files", program = folder.path() / "program";
    const std::vector<std::string> words(build.begin() + static_cast<std::ptrdiff_t>(first), build.end());
    std::map<std::string, std::string> values = usual_values(spec, architecture, program.string());
    std::vector<std::string> command = filled_options(words, values);
    std::vector<std::string> options = option_words(command);
    for (std::string& flag : flags_of_environment(spec)) options.push_back(std::move(flag));
    // A value may be a file name: the files of all values count.
    for (const tuning_parameter& parameter : spec.parameters) {
        if (!mentions(words, parameter.name)) continue;
        const std::string usual = values[parameter.name];
        for (const parameter_value& value : parameter.values) {
            values[parameter.name] = parameter_text(value);
            for (std::string& word : option_words(filled_options(words, values))) options.push_back(std::move(word));
        }
        values[parameter.name] = usual;
    }
    const std::vector<fs::path> named = named_files(options, spec.folder);
    command.insert(command.end(), {"-M", "-MF", list.string()});
    std::string rule;
    try {
        const subprocess_result ran = run(command, {.directory = spec.folder,
                                                    .environment = {"TMPDIR=" + folder.path().string()},
                                                    .output_cap = 1 << 20,
                                                    .time_limit = longest_listing_seconds});
        std::error_code unknown;
        if (ran.exit_code != 0) return {};  // the build reports why
        // nvcc writes the list to the -o file, whatever -MF says.
        rule = read_file(fs::is_regular_file(list, unknown) ? list : program);
    } catch (const machine_error&) {
        throw;
    } catch (const error&) {
        return {};
    }
    if (cub != nullptr) *cub = cub_in(rule, spec.folder);
    std::set<fs::path> files;
    for (const fs::path& file : named) files.insert(file.lexically_normal());
    for (fs::path& file : files_in_list(rule, spec.folder, command)) files.insert(std::move(file));
    return {files.begin(), files.end()};
}

}  // namespace launchbox
