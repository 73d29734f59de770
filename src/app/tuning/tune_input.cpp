// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/tune_input.hpp"

#include <fmt/format.h>

#include <glob.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "capture/folder/captured_launch.hpp"
#include "compiler/run/nvcc_run.hpp"
#include "image/names/demangle.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/backend/captured_module.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/run/warm_start.hpp"
#include "tune/spec/cub_files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// Converts to the type of the spec's own values: a number ("1e8" is 100000000), unless the spec has words there.
parameter_value value_like(const parameter_value& example, const std::string& text)
{
    if (std::holds_alternative<std::string>(example)) return text;
    if (text == "true" || text == "false") return text == "true";
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        throw error("--workload: '" + text + "' is not a number, but the spec has numbers there",
                    "write --workload n=1e8");
    if (number == std::floor(number) && std::fabs(number) < 9e15) return static_cast<std::int64_t>(number);
    return number;
}

// A value from the spec selects its workloads; any other value replaces that of each workload.
void choose_values(tune_spec& spec, const std::string& name, const std::vector<std::string>& values)
{
    std::vector<workload> chosen;
    const auto add = [&](const workload& other) {
        if (std::ranges::none_of(chosen, [&](const workload& w) { return w.values == other.values; }))
            chosen.push_back(other);
    };
    for (const std::string& wanted : values) {
        const auto has_it = [&](const workload& other) {
            const parameter_value* value = other.values.find(name);
            return *value == value_like(*value, wanted);
        };
        const bool known_value = std::ranges::any_of(spec.workloads, has_it);
        for (const workload& known : spec.workloads) {
            if (known_value && !has_it(known)) continue;
            workload changed = known;
            for (auto& [other, value] : changed.values.values)
                if (other == name) value = value_like(value, wanted);
            add(changed);
        }
    }
    spec.workloads = std::move(chosen);
}

// The most candidates of other records to try first: enough that one is likely near the best here, and few enough that
// an unrelated record costs little.
constexpr std::size_t max_warm_candidates = 12;

// The files of the spec are in a folder while this process runs. Results depend on their content, not on their place.
tune_spec read_cub_spec(const std::string& file)
{
    const std::string algorithm = cub_algorithm(std::string_view(file).substr(4), file);
    static const temporary_directory folder;
    for (const cub_file& one : cub_files()) {
        const fs::path path = folder.path() / one.name;
        fs::create_directories(path.parent_path());
        write_file_atomically(path, one.text);
    }
    const std::string spec_file = (folder.path() / (algorithm + ".toml")).string();
    tune_spec spec = parse_tune_spec(spec_file, std::string(cub_file_named(algorithm + ".toml")));
    spec.file = file;
    return spec;
}

// Regular files, sorted by name. The name of an existing file means that file, even if it contains wildcards.
std::vector<fs::path> files_of_pattern(const std::string& pattern, const std::string& option)
{
    std::error_code unknown;
    if (fs::is_regular_file(pattern, unknown)) return {pattern};
    glob_t found{};
    const int status = ::glob(pattern.c_str(), GLOB_NOMAGIC, nullptr, &found);
    std::vector<fs::path> files;
    for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i) {
        std::error_code failure;
        if (fs::is_regular_file(found.gl_pathv[i], failure)) files.emplace_back(found.gl_pathv[i]);
    }
    ::globfree(&found);
    if (files.empty())
        throw error(option + ": there is no file " + pattern, "name files, or a pattern such as '*.acf'");
    return files;
}

bool is_header(const std::string& file)
{
    return has_ending(file, ".hpp") || has_ending(file, ".cuh") || has_ending(file, ".h") || has_ending(file, ".hxx");
}

}  // namespace

tune_spec read_spec(const std::string& file)
{
    if (file.starts_with("cub:")) return read_cub_spec(file);
    return parse_tune_spec(file, utf8_text(read_input(file, std::size_t{1} << 20)));
}

void take_source(tune_spec& spec, const std::string& source)
{
    if (!spec.kernel || spec.kernel->capture.empty())
        throw error("--source " + source + ": " + spec.file + " has no captured launch",
                    "write source into its [kernel]");
    if (!fs::is_regular_file(source)) throw error("there is no file " + source, "name the file that has the kernel");
    spec.kernel->source = fs::absolute(source).lexically_normal().string();
    if (!spec.kernel->name.empty()) return;
    const std::string kernel = read_capture(capture_files(spec).front()).kernel;
    spec.kernel->name = is_ptx_source(source) ? kernel : short_name(demangle(kernel));
}

void choose_workloads(tune_spec& spec, const value_filter& wanted)
{
    std::vector<std::string> known;
    for (const auto& [item, value] : spec.workloads.front().values.values) known.push_back(item);
    for (const auto& [name, values] : wanted.wanted) {
        if (std::ranges::find(known, name) == known.end())
            throw error(
                "--workload " + name + "=" + values.front() + ": the spec's workloads have no value of that name",
                known.empty()
                    ? "they have none"
                    : fmt::format("they have: {}; write --workload {}=VALUE", fmt::join(known, ", "), known.back()));
        choose_values(spec, name, values);
    }
}

void add_controls(tune_spec& spec, const std::vector<std::string>& patterns)
{
    if (patterns.empty()) return;
    const std::string name = "controls", flag = "-Xptxas=--apply-controls={controls}";
    if (!spec.kernel || spec.kernel->source.empty())
        throw error("--controls: " + spec.file + " has no [kernel] with a source, so nothing is compiled",
                    "give " + name + " as a parameter, with the names of the files, and {" + name +
                        "} to the command that compiles");
    const auto is_taken = [&](const auto& named) { return named.name == name; };
    if (std::ranges::any_of(spec.parameters, is_taken) || spec.workloads.front().values.find(name) != nullptr)
        throw error("--controls: " + spec.file + " has something named " + name + " already",
                    "list the files as its values, and leave out --controls");
    tuning_parameter controls{.name = name, .values = {std::string()}};
    for (const std::string& pattern : patterns)
        for (const fs::path& file : files_of_pattern(pattern, "--controls")) {
            // The name by which a compiler finds it in the folder of the spec.
            const fs::path inside = fs::absolute(file).lexically_normal().lexically_relative(spec.folder);
            const bool is_inside = !inside.empty() && *inside.begin() != "..";
            const parameter_value value = is_inside ? inside.string() : fs::absolute(file).lexically_normal().string();
            if (std::ranges::find(controls.values, value) == controls.values.end()) controls.values.push_back(value);
        }
    spec.parameters.push_back(std::move(controls));
    spec.kernel->flags.push_back(flag);
    if (spec.baseline) spec.baseline->values.emplace_back(name, std::string());
}

std::vector<assignment> warm_candidates(const tune_spec& spec, const std::vector<std::string>& files,
                                        const listener& news)
{
    std::vector<assignment> candidates;
    for (const std::string& text : files) {
        std::vector<assignment> best;
        if (is_header(text)) {
            best = rows_in_header(utf8_text(read_input(text)), text, spec.parameters);
            if (best.empty())
                throw error("--warm-start " + text + ": no row has values of this spec",
                            "its values have to be the parameters, in their order; or leave it out");
        } else {
            const result_file file = read_result_file(text);
            for (const std::string& diagnostic : file.diagnostics) news.say(diagnostic);
            best = best_of(file, max_warm_candidates);
            if (best.empty())
                throw error("--warm-start " + text + ": it contains no measured candidate", "leave it out");
        }
        candidates.insert(candidates.end(), best.begin(), best.end());
    }
    return candidates;
}

std::vector<std::size_t> warm_start_in(const tune_spec& spec, const search_space& space,
                                       const std::vector<assignment>& candidates, const listener& news)
{
    std::vector<std::string> names;
    for (const tuning_parameter& parameter : spec.parameters) names.push_back(parameter.name);
    std::vector<std::size_t> found = found_in(space, names, candidates);
    if (!candidates.empty())
        news.say(fmt::format("warm start: {} of the {} best elsewhere are candidates here{}", found.size(),
                             candidates.size(), found.empty() ? "; it has no effect" : ""));
    return found;
}

}  // namespace launchbox
