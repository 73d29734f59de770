// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "cli/messages.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/run/warm_start.hpp"
#include "tune/store/result_filter.hpp"
#include "tune/t1/t1_spec.hpp"

namespace launchbox::cli {

namespace fs = std::filesystem;

namespace {

// From the folder where the spec is to be, to that of the T1 file.
std::string way_to(const std::string& t1_file, const std::string& spec)
{
    if (spec.empty() || spec == "-" || t1_file == "-") return {};
    const fs::path from = fs::absolute(spec).lexically_normal().parent_path();
    const fs::path to = fs::absolute(t1_file).lexically_normal().parent_path();
    const std::string way = to.lexically_relative(from).string();
    return way == "." ? std::string() : way + "/";
}

// As the spec's own values are: a number where it is one ("1e8" is 100000000), unless the spec has words there.
parameter_value value_like(const parameter_value& example, const std::string& text)
{
    if (std::holds_alternative<std::string>(example)) return text;
    if (text == "true" || text == "false") return text == "true";
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        throw error("--workload: '" + text + "' is no number, and the spec has numbers there",
                    "write --workload n=1e8");
    if (number == std::floor(number) && std::fabs(number) < 9e15) return static_cast<std::int64_t>(number);
    return number;
}

// A value that the spec has chooses among its workloads; another one takes the place of its values.
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

// Candidates of other records that are tried first: enough that the best here is likely to be near one of them, few
// enough that a record that does not fit costs little.
constexpr std::size_t max_warm_candidates = 12;

bool is_header(const std::string& file)
{
    return has_ending(file, ".hpp") || has_ending(file, ".cuh") || has_ending(file, ".h") || has_ending(file, ".hxx");
}

}  // namespace

std::optional<tune_spec> read_spec(const std::string& file, const output_file& write_spec)
{
    const std::string text = utf8_text(read_input(file, std::size_t{1} << 20));
    if (!looks_like_json(text)) {
        if (!write_spec.path.empty())
            throw error(file + " is a spec already: --write-spec makes one of a T1 problem", "leave --write-spec out");
        return parse_tune_spec(file, text);
    }
    const t1_translation made = translate_t1(file, text, way_to(file, write_spec.path));
    for (const t1_note& note : made.notes) say(shown(file + ": " + note.place + ": " + note.what));
    if (!write_spec.path.empty()) {
        write_output(write_spec, [&](std::ostream& out) { out << made.spec; });
        return std::nullopt;
    }
    const std::string own_hint = "write the spec with --write-spec FILE.toml, complete it, and tune that";
    if (!made.has_kernel) throw error(file + " has no kernel that launchbox can compile", own_hint);
    try {
        return parse_tune_spec(file, made.spec);
    } catch (const error& failure) {
        throw error("of the spec that was made of " + std::string(failure.what()), own_hint);
    }
}

void choose_workloads(tune_spec& spec, const std::vector<std::string>& texts)
{
    std::vector<std::string> known;
    for (const auto& [item, value] : spec.workloads.front().values.values) known.push_back(item);
    for (const auto& [name, values] : parse_value_filter(texts, "--workload").wanted) {
        if (std::ranges::find(known, name) == known.end())
            throw error(
                "--workload " + name + "=" + values.front() + ": the spec's workloads have no value of that name",
                known.empty()
                    ? "they have none"
                    : fmt::format("they have: {}; write --workload {}=VALUE", fmt::join(known, ", "), known.back()));
        choose_values(spec, name, values);
    }
}

std::vector<assignment> warm_candidates(const tune_spec& spec, const std::vector<std::string>& files)
{
    std::vector<assignment> candidates;
    for (const std::string& text : files) {
        std::vector<assignment> best;
        if (is_header(text)) {
            best = rows_in_header(utf8_text(read_input(text)), text, spec.parameters);
            if (best.empty())
                throw error("--warm-start " + text + ": no row there has values of this spec",
                            "its values have to be the parameters, in their order; or leave it out");
        } else {
            const result_file file = read_result_file(text);
            for (const std::string& diagnostic : file.diagnostics) say(diagnostic);
            best = best_of(file, max_warm_candidates);
            if (best.empty()) throw error("--warm-start " + text + ": no candidate was measured there", "leave it out");
        }
        candidates.insert(candidates.end(), best.begin(), best.end());
    }
    return candidates;
}

std::vector<std::size_t> warm_start_in(const tune_spec& spec, const search_space& space,
                                       const std::vector<assignment>& candidates)
{
    std::vector<std::string> names;
    for (const tuning_parameter& parameter : spec.parameters) names.push_back(parameter.name);
    std::vector<std::size_t> found = found_in(space, names, candidates);
    if (!candidates.empty())
        say(fmt::format("warm start: {} of the {} best elsewhere are candidates here{}", found.size(),
                        candidates.size(), found.empty() ? "; it changes nothing" : ""));
    return found;
}

}  // namespace launchbox::cli
