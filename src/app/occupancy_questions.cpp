// SPDX-License-Identifier: Apache-2.0
#include "app/occupancy_questions.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>

#include "advice/model/launch_words.hpp"
#include "app/sizes.hpp"
#include "support/error.hpp"
#include "support/text/csv_reader.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using text_map = std::map<std::string, target, std::less<>>;

// One line while it is being read.
struct question_line {
    occupancy_request request;
    target where;
    text_map* targets = nullptr;                                               // named so far
    std::map<std::string, dynamic_shared_size, std::less<>>* sizes = nullptr;  // expressions read so far
};

int whole_number(std::string_view cell, number_range range)
{
    int number = 0;
    const char* const end = cell.data() + cell.size();
    const auto [stopped, failure] = std::from_chars(cell.data(), end, number);
    if (failure != std::errc() || stopped != end || number < range.least || number > range.most)
        throw error("'" + escape_for_terminal(std::string(cell)) + "' is not a whole number from " +
                        std::to_string(range.least) + " to " + std::to_string(range.most),
                    "write it in digits, or leave the cell empty where it is not known");
    return number;
}

std::string one_word(std::string_view cell, const std::vector<std::string>& words)
{
    std::string word(cell);
    if (std::ranges::find(words, word) != words.end()) return word;
    std::string known;
    for (std::size_t i = 0; i < words.size(); ++i)
        known += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    throw error("'" + escape_for_terminal(word) + "' is not " + known, "write one of these");
}

const target& target_named(question_line& line, std::string_view cell)
{
    auto known = line.targets->find(cell);
    if (known == line.targets->end()) {
        const std::string text(cell);
        known = line.targets->emplace(text, single_architecture(text, "a cell")).first;
    }
    return known->second;
}

// A plain number needs no expression, and there may be a million different ones.
void set_dynamic_shared(question_line& line, std::string_view cell)
{
    constexpr std::size_t max_kept = 10'000;
    auto known = line.sizes->find(cell);
    if (known == line.sizes->end()) {
        if (line.sizes->size() == max_kept) line.sizes->clear();
        known = line.sizes->emplace(std::string(cell), dynamic_shared_size(std::string(cell))).first;
    }
    line.request.launch.dynamic_shared = known->second;
}

void set_max_dynamic_shared(question_line& line, std::string_view cell)
{
    line.request.launch.max_dynamic_shared = dynamic_shared_limit::named(std::string(cell), "max-dynamic-shared");
}

// The list of columns.
struct question_column {
    const char* name;
    bool (*is_given)(const occupancy_request& common);  // on the command line
    void (*set)(question_line& line, std::string_view cell);
};

constexpr question_column columns[] = {
    {"arch", [](const occupancy_request& r) { return !r.architectures.empty(); },
     [](question_line& line, std::string_view cell) { line.where = target_named(line, cell); }},
    {"threads", [](const occupancy_request& r) { return r.threads.has_value(); },
     [](question_line& line, std::string_view cell) {
         line.request.threads = whole_number(cell, launch_ranges::threads);
     }},
    {"registers", [](const occupancy_request& r) { return r.launch.registers.has_value(); },
     [](question_line& line, std::string_view cell) {
         line.request.launch.registers = whole_number(cell, launch_ranges::registers);
     }},
    {"shared", [](const occupancy_request& r) { return r.launch.static_shared_bytes.has_value(); },
     [](question_line& line, std::string_view cell) {
         line.request.launch.static_shared_bytes = parse_bytes(std::string(cell), "shared");
     }},
    {"dynamic-shared", [](const occupancy_request& r) { return r.launch.dynamic_shared.has_value(); },
     set_dynamic_shared},
    {"barriers", [](const occupancy_request& r) { return r.launch.barriers.has_value(); },
     [](question_line& line, std::string_view cell) {
         line.request.launch.barriers = whole_number(cell, launch_ranges::barriers);
     }},
    {"max-threads", [](const occupancy_request& r) { return r.launch.max_threads.has_value(); },
     [](question_line& line, std::string_view cell) {
         line.request.launch.max_threads = whole_number(cell, launch_ranges::max_threads);
     }},
    {"max-dynamic-shared",
     [](const occupancy_request& r) { return r.launch.max_dynamic_shared.set != dynamic_shared_limit::how::as_needed; },
     set_max_dynamic_shared},
    {"carveout", [](const occupancy_request& r) { return r.launch.carveout_percent >= 0; },
     [](question_line& line, std::string_view cell) {
         line.request.launch.carveout_percent = whole_number(cell, launch_ranges::carveout);
     }},
    {"cache", [](const occupancy_request& r) { return r.launch.cache != cache_preference::none; },
     [](question_line& line, std::string_view cell) {
         line.request.launch.cache = cache_preference_named(one_word(cell, cache_preference_words()));
     }},
    {"caching", [](const occupancy_request& r) { return r.launch.caching != global_caching::off; },
     [](question_line& line, std::string_view cell) {
         line.request.launch.caching = global_caching_named(one_word(cell, global_caching_words()));
     }},
    {"mode", [](const occupancy_request& r) { return r.launch.mode != model_mode::driver; },
     [](question_line& line, std::string_view cell) {
         line.request.launch.mode =
             one_word(cell, model_mode_words()) == "driver" ? model_mode::driver : model_mode::spreadsheet;
     }},
};

std::vector<const question_column*> columns_named(const csv_reader& header, const occupancy_request& common)
{
    std::vector<const question_column*> named;
    for (const std::string_view cell : header.cells()) {
        std::string name(cell);
        std::ranges::replace(name, '_', '-');
        const auto* const found = std::ranges::find(columns, name, &question_column::name);
        const std::string place = header.place() + ": column '" + escape_for_terminal(std::string(cell)) + "'";
        if (found == std::end(columns)) {
            const std::string near = nearest(name, question_columns());
            std::string all;
            for (const std::string& one : question_columns()) all += (all.empty() ? "" : ", ") + one;
            throw error(place + " is not known" + (near.empty() ? "" : ": is " + near + " meant?"),
                        "the first line names columns, of " + all);
        }
        if (std::ranges::find(named, found) != named.end())
            throw error(place + " is there twice", "leave one of them out");
        if (found->is_given(common))
            throw error(place + " and --" + found->name + " exclude each other", "leave one of them out");
        named.push_back(found);
    }
    return named;
}

}  // namespace

std::vector<std::string> question_columns()
{
    std::vector<std::string> names;
    for (const question_column& column : columns) names.emplace_back(column.name);
    return names;
}

std::vector<occupancy_answer> answers_of_table(const occupancy_request& common, std::string_view table,
                                               const std::string& name)
{
    csv_reader reader(table, name);
    if (!reader.next())
        throw error(escape_for_terminal(name) + " is empty", "its first line names columns, such as threads,registers");
    const std::vector<const question_column*> named = columns_named(reader, common);
    const auto has = [&](std::string_view column) {
        return std::ranges::any_of(named, [&](const question_column* one) { return one->name == column; });
    };
    if (!common.threads && !has("threads"))
        throw error(reader.place() + ": there is no column threads", "add it, or --threads 256 for all lines");
    const std::vector<target> given = common.architectures.gpus();
    if (given.size() > 1) throw error("--questions takes one --arch", "add a column arch for several");
    std::optional<target> where = given.empty() ? std::nullopt : std::optional(given.front());

    text_map targets;
    std::map<std::string, dynamic_shared_size, std::less<>> sizes;
    std::vector<occupancy_answer> answers;
    // With a single column, an empty line is a launch without values.
    while ((named.size() == 1 || !reader.at_empty_end()) && reader.next()) {
        if (reader.cells().size() != named.size())
            throw error(reader.place() + " has " + std::to_string(reader.cells().size()) +
                            " cells, and the first line " + std::to_string(named.size()),
                        "give each line a cell for each column");
        const char* column = "";
        question_line line{common, {}, &targets, &sizes};
        try {
            for (std::size_t i = 0; i < named.size(); ++i) {
                column = named[i]->name;
                if (!reader.cells()[i].empty()) named[i]->set(line, reader.cells()[i]);
            }
            column = "arch";
            if (line.where.limits == nullptr) {
                if (!where) where = target_of_this_machine();
                line.where = *where;
            }
            column = "threads";
            if (!line.request.threads) throw error("the cell is empty", "write the threads of a block");
            column = "registers";
            line.request.launch.refuse_registers({line.where});
            column = line.request.launch.mode == model_mode::spreadsheet ? "mode" : "dynamic-shared";
            answers.push_back(answer_of(question_of_figures(line.request, line.where)));
        } catch (const error& problem) {
            throw error(reader.place() + ": column " + column + ": " + problem.what(), problem.hint(),
                        problem.status());
        }
    }
    return answers;
}

}  // namespace launchbox
