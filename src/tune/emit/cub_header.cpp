// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/cub_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/row_comments.hpp"
#include "tune/spec/cub_files.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

constexpr const char* type_name = "type";
constexpr const char* own_tuning = "CUB's own tuning";

// "cub.scan" is the tunable of cub:scan.
std::string algorithm_of(const emit_record& record)
{
    const std::string& name = record.run.info.name;
    if (!name.starts_with("cub."))
        throw error(fmt::format("{}: '{}' is not an algorithm of CUB", record.path, escape_for_terminal(name)),
                    "--format cub takes results of launchbox tune cub:NAME, such as cub:scan");
    return cub_algorithm(name.substr(4), record.path + ": the tunable " + name);
}

// The words of a row are copied into source code unchanged, so only words of the spec are allowed.
void check_space(const emit_record& record, const std::string& algorithm)
{
    const std::string file = "cub:" + algorithm;
    const tune_spec spec = parse_tune_spec(file, std::string(cub_file_named(algorithm + ".toml")));
    const auto refuse = [&](const std::string& what) {
        throw error(
            fmt::format("{}: its space differs from that of {}: {}", record.path, file, escape_for_terminal(what)),
            "launchbox tune " + file + ", of this version, measures what --format cub writes");
    };
    for (const stored_result& result : record.run.results) {
        if (result.workload.find(type_name) == nullptr) refuse("without the type of the elements");
        if (result.measured.status != outcome::measured) continue;
        const auto& values = result.parameters.values;
        for (std::size_t i = 0; i < std::max(values.size(), spec.parameters.size()); ++i) {
            if (i >= values.size() || i >= spec.parameters.size() || values[i].first != spec.parameters[i].name)
                refuse(i < values.size() ? "the parameter " + values[i].first
                                         : "without the parameter " + spec.parameters[i].name);
            const std::vector<parameter_value>& known = spec.parameters[i].values;
            const parameter_value& value = values[i].second;
            const bool is_word = std::holds_alternative<std::string>(known.front());
            if (value.index() != known.front().index() || (is_word && std::ranges::find(known, value) == known.end()))
                refuse(values[i].first + " is " + parameter_text(value));
        }
    }
}

// The types that policies can have rows for, with their other names.
constexpr std::array<std::array<std::string_view, 2>, 22> number_types{{{"int8_t", "signed char"},
                                                                        {"int16_t", "short"},
                                                                        {"int32_t", "int"},
                                                                        {"int64_t", "long"},
                                                                        {"uint8_t", "unsigned char"},
                                                                        {"uint16_t", "unsigned short"},
                                                                        {"uint32_t", "unsigned int"},
                                                                        {"uint64_t", "unsigned long"},
                                                                        {"signed char", "signed char"},
                                                                        {"short", "short"},
                                                                        {"int", "int"},
                                                                        {"long", "long"},
                                                                        {"unsigned char", "unsigned char"},
                                                                        {"unsigned short", "unsigned short"},
                                                                        {"unsigned int", "unsigned int"},
                                                                        {"unsigned", "unsigned int"},
                                                                        {"unsigned long", "unsigned long"},
                                                                        {"char", "char"},
                                                                        {"long long", "long long"},
                                                                        {"unsigned long long", "unsigned long long"},
                                                                        {"float", "float"},
                                                                        {"double", "double"}}};

std::string_view type_behind(const emit_record& record, const std::string& type)
{
    std::vector<std::string_view> known;
    for (const auto& [name, behind] : number_types) {
        if (name == type) return behind;
        known.push_back(name);
    }
    throw error(fmt::format("{}: the policies have no rows for the type '{}'", record.path, escape_for_terminal(type)),
                fmt::format("--workload {}=... chooses others: {}", type_name, fmt::join(known, ", ")));
}

std::vector<std::string> types_of(const std::vector<emit_record>& records)
{
    std::vector<std::string> types;
    for (const emit_record& record : records)
        for (const stored_result& result : record.run.results) {
            const std::string type = parameter_text(*result.workload.find(type_name));
            if (std::ranges::find(types, type) != types.end()) continue;
            for (const std::string& other : types)
                if (type_behind(record, other) == type_behind(record, type))
                    throw error(fmt::format("{}: {} and {} are one type", record.path, other, type),
                                fmt::format("choose one with --workload {}={}", type_name, type));
            type_behind(record, type);
            types.push_back(type);
        }
    return types;
}

// All values but the first, which says whether there is a row.
std::vector<std::string> values_of(const assignment& candidate)
{
    std::vector<std::string> values;
    for (std::size_t i = 1; i < candidate.values.size(); ++i)
        values.push_back(parameter_text(candidate.values[i].second));
    return values;
}

void add_record(emitted_table& into, const std::vector<emit_record>& records, std::size_t number,
                const std::string& type, const emit_settings& settings)
{
    const emit_record& record = records[number];
    const recorded_run run = part_of(
        record.run, [&](const assignment& workload) { return parameter_text(*workload.find(type_name)) == type; });
    if (run.results.empty()) return;
    const compute_capability architecture = parse_compute_capability(run.info.environment.architecture).value();
    if (!into.rows.empty() && into.rows.back().architecture.number() == architecture.number())
        throw error(fmt::format("{} and {} are both of compute capability {}.{}", records[into.rows.back().record].path,
                                record.path, architecture.major, architecture.minor),
                    "emit from one of them");
    if (!run.info.baseline)
        throw error(record.path + ": there is no baseline to compare with", "launchbox tune cub:NAME has one");
    emitted_row row{architecture, number, choose_row(run, run.info.baseline), own_tuning};
    if (!row.choice.over)
        throw error(fmt::format("{}: {} was not measured for {}", record.path, own_tuning, type),
                    "run launchbox tune again: it measures the baseline first");
    refuse_unverified(record, row.choice, settings.allow_unverified);
    const std::string gain = row.choice.kept
                                 ? std::string("none, less than 1 % or noise: ") + own_tuning + " stays"
                                 : fmt::format("{:.3f} times as fast ({:.3f} to {:.3f}) as {}", row.choice.over->times,
                                               row.choice.over->low, row.choice.over->high, own_tuning);
    into.table.rows.push_back(
        {.architecture = architecture,
         .values = row.choice.kept ? std::vector<std::string>() : values_of(row.choice.parameters),
         .comments = row_comments(record, row.choice, gain)});
    into.values.emplace_back(row.choice.parameters);
    into.rows.push_back(std::move(row));
}

std::string rows_text(const header_table& table, const std::string& type)
{
    std::string list, code;
    for (const header_row& row : table.rows) {
        for (const std::string& comment : row.comments) code += "        " + comment + "\n";
        const int number = row.architecture.number();
        if (row.values.empty()) {
            code += fmt::format("        // no row of sm_{}\n", number);
            continue;
        }
        list += (list.empty() ? "" : ", ") + std::to_string(number);
        code += fmt::format("        if (architecture == {}) return {};\n", number, row_text(row.values));
    }
    return fmt::format(
        "\ntemplate <>\nstruct rows<{}> {{\n    using architectures = architecture_list<{}>;\n"
        "    __host__ __device__ static constexpr row at([[maybe_unused]] int architecture)\n    {{\n"
        "        using namespace cub;\n{}        return {{}};\n    }}\n}};\n",
        type, list, code);
}

// Without the leading comment, which describes the file.
std::string_view code_of(std::string_view text)
{
    return text.substr(text.find("\n#include") + 1);
}

}  // namespace

emitted_tables cub_tables(const std::vector<emit_record>& records, const emit_settings& settings)
{
    const std::string algorithm = algorithm_of(records.front());
    for (const emit_record& record : records) check_space(record, algorithm);
    emitted_tables emitted;
    for (const std::string& type : types_of(records)) {
        emitted_table& table = emitted.tables.emplace_back();
        table.part.type = type;
        table.table.name = settings.box + "::selector<" + type + ">";
        table.table.text = "cub:" + algorithm;
        for (std::size_t i = 0; i < records.size(); ++i) add_record(table, records, i, type, settings);
    }
    if (emitted.tables.empty())
        throw error(records.front().path + ": nothing was measured", "run launchbox tune, or choose other workloads");
    return emitted;
}

std::string cub_header(const emitted_tables& emitted, const std::vector<emit_record>& records,
                       const emit_settings& settings)
{
    const std::string algorithm = algorithm_of(records.front());
    const std::string_view use = cub_file_named(algorithm + ".cuh");
    std::string text(use.substr(0, use.find("\n#include") + 1));
    text +=
        "//\n// Written by launchbox emit --format cub, whose documentation, docs/emit.md, says more. C++17.\n#pragma "
        "once\n\n";
    text += code_of(cub_file_named("policy.cuh"));
    text += "\n";
    text += code_of(use);
    text +=
        "\n// clang-format off\nnamespace cub_tuning {\n\nusing std::int8_t, std::int16_t, std::int32_t, std::int64_t, "
        "std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t;\n";
    for (const emitted_table& table : emitted.tables) text += rows_text(table.table, table.part.type);
    text += "\n}  // namespace cub_tuning\n// clang-format on\n";
    constexpr std::string_view ours = "cub_tuning";
    for (std::size_t at = 0; (at = text.find(ours, at)) != std::string::npos; at += settings.box.size())
        text.replace(at, ours.size(), settings.box);
    return text;
}

}  // namespace launchbox
