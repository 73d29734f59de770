// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/emit_check.hpp"

#include <fmt/format.h>

#include <map>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/emit_tables.hpp"

namespace launchbox {

namespace {

// A header comes from anywhere: what it names is opened only below the root, links followed.
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
        const std::string record = row.comments.empty() ? "" : row.comments.back();
        const std::size_t space = record.rfind(' ');
        if (!record.starts_with("// record: ") || space < 11 || space + 1 == record.size())
            return fmt::format("there is neither '{}' nor a '// record:' above it", unmeasured_row);
        const std::string path = record.substr(11, space - 11), hash = record.substr(space + 1);
        if (!is_below(wishes_.root / path, wishes_.root))
            return path + " is not below " + wishes_.root.string() + ", and no other file is read (--root)";
        if (!std::filesystem::is_regular_file(wishes_.root / path)) return path + " is not there";
        ++into.rows;
        const emit_record* found = nullptr;
        for (const emit_record& run : runs_of(path)) {
            if (run.hash != hash)
                return fmt::format("{} is not the record that it names: {} instead of {}", path, run.hash, hash);
            if (run.run.info.environment.architecture == architecture_name(row.architecture).view()) found = &run;
        }
        if (found == nullptr) return path + " has no run on " + std::string(architecture_name(row.architecture).view());
        return difference(*found, table, row);
    }

private:
    const std::vector<emit_record>& runs_of(const std::string& path)
    {
        const auto known = runs_.find(path);
        if (known != runs_.end()) return known->second;
        const emit_records read = read_emit_records({path}, wishes_.root);
        return runs_[path] = chosen_runs(read, {.name = wishes_.name, .gpu = {}, .workload = wishes_.workload}).all;
    }

    std::string difference(const emit_record& record, const header_table& table, const header_row& row) const
    {
        split_names names = find_split_names({&record.run}, wishes_.names, split_kind::none);
        if (names.type.empty() && table.text.find(" bytes") != std::string::npos)
            names.type = find_split_names({&record.run}, wishes_.names, split_kind::type).type;
        const header_row again = row_again(record, table, row, names, true);
        if (again.values != row.values)
            return fmt::format("{} says {}, not {}", record.path, row_text(again.values), row_text(row.values));
        for (std::size_t i = 0; i < std::max(again.comments.size(), row.comments.size()); ++i) {
            const std::string was = i < row.comments.size() ? row.comments[i] : "";
            const std::string wanted = i < again.comments.size() ? again.comments[i] : "";
            if (was != wanted) return fmt::format("'{}' instead of '{}'", was, wanted);
        }
        return {};
    }

    const header_check_options& wishes_;
    std::map<std::string, std::vector<emit_record>> runs_;
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
                found.differences.push_back(fmt::format("{}:{}: {} of {}: {}", name, row.line,
                                                        architecture_name(row.architecture).view(), table.name,
                                                        difference));
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
