// [parameters], the baseline and [[workload]].
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "support/expression/expression_tokens.hpp"
#include "tune/spec/tune_spec_reader.hpp"

namespace launchbox::spec_toml {

namespace {

constexpr std::size_t max_values = 100'000;
constexpr std::size_t max_parameters = 64;
constexpr std::size_t max_workloads = 10'000;
const std::string list_example = "[32, 64, 128] or { from = 32, to = 1024, factor = 2 }";

void read_parameter(reader& of, const toml_document::entry& entry);
std::vector<parameter_value> listed(const reader& of, const toml::node& node, const std::string& key);
std::vector<parameter_value> range(const reader& of, const toml::table& table, const std::string& key);
std::vector<parameter_value> integer_range(const reader& of, const toml::table& table, const std::string& key);
std::vector<parameter_value> number_range(const reader& of, const toml::table& table, const std::string& key);
void check_one_type(const reader& of, const toml::node& node, std::vector<parameter_value>& values,
                    const std::string& key);
bool as_fraction(parameter_value& value);
void read_workload(reader& of, const toml::table& table);

/// One amount of `work = { elements = "n" }`.
struct work_expression {
    const work_kind& kind;
    value_expression expression;
    toml::source_region place;
};
std::vector<work_expression> read_work(reader& of, const toml::table& table);
double amount_of_work(const reader& of, const work_expression& amount, const assignment& values);
std::optional<double> amount_in_fractions(const work_expression& amount, const assignment& values);
bool is_formula(const toml::node& node);
std::optional<double> number_in(const parameter_value& value);

}  // namespace

void check_new_name(const reader& of, const toml_document::entry& entry, const std::string& what)
{
    const std::string& name = entry.key;
    if (!is_name(name))
        of.file.fail(entry.place, fmt::format("{} {} has an invalid name", what, in_toml_quotes(name)),
                     "use letters, digits and _, and not a word of expressions, such as min or and");
    for (const char* taken : {"sm", "device", "arch", "output", "name"})
        if (name == taken)
            of.file.fail(entry.place, fmt::format("{} cannot be named {}", what, name),
                         fmt::format("launchbox gives {} a value; choose another name", name));
    if (name.size() > 100) of.file.fail(entry.place, what + " has a name of more than 100 characters", "shorten it");
}

void read_parameters(reader& of, const toml::table& table)
{
    if (table.empty()) of.file.fail(table.source(), "[parameters] is empty", "write threads = [128, 256, 512]");
    if (table.size() > max_parameters)
        of.file.fail(table.source(), fmt::format("there are {} parameters", table.size()),
                     "at most 64 are allowed; tune fewer at once");
    for (const toml_document::entry& entry : toml_document::in_order(table)) read_parameter(of, entry);
}

namespace {

void read_parameter(reader& of, const toml_document::entry& entry)
{
    check_new_name(of, entry, "a parameter");
    tuning_parameter parameter{entry.key, {}};
    const toml::node& node = *entry.node;
    const toml::node* otherwise = nullptr;
    if (const toml::table* table = node.as_table()) {
        const toml::node* values = table->get("values");
        toml_document::keys known{
            {"values", [&](const toml::node& list) { parameter.values = listed(of, list, entry.key); }},
            {"when",
             [&](const toml::node& text) {
                 parameter.when = of.expression(text, entry.key + ".when", scope::parameters);
             }},
            {"otherwise", [&](const toml::node& value) {
                 otherwise = &value;
                 parameter.otherwise = of.file.value(value, entry.key + ".otherwise");
             }}};
        // A list and a range exclude each other.
        if (values == nullptr)
            for (const char* key : {"from", "to", "step", "factor"}) known.emplace_back(key, [](const toml::node&) {});
        of.file.read_keys(*table, known, "of the parameter " + entry.key);
        if (values == nullptr) parameter.values = range(of, *table, entry.key);
        if (parameter.when.empty() != (otherwise == nullptr))
            of.file.fail(
                node.source(),
                fmt::format("{} has {}", entry.key,
                            otherwise == nullptr ? "`when` without `otherwise`" : "`otherwise` without `when`"),
                "write { values = [2, 4], when = \"use_shared\", otherwise = 0 }");
    } else if (node.is_array()) {
        parameter.values = listed(of, node, entry.key);
    } else {
        of.file.fail_type(node, entry.key, "a list or a range", fmt::format("{} = {}", entry.key, list_example));
    }

    check_one_type(of, node, parameter.values, entry.key);
    if (otherwise != nullptr) {
        if (std::holds_alternative<double>(parameter.values[0])) as_fraction(parameter.otherwise);
        if (parameter.otherwise.index() != parameter.values[0].index())
            of.file.fail(otherwise->source(), entry.key + ".otherwise is of another type than the values",
                         "write a value of their type");
    }
    std::set<parameter_value> seen;
    for (const parameter_value& value : parameter.values)
        if (!seen.insert(value).second)
            of.file.fail(node.source(), fmt::format("{} has the value {} twice", entry.key, parameter_text(value)),
                         "remove one of them");
    of.spec.parameters.push_back(std::move(parameter));
}

std::vector<parameter_value> listed(const reader& of, const toml::node& node, const std::string& key)
{
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) of.file.fail_type(node, key, "a list of values", key + " = [32, 64, 128]");
    if (list->size() > max_values)
        of.file.fail(node.source(), fmt::format("{} has {} values", key, list->size()), "at most 100,000 are allowed");
    std::vector<parameter_value> values;
    for (const toml::node& element : *list) values.push_back(of.file.value(element, key));
    return values;
}

std::vector<parameter_value> range(const reader& of, const toml::table& table, const std::string& key)
{
    for (const char* needed : {"from", "to"})
        if (table.get(needed) == nullptr)
            of.file.fail(
                table.source(), fmt::format("{} has no {}", key, needed),
                "write { from = 3, to = 31, step = 2 }, { from = 32, to = 1024, factor = 2 } or { values = [1, 2] }");
    const toml::node* factor = table.get("factor");
    if (factor != nullptr && table.get("step") != nullptr)
        of.file.fail(factor->source(), key + " has both step and factor", "remove one of them");
    bool integers = true;
    for (const char* part : {"from", "to", "step", "factor"})
        if (const toml::node* node = table.get(part)) {
            if (!node->is_number()) of.file.fail_type(*node, key + "." + part, "a number", std::string(part) + " = 2");
            integers = integers && node->is_integer();
        }
    return integers ? integer_range(of, table, key) : number_range(of, table, key);
}

[[noreturn]] void fail_empty(const reader& of, const toml::table& table, const std::string& key)
{
    of.file.fail(table.source(), key + " is an empty range", "make step lead from `from` to `to`");
}

[[noreturn]] void fail_long(const reader& of, const toml::table& table, const std::string& key)
{
    of.file.fail(table.source(), key + " has more than 100,000 values", "take a larger step or factor");
}

std::vector<parameter_value> integer_range(const reader& of, const toml::table& table, const std::string& key)
{
    const std::int64_t from = *table.get("from")->value<std::int64_t>(), to = *table.get("to")->value<std::int64_t>();
    std::vector<parameter_value> values;
    if (const toml::node* factor = table.get("factor")) {
        const std::int64_t times = *factor->value<std::int64_t>();
        if (times < 2) of.file.fail(factor->source(), fmt::format("{}.factor is {}", key, times), "write 2 or more");
        if (from < 1)
            of.file.fail(table.get("from")->source(), fmt::format("{}.from is {}, with a factor", key, from),
                         "write 1 or more");
        if (from > to) fail_empty(of, table, key);
        for (std::int64_t value = from;; value *= times) {
            values.emplace_back(value);
            if (value > to / times) break;  // the next would be above `to`
        }
        return values;
    }
    const toml::node* given = table.get("step");
    const std::int64_t step = given == nullptr ? 1 : *given->value<std::int64_t>();
    if (step == 0) of.file.fail(given->source(), key + ".step is 0", "write another number");
    __extension__ using int128 = __int128;
    const int128 steps = (static_cast<int128>(to) - from) / step;
    if ((step > 0) != (to >= from) && to != from) fail_empty(of, table, key);
    if (steps >= static_cast<int128>(max_values)) fail_long(of, table, key);
    for (int128 i = 0; i <= steps; ++i) values.emplace_back(static_cast<std::int64_t>(from + i * step));
    return values;
}

// 0.3 instead of 0.30000000000000004, as people would write it.
double rounded(double value)
{
    return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr);
}

std::vector<parameter_value> number_range(const reader& of, const toml::table& table, const std::string& key)
{
    const auto part = [&](const char* name, double missing) {
        const toml::node* node = table.get(name);
        return node == nullptr ? missing : of.file.number(*node, key + "." + name, -1e300, 1e300);
    };
    const double from = part("from", 0), to = part("to", 0), step = part("step", 1);
    std::vector<parameter_value> values;
    constexpr double slack = 1e-9;  // so that { from = 0, to = 1, step = 0.1 } includes 1
    if (const toml::node* factor = table.get("factor")) {
        const double times = part("factor", 0);
        if (times <= 1)
            of.file.fail(factor->source(), fmt::format("{}.factor is {:.6g}", key, times), "write more than 1");
        if (from <= 0)
            of.file.fail(table.get("from")->source(), fmt::format("{}.from is {:.6g}, with a factor", key, from),
                         "write more than 0");
        for (double value = from; value <= to * (1 + slack); value *= times) {
            if (values.size() == max_values) fail_long(of, table, key);
            values.emplace_back(rounded(value));
        }
    } else {
        if (step == 0) of.file.fail(table.get("step")->source(), key + ".step is 0", "write another number");
        const double steps = std::floor((to - from) / step + slack);
        if (steps >= static_cast<double>(max_values)) fail_long(of, table, key);
        for (int i = 0; i <= steps; ++i) values.emplace_back(rounded(from + i * step));
    }
    if (values.empty()) fail_empty(of, table, key);
    return values;
}

// With fractions among the values, whole numbers become fractions too.
void check_one_type(const reader& of, const toml::node& node, std::vector<parameter_value>& values,
                    const std::string& key)
{
    const bool fractions = std::any_of(values.begin(), values.end(),
                                       [](const auto& value) { return std::holds_alternative<double>(value); });
    for (parameter_value& value : values) {
        if (fractions) as_fraction(value);
        if (value.index() != values[0].index())
            of.file.fail(node.source(),
                         fmt::format("{} has values of more than one type: {} and {}", key,
                                     parameter_text(values[0]).substr(0, 40), parameter_text(value).substr(0, 40)),
                         "make all of them numbers, strings or booleans");
    }
}

bool as_fraction(parameter_value& value)
{
    const std::int64_t* integer = std::get_if<std::int64_t>(&value);
    if (integer == nullptr) return false;
    value = static_cast<double>(*integer);
    return true;
}

}  // namespace

void read_baseline(reader& of, const toml::table& table)
{
    assignment baseline;
    toml_document::keys known;
    for (const tuning_parameter& parameter : of.spec.parameters)
        known.emplace_back(parameter.name, [&](const toml::node& node) {
            parameter_value value = of.file.value(node, parameter.name);
            if (std::holds_alternative<double>(parameter.values[0])) as_fraction(value);
            if (std::find(parameter.values.begin(), parameter.values.end(), value) == parameter.values.end() &&
                (parameter.when.empty() || value != parameter.otherwise)) {
                std::string list;
                for (std::size_t i = 0; i < parameter.values.size() && i < 12; ++i)
                    list += (i == 0 ? "" : ", ") + parameter_text(parameter.values[i]).substr(0, 20);
                of.file.fail(node.source(),
                             fmt::format("the baseline's {} is {}, which the parameter does not have", parameter.name,
                                         parameter_text(value).substr(0, 40)),
                             "it has " + list + (parameter.values.size() > 12 ? ", ..." : ""));
            }
            baseline.values.emplace_back(parameter.name, value);
        });
    of.file.read_keys(table, known, "in the baseline, which has the parameters");
    for (const tuning_parameter& parameter : of.spec.parameters)
        if (baseline.find(parameter.name) == nullptr)
            of.file.fail(table.source(), "the baseline has no " + parameter.name, "give every parameter a value");
    of.spec.baseline = std::move(baseline);
}

void read_workloads(reader& of, const toml::node* node)
{
    if (node == nullptr) {
        of.spec.workloads.emplace_back();
        return;
    }
    const toml::array* tables = node->as_array();
    if (tables == nullptr || tables->empty() || !tables->is_homogeneous<toml::table>())
        of.file.fail_type(*node, "workload", "a list of tables", "[[workload]], with two brackets");
    for (const toml::node& table : *tables) read_workload(of, *table.as_table());
    std::set<std::vector<std::pair<std::string, parameter_value>>> seen;
    for (const workload& workload : of.spec.workloads)
        if (!seen.insert(workload.values.values).second)
            of.file.fail(node->source(),
                         fmt::format("duplicate workload {}", in_toml_quotes(parameter_text(workload.values))),
                         "remove one of them");
}

namespace {

void read_workload(reader& of, const toml::table& table)
{
    double weight = 1;
    std::vector<work_expression> work;
    std::vector<std::pair<std::string, std::vector<parameter_value>>> lists;
    for (const toml_document::entry& entry : toml_document::in_order(table)) {
        if (entry.key == "weight") {
            weight = of.file.number(*entry.node, "weight", 0, 1e9, true);
            continue;
        }
        // Only a table: a value may have this name, and the names of its keys, too.
        if (entry.key == "work" && entry.node->is_table()) {
            work = read_work(of, *entry.node->as_table());
            continue;
        }
        for (const work_kind& kind : work_kinds)
            if (entry.key == kind.name && entry.node->is_string() && is_formula(*entry.node))
                of.file.fail(entry.place, fmt::format("{} is a value of the workload here, and a string", kind.name),
                             fmt::format("how much work it is: write work = {{ {} = ... }}", kind.name));
        check_new_name(of, entry, "a workload's value");
        for (const tuning_parameter& parameter : of.spec.parameters)
            if (parameter.name == entry.key)
                of.file.fail(entry.place, entry.key + " is both a parameter and a workload's value",
                             "rename one of them");
        lists.emplace_back(entry.key, entry.node->is_array() ? listed(of, *entry.node, entry.key)
                                                             : std::vector{of.file.value(*entry.node, entry.key)});
    }
    // All workloads have their values in the order of the first.
    if (!of.spec.workloads.empty()) {
        const assignment& first = of.spec.workloads.front().values;
        const auto place = [&](const std::string& name) {
            return std::find_if(first.values.begin(), first.values.end(),
                                [&](const auto& value) { return value.first == name; });
        };
        for (const auto& [name, value] : first.values)
            if (table.get(name) == nullptr)
                of.file.fail(table.source(), fmt::format("this workload has no {}", name),
                             "give every [[workload]] the same names");
        for (const auto& [name, values] : lists)
            if (first.find(name) == nullptr)
                of.file.fail(table.source(), fmt::format("the workloads before this one have no {}", name),
                             "give every [[workload]] the same names");
        std::sort(lists.begin(), lists.end(),
                  [&](const auto& a, const auto& b) { return place(a.first) < place(b.first); });
    }

    std::vector<workload> product{{{}, weight}};
    for (const auto& [name, values] : lists) {
        std::vector<workload> longer;
        if (product.size() * values.size() + of.spec.workloads.size() > max_workloads)
            of.file.fail(table.source(), "there are more than 10,000 workloads", "give fewer values");
        for (const workload& workload : product)
            for (const parameter_value& value : values) {
                longer.push_back(workload);
                longer.back().values.values.emplace_back(name, value);
            }
        product = std::move(longer);
    }
    if (of.spec.workloads.size() + product.size() > max_workloads)
        of.file.fail(table.source(), "there are more than 10,000 workloads", "give fewer values");
    for (workload& made : product)
        for (const work_expression& amount : work)
            made.work.*amount.kind.amount = amount_of_work(of, amount, made.values);
    of.spec.workloads.insert(of.spec.workloads.end(), product.begin(), product.end());
}

std::vector<work_expression> read_work(reader& of, const toml::table& table)
{
    std::vector<work_expression> work;
    toml_document::keys known;
    for (const work_kind& kind : work_kinds)
        known.emplace_back(kind.name, [&](const toml::node& node) {
            const std::string key = std::string("work.") + kind.name;
            const std::string text = of.expression(node, key);
            of.file.placed(node.source(), [&] { work.push_back({kind, value_expression(text), node.source()}); });
            for (const std::string& name : work.back().expression.names())
                for (const tuning_parameter& parameter : of.spec.parameters)
                    if (parameter.name == name)
                        of.file.fail(
                            node.source(), fmt::format("{} depends on the parameter {}", key, name),
                            "work must be the same for all candidates; calculate it from the workload's values");
        });
    of.file.read_keys(table, known, "of the workload's work");
    if (work.empty())
        of.file.fail(table.source(), "work is empty", "write work = { elements = \"n\", bytes = \"8 * n\" }");
    return work;
}

double amount_of_work(const reader& of, const work_expression& amount, const assignment& values)
{
    const std::string key = std::string("work.") + amount.kind.name;
    const auto shown = [&](const parameter_value& value) {
        const std::string on = parameter_text(values);
        return fmt::format("{} is {}{}", key, parameter_text(value).substr(0, 40), on.empty() ? "" : ", with " + on);
    };
    return of.file.placed(amount.place, [&] {
        const parameter_value value = amount.expression(values);
        const std::optional<double> number = number_in(value), unbounded = amount_in_fractions(amount, values);
        constexpr double rounding = 1e-6;
        if (number && unbounded && std::abs(*unbounded - *number) > rounding * std::abs(*unbounded))
            throw error(shown(value) + ": it does not fit into a whole number",
                        "use floating point: \"2.0 * n * n * n\"");
        if (!number || !is_work(*number))
            throw error(shown(value), fmt::format("it must be above 0 and at most {:g}", max_work));
        return *number;
    });
}

// Whole numbers overflow at 2^63, which 2 * n^3 operations soon reach; fractions do not.
std::optional<double> amount_in_fractions(const work_expression& amount, const assignment& values)
{
    assignment fractions = values;
    for (auto& [name, value] : fractions.values) as_fraction(value);
    try {
        return number_in(amount.expression(fractions));
    } catch (const error&) {
        return std::nullopt;  // an operator for whole numbers only
    }
}

// A word with an operator, or a name: no number of bytes looks like that.
bool is_formula(const toml::node& node)
{
    const std::optional<std::string> text = node.value<std::string>();
    return text && (is_name(*text) || text->find_first_of("*+/") != std::string::npos);
}

std::optional<double> number_in(const parameter_value& value)
{
    if (const double* number = std::get_if<double>(&value)) return *number;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
    return std::nullopt;
}

}  // namespace

}  // namespace launchbox::spec_toml
