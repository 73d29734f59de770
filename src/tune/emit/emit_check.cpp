// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/emit_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/emit_tables.hpp"
#include "tune/emit/fleet_tables.hpp"
#include "tune/emit/predicted_rows.hpp"
#include "tune/emit/row_comments.hpp"

namespace launchbox {

namespace {

// A header comes from anywhere, so files that it names are opened only below the root, after following links.
bool is_below(const std::filesystem::path& file, const std::filesystem::path& root)
{
    std::error_code failed;
    const std::filesystem::path inside = std::filesystem::weakly_canonical(file, failed)
                                             .lexically_relative(std::filesystem::weakly_canonical(root, failed));
    return !failed && !inside.empty() && *inside.begin() != "..";
}

class row_checker {
public:
    explicit row_checker(const header_check_options& wishes) : wishes_(wishes) {}

    std::string difference_of(const header_table& table, const header_row& row, header_check& into)
    {
        if (is_unmeasured(row)) return {};
        if (is_predicted(row)) return difference_from_prediction(table, row, into);
        if (within_of(table)) return difference_for_several(table, row, into);
        const std::vector<std::string> named = records_of(row);
        if (named.size() != 1 || row.comments.back() != "// record: " + named.front()) return no_record();
        std::string path;
        if (std::string why = refusal_of(named.front(), path); !why.empty()) return why;
        ++into.rows;
        const emit_record* found = nullptr;
        for (const emit_record& run : runs_of(path))
            if (run.run.info.environment.architecture == architecture_name(row.architecture).view()) found = &run;
        if (found == nullptr) return path + " has no run on " + std::string(architecture_name(row.architecture).view());
        const header_gpu gpu = gpu_of(*found, asks_for_bandwidth(table));
        if (!table.measured.empty() && std::ranges::find(table.measured, gpu) == table.measured.end())
            return fmt::format("'measured' does not have {} as {} says", gpu.name, path);
        return difference(*found, table, row);
    }

private:
    // Among the records that the row names, one per GPU.
    std::string difference_from_prediction(const header_table& table, const header_row& row, header_check& into)
    {
        std::vector<emit_record> records;
        for (const std::string& named : records_of(row)) {
            std::string path;
            if (std::string why = refusal_of(named, path); !why.empty()) return why;
            const std::vector<emit_record>& runs = runs_of(path);
            records.insert(records.end(), runs.begin(), runs.end());
        }
        if (records.empty()) return no_record();
        ++into.rows;
        std::vector<const recorded_run*> runs;
        for (const emit_record& record : records) runs.push_back(&record.run);
        return prediction_difference(records, table, row, names_for(runs, table));
    }

    static std::string no_record()
    {
        return fmt::format("there is neither '{}' nor a '// record:' above it", unmeasured_row);
    }

    // What is wrong with a record, "PATH HASH"; empty if it is valid.
    std::string refusal_of(const std::string& named, std::string& path)
    {
        const std::size_t space = named.rfind(' ');
        if (space == std::string::npos || space + 1 == named.size()) return no_record();
        path = named.substr(0, space);
        const std::string hash = named.substr(space + 1);
        if (!is_below(wishes_.root / path, wishes_.root))
            return path + " is not below " + wishes_.root.string() + ", and no other file is read (--root)";
        if (!std::filesystem::is_regular_file(wishes_.root / path)) return path + " is not there";
        for (const emit_record& run : runs_of(path))
            if (run.hash != hash)
                return fmt::format("{} is not the record that it names: {} instead of {}", path, run.hash, hash);
        return {};
    }

    // The table generated again from all records that its rows name.
    const header_table& table_again(const header_table& table)
    {
        const auto known = again_.find(table.name);
        if (known != again_.end()) return known->second;
        std::vector<std::string> paths;
        for (const header_row& row : table.rows)
            for (const std::string& named : records_of(row)) {
                std::string path;
                if (const std::string why = refusal_of(named, path); !why.empty()) throw error(why);
                paths.push_back(path);
            }
        const emit_records chosen =
            chosen_runs(read_emit_records(paths, wishes_.root),
                        {.name = wishes_.name, .workload = wishes_.workload, .of_each_gpu = true});
        std::vector<const recorded_run*> runs;
        for (const emit_record& record : chosen.all) runs.push_back(&record.run);
        emit_settings settings{.box = table.name, .row_type = table.row_type, .allow_unverified = true};
        settings.names = names_for(runs, table);
        settings.fleet = within_of(table);
        const emitted_tables made = emit_tables(chosen.all, settings, {table});
        return again_[table.name] = made.tables.front().table;
    }

    std::string difference_for_several(const header_table& table, const header_row& row, header_check& into)
    {
        const header_table& again = table_again(table);
        ++into.rows;
        const auto found = std::ranges::find_if(again.rows, [&](const header_row& one) {
            return one.architecture == row.architecture && one.gpus == row.gpus;
        });
        if (found == again.rows.end()) return "the records give no such row";
        if (again.rows.size() != table.rows.size())
            return fmt::format("the records give {} rows, and the table has {}", again.rows.size(), table.rows.size());
        if (again.measured != table.measured) return "'measured' does not have the GPUs of the records";
        return difference(*found, row, "the records say");
    }

    const std::vector<emit_record>& runs_of(const std::string& path)
    {
        const auto known = runs_.find(path);
        if (known != runs_.end()) return known->second;
        const emit_records read = read_emit_records({path}, wishes_.root);
        return runs_[path] = chosen_runs(read, {.name = wishes_.name, .workload = wishes_.workload}).all;
    }

    split_names names_for(const std::vector<const recorded_run*>& runs, const header_table& table) const
    {
        split_names names = find_split_names(runs, wishes_.names, split_kind::none);
        if (names.type.empty() && table.text.find(" bytes") != std::string::npos)
            names.type = find_split_names(runs, wishes_.names, split_kind::type).type;
        return names;
    }

    std::string difference(const emit_record& record, const header_table& table, const header_row& row) const
    {
        return difference(row_again(record, table, row, names_for({&record.run}, table)), row, record.path + " says");
    }

    static std::string difference(const header_row& again, const header_row& row, const std::string& who)
    {
        if (again.values != row.values)
            return fmt::format("{} {}, not {}", who, row_text(again.values), row_text(row.values));
        for (std::size_t i = 0; i < std::max(again.comments.size(), row.comments.size()); ++i) {
            const std::string was = i < row.comments.size() ? row.comments[i] : "";
            const std::string wanted = i < again.comments.size() ? again.comments[i] : "";
            if (was != wanted) return fmt::format("'{}' instead of '{}'", was, wanted);
        }
        return {};
    }

    const header_check_options& wishes_;
    std::map<std::string, std::vector<emit_record>> runs_;
    std::map<std::string, header_table> again_;  // tables for several GPUs
};

}  // namespace

header_check check_header(std::string_view text, const std::string& name, const header_check_options& wishes)
{
    header_check found;
    row_checker checker(wishes);
    std::vector<header_table> tables = parse_tuning_header(text, name);
    if (!wishes.box.empty()) tables = tables_of_box(tables, wishes.box);
    if (tables.empty())
        throw error(name + ": no table" + (wishes.box.empty() ? "" : " " + escape_for_terminal(wishes.box)),
                    "name a header that launchbox emit wrote, and with --box a table that it has");
    for (const header_table& table : tables)
        for (const header_row& row : table.rows) {
            std::string difference;
            try {
                difference = checker.difference_of(table, row, found);
            } catch (const error& failed) {
                difference = failed.what();
            }
            if (!difference.empty())
                found.differences.push_back(
                    fmt::format("{}:{}: {} of {}: {}", name, row.line, place_text(row), table.name, difference));
        }
    return found;
}

std::string first_difference(std::string_view text, std::string_view wanted, const std::string& name)
{
    std::size_t line = 1;
    while (text != wanted) {
        const std::string_view was = text.substr(0, text.find('\n')), is = wanted.substr(0, wanted.find('\n'));
        if (was != is || was.size() == text.size() || is.size() == wanted.size())
            return fmt::format("{}:{}: '{}' instead of '{}'", name, line, was, is);
        text.remove_prefix(was.size() + 1);
        wanted.remove_prefix(is.size() + 1);
        ++line;
    }
    return {};
}

}  // namespace launchbox
