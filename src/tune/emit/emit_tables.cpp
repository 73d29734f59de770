// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/emit_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/fleet_tables.hpp"
#include "tune/emit/row_comments.hpp"

namespace launchbox {

namespace {

std::vector<std::string> values_in(std::string_view text)
{
    std::vector<std::string> values;
    text.remove_prefix(1);
    text.remove_suffix(1);
    for (;;) {
        const std::size_t next = text.find(", ");
        values.emplace_back(text.substr(0, next));
        if (next == std::string_view::npos) return values;
        text.remove_prefix(next + 2);
    }
}

const header_row* row_of(const header_table& table, const compute_capability& architecture)
{
    const auto own = std::ranges::find(table.rows, architecture, &header_row::architecture);
    return own == table.rows.end() ? nullptr : &*own;
}

// Replaces the row of its architecture, or inserts it in order.
void put_row(emitted_table& into, header_row row, const std::optional<assignment>& values)
{
    auto& rows = into.table.rows;
    const auto place = std::ranges::lower_bound(rows, rank_of(row), {}, rank_of);
    const auto at = into.values.begin() + (place - rows.begin());
    if (place != rows.end() && place->architecture == row.architecture) {
        *place = std::move(row);
        *at = values;
    } else {
        into.values.insert(at, values);
        rows.insert(place, std::move(row));
    }
}

class table_maker {
public:
    table_maker(const std::vector<emit_record>& records, const emit_settings& settings,
                const std::vector<row_field>& fields)
        : records_(records), settings_(settings), fields_(fields)
    {
    }

    void fill(emitted_table& into) const
    {
        into.values.resize(into.table.rows.size());
        // Predicted rows come first: an architecture that would inherit one is compared with it, and gets its own row
        // if that is faster.
        for (const prediction_wish& wish : settings_.predicted) add_predicted(into, wish);
        if (settings_.fleet)
            fill_for_fleet(records_, settings_, fields_, into);
        else if (within_of(into.table))
            throw error("table " + into.table.name + " has rows for several GPUs, written with --within",
                        "name the records of all of them with --within, or choose another header");
        else
            for (std::size_t i = 0; i < records_.size(); ++i) add_record(into, i);
        if (settings_.baseline_architecture) add_baseline(into);
    }

private:
    old_row to_replace(const emitted_table& table, const recorded_run& run, const compute_capability& code,
                       const emit_record& record) const
    {
        const std::string& type = table.table.row_type;
        const header_row* used = row_used_by(table.table, code);
        old_row old;
        if (used != nullptr) {
            // The row was emitted from this same record: repeat it, with what it replaced then.
            if (used->architecture == code && used->comments.back() == record.comment()) {
                old = replaced_by(*used);
                if (!old.text.empty()) old.measured = candidate_with(run, fields_, values_in(old.text), type);
                return old;
            }
            old = {row_text(used->values), "the row of " + std::string(architecture_name(used->architecture).view()),
                   candidate_with(run, fields_, used->values, type)};
            if (old.measured && is_measured(run, *old.measured)) return old;
        }
        if (run.info.baseline && (used == nullptr || is_measured(run, *run.info.baseline)))
            old = {row_text(row_values(fields_, *run.info.baseline, type)), "the baseline", run.info.baseline};
        return old;
    }

    void add_record(emitted_table& into, std::size_t number) const
    {
        const emit_record& record = records_[number];
        const recorded_run run =
            part_of(record.run, [&](const assignment& workload) { return into.part.holds(workload); });
        if (run.results.empty() && records_.size() > 1) return;  // measured on other architectures
        const auto code = parse_compute_capability(record.run.info.environment.architecture);
        const compute_capability architecture = code ? *code : compute_capability{};
        const old_row old = to_replace(into, run, architecture, record);
        emitted_row row{architecture, number, choose_row(run, old.measured), {}};
        if (!old.text.empty()) row.replaced = old.text + ", " + old.origin;
        refuse_unverified(record, row.choice, settings_.allow_unverified);
        header_row made{.architecture = architecture,
                        .values = row_values(fields_, row.choice.parameters, into.table.row_type),
                        .comments = row_comments(record, row.choice, gain_comment(record, row.choice, old))};
        const header_row* own = row_of(into.table, architecture);
        const bool again = own != nullptr && own->comments.back() == record.comment();
        // An unmeasured or predicted row is now measured, and its comments say so.
        const bool first_time = own != nullptr && (is_unmeasured(*own) || is_predicted(*own));
        const header_row* used = row_used_by(into.table, architecture);
        const bool is_used_row =
            used != nullptr && candidate_with(run, fields_, used->values, into.table.row_type) == row.choice.parameters;
        // An inherited row that was not measured here gives way to the baseline, which was.
        row.unchanged = row.choice.kept && !again && !first_time && used != nullptr && (own != nullptr || is_used_row);
        // If this GPU keeps a measured row, it was measured on this GPU, too.
        const bool is_measured_too = row.unchanged && is_used_row && !is_unmeasured(*used) && !is_predicted(*used);
        if (code && (!row.unchanged || is_measured_too))
            add_measured(gpu_of(record, asks_for_bandwidth(into.table)), row.unchanged, into.table);
        if (!row.unchanged) put_row(into, std::move(made), row.choice.parameters);
        into.rows.push_back(std::move(row));
    }

    // A new row of an architecture was measured on this GPU alone; a kept one also on its earlier GPUs.
    static void add_measured(header_gpu gpu, bool kept, header_table& into)
    {
        const auto is_this = [&](const header_gpu& one) {
            return one.name == gpu.name && one.architecture == gpu.architecture && one.sms == gpu.sms &&
                   one.memory_bytes == gpu.memory_bytes;
        };
        if (kept && std::ranges::any_of(into.measured, is_this)) return;
        if (!kept)
            std::erase_if(into.measured, [&](const header_gpu& one) { return one.architecture == gpu.architecture; });
        into.measured.push_back(std::move(gpu));
        std::ranges::stable_sort(into.measured, {}, &header_gpu::architecture);
    }

    void add_predicted(emitted_table& into, const prediction_wish& wish) const
    {
        const header_row* own = row_of(into.table, wish.architecture);
        if (own != nullptr && !is_predicted(*own) && !is_unmeasured(*own))
            throw error(fmt::format("table {} has a row for {} that was measured: it needs no predicted row",
                                    into.table.name, architecture_name(wish.architecture).view()),
                        "leave --predict out");
        prediction made = predict_row(records_, into.part, wish);
        if (!made.verified && !settings_.allow_unverified)
            throw error(fmt::format("the outputs of {}, predicted for {}, were not compared with a reference",
                                    escape_for_terminal(parameter_text(made.parameters)),
                                    architecture_name(wish.architecture).view()),
                        "add [verify] to the spec and tune again, or accept it with --allow-unverified");
        header_row row{.architecture = wish.architecture,
                       .values = row_values(fields_, made.parameters, into.table.row_type),
                       .comments = comments_of(made)};
        put_row(into, std::move(row), made.parameters);
        into.predicted.push_back(std::move(made));
    }

    void add_baseline(emitted_table& into) const
    {
        const recorded_run& run = records_.front().run;
        if (!run.info.baseline)
            throw error("--baseline-arch: the spec of '" + run.info.name + "' has no baseline", "leave it out");
        const auto& rows = into.table.rows;
        header_row made{.architecture = *settings_.baseline_architecture,
                        .values = row_values(fields_, *run.info.baseline, into.table.row_type),
                        .comments = {std::string(unmeasured_row)}};
        if (rows.empty() || rank_of(made) < rank_of(rows.front())) put_row(into, std::move(made), run.info.baseline);
    }

    const std::vector<emit_record>& records_;
    const emit_settings& settings_;
    const std::vector<row_field>& fields_;
};

// The alias that chooses among the parts by type, by size, or both.
std::string choice_text(const emitted_tables& emitted, const std::string& box)
{
    std::string by_size, entries;
    const auto& tables = emitted.tables;
    for (std::size_t i = 0; i < tables.size();) {
        const std::optional<int> bytes = tables[i].part.bytes;
        const std::string name = bytes ? fmt::format("{}_{}", box, *bytes) : box;
        std::string classes;
        std::size_t count = 0;
        for (; i < tables.size() && tables[i].part.bytes == bytes; ++i, ++count)
            classes += (count == 0 ? "" : ", ") +
                       (tables[i].part.upto
                            ? fmt::format("launchbox::upto<{}, {}>", *tables[i].part.upto, tables[i].table.name)
                            : fmt::format("launchbox::otherwise<{}>", tables[i].table.name));
        if (count > 1) by_size += fmt::format("using {} = launchbox::by_size<{}>;\n", name, classes);
        if (bytes) entries += fmt::format(",\n    launchbox::element_bytes<{}, 0, {}>", *bytes, name);
    }
    if (!entries.empty())
        by_size += fmt::format(
            "\ntemplate <class Key, class Value = void>\nusing {} = launchbox::by_type<Key, Value{}>;\n", box, entries);
    return by_size;
}

}  // namespace

emitted_tables emit_tables(const std::vector<emit_record>& records, const emit_settings& settings,
                           const std::vector<header_table>& existing)
{
    emitted_tables emitted;
    std::vector<const recorded_run*> runs;
    for (const emit_record& record : records) {
        if (record.run.results.empty())
            throw error(record.path + ": nothing was measured of '" + escape_for_terminal(record.run.info.name) + "'",
                        "run launchbox tune, or choose other workloads with --workload");
        runs.push_back(&record.run);
    }
    emitted.fields = row_fields(runs);
    if (settings.members) name_launch_box_members(emitted.fields, *settings.members);
    emitted.names = find_split_names(runs, settings.names, existing.empty() ? settings.split : split_kind::none);
    const table_maker maker(records, settings, emitted.fields);
    if (existing.empty()) {
        for (const table_part& part : find_parts(runs, emitted.names, settings.split)) {
            header_table table{.name = settings.box + part.suffix(),
                               .text = in_comment(records.front().run.info.name) + part.description(),
                               .row_type = settings.row_name()};
            table.macro = in_capitals(table.name) + "_ROW";
            emitted.tables.push_back({part, std::move(table), {}, {}});
        }
    } else {
        for (const header_table& table : existing)
            emitted.tables.push_back({part_of_text(table.text, emitted.names), table, {}, {}});
    }
    for (emitted_table& table : emitted.tables) {
        if (!table.table.rows.empty() && table.table.rows.front().values.size() != emitted.fields.size())
            throw error(fmt::format("table {} has rows of {} values, and the spec has {} parameters", table.table.name,
                                    table.table.rows.front().values.size(), emitted.fields.size()),
                        "the row's members are the spec's parameters, in their order");
        const header_table before = table.table;
        maker.fill(table);
        table.changed = table.table.rows != before.rows || table.table.measured != before.measured;
    }
    return emitted;
}

std::vector<header_table> tables_of_box(const std::vector<header_table>& all, const std::string& box)
{
    std::vector<header_table> found;
    for (const header_table& table : all) {
        if (table.name == box) return {table};
        std::string_view rest = table.name;
        if (rest.substr(0, box.size()) != box) continue;
        rest.remove_prefix(box.size());
        if (rest.starts_with("_upto_") || rest.starts_with("_above_") ||
            (rest.size() > 1 && rest[0] == '_' && rest[1] >= '0' && rest[1] <= '9'))
            found.push_back(table);
    }
    return found;
}

std::string new_header(const emitted_tables& emitted, const emit_settings& settings)
{
    std::string text =
        "// Rows of " + settings.box +
        ", kept by launchbox emit; its documentation, docs/tunings.md, says what the lines mean.\n#pragma once\n\n";
    const bool has_int64 = std::any_of(emitted.fields.begin(), emitted.fields.end(),
                                       [](const row_field& field) { return field.what == row_field::kind::int64; });
    if (has_int64 && settings.row_type.empty()) text += "#include <cstdint>\n\n";
    text += "#include <launchbox/launch_box.cuh>\n\n";
    if (settings.row_type.empty()) text += row_struct(emitted.fields, settings.row_name(), true) + "\n";
    text += "// clang-format off\n";
    for (const emitted_table& table : emitted.tables) text += "\n" + table_text(table.table);
    if (emitted.tables.size() > 1) text += "\n" + choice_text(emitted, settings.box);
    return text + "\n// clang-format on\n";
}

std::string updated_header(std::string text, const emitted_tables& emitted)
{
    // From the last to the first, so that line numbers of the earlier ones stay valid.
    for (std::size_t i = emitted.tables.size(); i-- > 0;)
        if (emitted.tables[i].changed) text = with_rows(text, emitted.tables[i].table);
    return text;
}

header_row row_again(const emit_record& record, const header_table& table, const header_row& row,
                     const split_names& names)
{
    const std::vector<row_field> fields = row_fields({&record.run});
    const table_part part = part_of_text(table.text, names);
    const recorded_run run = part_of(record.run, [&](const assignment& workload) { return part.holds(workload); });
    old_row old = replaced_by(row);
    if (!old.text.empty()) old.measured = candidate_with(run, fields, values_in(old.text), table.row_type);
    const row_choice choice = choose_row(run, old.measured);
    return {.architecture = row.architecture,
            .values = row_values(fields, choice.parameters, table.row_type),
            .comments = row_comments(record, choice, gain_comment(record, choice, old))};
}

}  // namespace launchbox
