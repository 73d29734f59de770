// SPDX-License-Identifier: Apache-2.0
#include "advice/check/budget_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"
#include "support/text/toml_guard.hpp"

namespace launchbox {

namespace {

constexpr double largest_number = 1e12;                         // far above any limit that means something
constexpr std::int64_t largest_shared = std::int64_t{1} << 30;  // as for the options of the command line

// Reads the tables of one file and collects what is wrong.
class budget_reader {
public:
    budget_reader(const toml::table& root, const std::string& file) { read(root, file); }

    budget_reading reading;

private:
    using handler = std::function<void(const toml::node&)>;

    void read(const toml::table& root, const std::string& file);
    void read_rule(const toml::table& table, bool is_defaults);
    void read_keys(const toml::table& table, const std::vector<std::pair<std::string, handler>>& keys,
                   const std::string& where);
    void read_patterns(const toml::node& node, std::vector<std::string>& patterns);
    void read_architectures(const toml::node& node, std::vector<compute_capability>& architectures);
    void read_limit(const toml::node& node, budget_limit which, budget_rule& rule);
    std::optional<std::string> read_choice(const toml::node& node, const std::string& key,
                                           const std::vector<std::string>& choices);
    std::optional<std::int64_t> read_integer(const toml::node& node, const std::string& key, std::int64_t least,
                                             std::int64_t most, const std::string& example);
    void each_text(const toml::node& node, const std::string& key, const std::string& example,
                   const std::function<void(const toml::node&, const std::string&)>& use);
    void complain(const toml::source_region& at, std::string what, std::string hint);
    void complain_type(const toml::node& node, const std::string& key, const std::string& wanted,
                       const std::string& example);
};

std::string in_quotes(std::string_view text);
std::string type_name(const toml::node& node);
int line_of(const toml::source_region& at);
void restore(std::vector<file_error>& errors, std::string_view spelled);

}  // namespace

budget_reading parse_budget(std::string_view text, const std::string& file)
{
    budget_reading failed;
    failed.value.file = file;
    if (text.size() > max_budget_bytes) {
        failed.errors.push_back({1, 0, fmt::format("the budget is larger than {} bytes", with_commas(max_budget_bytes)),
                                 "put kernels that share limits under one pattern"});
        return failed;
    }
    if (const std::optional<toml_trouble> trouble = trouble_for_the_parser(text)) {
        failed.errors.push_back({trouble->line, trouble->column, trouble->what, trouble->hint});
        return failed;
    }
    const std::string spelled = spelled_in_ascii(text);
    try {
        budget_reader reader(toml::parse(spelled, file), file);
        restore(reader.reading.errors, spelled);
        std::stable_sort(reader.reading.errors.begin(), reader.reading.errors.end(),
                         [](const file_error& a, const file_error& b) {
                             return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                         });
        return std::move(reader.reading);
    } catch (const toml::parse_error& diagnostic) {
        const toml::source_position at = diagnostic.source().begin;
        failed.errors.push_back({static_cast<int>(at.line), static_cast<int>(at.column),
                                 std::string(diagnostic.description()), "the file is TOML; see docs/check.md"});
        restore(failed.errors, spelled);
        return failed;
    }
}

namespace {

void budget_reader::read(const toml::table& root, const std::string& file)
{
    budget& result = reading.value;
    result.file = file;
    std::vector<std::pair<std::string, handler>> keys{
        {"unknown",
         [&](const toml::node& node) {
             result.unknown_fails = read_choice(node, "unknown", {"fail", "allow"}) != "allow";
         }},
        {"unused",
         [&](const toml::node& node) {
             const std::string choice = read_choice(node, "unused", {"warn", "fail", "allow"}).value_or("warn");
             result.unused = choice == "fail"    ? unused_policy::fail
                             : choice == "allow" ? unused_policy::allow
                                                 : unused_policy::warn;
         }},
        {"defaults",
         [&](const toml::node& node) {
             if (const toml::table* table = node.as_table())
                 read_rule(*table, true);
             else
                 complain_type(node, "defaults", "a table", "[defaults], and the limits on the lines below");
         }},
        {"rule", [&](const toml::node& node) {
             const toml::array* rules = node.as_array();
             if (rules == nullptr || rules->empty() || !rules->is_homogeneous<toml::table>()) {
                 complain_type(node, "rule", "a list of tables", "[[rule]], with two brackets");
                 return;
             }
             for (const toml::node& rule : *rules) read_rule(*rule.as_table(), false);
         }}};
    read_keys(root, keys, "at the top of the file");
}

void budget_reader::read_rule(const toml::table& table, bool is_defaults)
{
    budget_rule rule;
    rule.is_defaults = is_defaults;
    rule.line = line_of(table.source());
    std::vector<std::pair<std::string, handler>> keys;
    if (!is_defaults) {
        keys.emplace_back("kernel", [&](const toml::node& node) { read_patterns(node, rule.patterns); });
        keys.emplace_back("arch", [&](const toml::node& node) { read_architectures(node, rule.architectures); });
        keys.emplace_back("exempt", [&](const toml::node& node) {
            if (const auto* value = node.as_boolean())
                rule.exempt = value->get();
            else
                complain_type(node, "exempt", "true or false", "exempt = true");
        });
    }
    keys.emplace_back("threads", [&](const toml::node& node) {
        if (const auto value = read_integer(node, "threads", 1, max_threads_per_block, "256"))
            rule.threads = {static_cast<int>(*value), line_of(node.source())};
    });
    keys.emplace_back("dynamic_shared", [&](const toml::node& node) {
        if (const auto value = read_integer(node, "dynamic_shared", 0, largest_shared, "16384"))
            rule.dynamic_shared = {*value, line_of(node.source())};
    });
    for (std::size_t l = 0; l < budget_limit_names.size(); ++l)
        keys.emplace_back(std::string(budget_limit_names[l]), [&rule, l, this](const toml::node& node) {
            read_limit(node, static_cast<budget_limit>(l), rule);
        });

    const std::size_t errors = reading.errors.size();
    read_keys(table, keys, is_defaults ? "in [defaults]" : "in a [[rule]]");
    const bool sets_something =
        rule.exempt || rule.threads || rule.dynamic_shared ||
        std::any_of(rule.limits.begin(), rule.limits.end(), [](const auto& limit) { return limit.has_value(); });
    if (!sets_something && !is_defaults && reading.errors.size() == errors)
        complain(table.source(), "this rule sets nothing", "add a limit, such as max_spill_bytes = 0");
    // TOML allows [defaults] anywhere; it comes first all the same.
    reading.value.rules.insert(is_defaults ? reading.value.rules.begin() : reading.value.rules.end(), std::move(rule));
}

void budget_reader::read_keys(const toml::table& table, const std::vector<std::pair<std::string, handler>>& keys,
                              const std::string& where)
{
    std::vector<std::string> names;
    for (const auto& [name, use] : keys) names.push_back(name);
    for (const auto& [key, node] : table) {
        const std::string name(key.str());
        const auto known = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.first == name; });
        if (known != keys.end()) {
            known->second(node);
            continue;
        }
        std::string hint;
        const bool is_limit =
            std::find(budget_limit_names.begin(), budget_limit_names.end(), name) != budget_limit_names.end();
        if (const std::string meant = nearest(name.substr(0, 64), names); !meant.empty())
            hint = "did you mean " + meant + "?";
        else if (is_limit || name == "threads" || name == "dynamic_shared")
            hint = "write it below [defaults] or [[rule]]";
        else if (name == "kernel" || name == "arch" || name == "exempt")
            hint = "write it below [[rule]]";
        else if (name == "unknown" || name == "unused")
            hint = "write it at the top of the file, before [defaults] and [[rule]]";
        else {
            hint = "there are: ";
            for (const std::string& name : names) hint += (name == names.front() ? "" : ", ") + name;
        }
        complain(key.source(), fmt::format("unknown key {} {}", in_quotes(name), where), hint);
    }
}

void budget_reader::read_patterns(const toml::node& node, std::vector<std::string>& patterns)
{
    each_text(node, "kernel", "kernel = \"merge*\"", [&](const toml::node& element, const std::string& pattern) {
        if (pattern.empty())
            complain(element.source(), "kernel is empty", "write a pattern, such as \"merge*\"");
        else
            patterns.push_back(pattern);
    });
}

void budget_reader::read_architectures(const toml::node& node, std::vector<compute_capability>& architectures)
{
    each_text(node, "arch", "arch = [\"sm_80\", \"sm_90\"]", [&](const toml::node& element, const std::string& name) {
        const std::optional<compute_capability> capability = parse_compute_capability(name);
        if (name.starts_with("compute_"))
            complain(element.source(), in_quotes(name) + " is a virtual architecture, which has no figures",
                     "write " + (capability ? std::string(architecture_name(*capability).view()) : "sm_90"));
        else if (!capability || find_sm_limits(*capability) == nullptr) {
            std::string known;
            for (const sm_limits& row : sm_limits_table)
                known.append(known.empty() ? "" : " ").append(architecture_name(row.capability).view());
            complain(element.source(), "unknown architecture " + in_quotes(name), "known are: " + known);
        } else
            architectures.push_back(*capability);
    });
}

void budget_reader::read_limit(const toml::node& node, budget_limit which, budget_rule& rule)
{
    const std::string name(budget_limit_names[static_cast<std::size_t>(which)]);
    auto& setting = rule.limits[static_cast<std::size_t>(which)];
    const auto set = [&](std::optional<double> value) { setting = {value, line_of(node.source())}; };
    if (const auto* text = node.as_string(); text != nullptr && text->get() == "any") {
        set(std::nullopt);
        return;
    }
    if (which == budget_limit::require_launch_bounds) {
        if (const auto* value = node.as_boolean())
            set(value->get() ? std::optional(1.0) : std::nullopt);
        else
            complain_type(node, name, "true or false", name + " = true");
        return;
    }
    if (which == budget_limit::min_occupancy) {
        const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
        if (!value)
            complain_type(node, name, "a number", name + " = 0.5, or \"any\"");
        else if (!(*value >= 0 && *value <= 1))
            complain(node.source(), fmt::format("{} is {:.6g}, and must be from 0 to 1", name, *value),
                     *value > 1 && *value <= 100 ? fmt::format("write {:.4g} for {:.4g} %", *value / 100, *value)
                                                 : "write a fraction, such as 0.5 for 50 %");
        else
            set(*value);
        return;
    }
    if (const auto value = read_integer(node, name, 0, static_cast<std::int64_t>(largest_number),
                                        which == budget_limit::max_registers ? "64, or \"any\"" : "0, or \"any\""))
        set(static_cast<double>(*value));
}

std::optional<std::string> budget_reader::read_choice(const toml::node& node, const std::string& key,
                                                      const std::vector<std::string>& choices)
{
    std::string list;
    for (const std::string& choice : choices) list += (list.empty() ? "" : " or ") + in_quotes(choice);
    const auto* text = node.as_string();
    if (text == nullptr) {
        complain_type(node, key, "a string", key + " = " + list);
        return std::nullopt;
    }
    if (std::find(choices.begin(), choices.end(), text->get()) != choices.end()) return text->get();
    const std::string meant = nearest(text->get().substr(0, 64), choices);
    complain(node.source(), fmt::format("{} is {}", key, in_quotes(text->get())),
             meant.empty() ? "write " + list : "did you mean " + in_quotes(meant) + "?");
    return std::nullopt;
}

std::optional<std::int64_t> budget_reader::read_integer(const toml::node& node, const std::string& key,
                                                        std::int64_t least, std::int64_t most,
                                                        const std::string& example)
{
    const auto* value = node.as_integer();
    if (value == nullptr) {
        complain_type(node, key, "a whole number", key + " = " + example);
        return std::nullopt;
    }
    if (value->get() >= least && value->get() <= most) return value->get();
    complain(node.source(),
             value->get() < 0 ? fmt::format("{} is negative: {}", key, value->get())
                              : fmt::format("{} is {}", key, with_commas(value->get())),
             fmt::format("it can be from {} to {}", least, with_commas(most)));
    return std::nullopt;
}

void budget_reader::each_text(const toml::node& node, const std::string& key, const std::string& example,
                              const std::function<void(const toml::node&, const std::string&)>& use)
{
    if (const auto* text = node.as_string()) {
        use(node, from_ascii_spelling(text->get()));
        return;
    }
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) {
        complain_type(node, key, "a string or a list of strings", example);
        return;
    }
    for (const toml::node& element : *list) {
        if (const auto* text = element.as_string())
            use(element, from_ascii_spelling(text->get()));
        else
            complain_type(element, "an element of " + key, "a string", example);
    }
}

void budget_reader::complain(const toml::source_region& at, std::string what, std::string hint)
{
    reading.errors.push_back({line_of(at), static_cast<int>(at.begin.column), std::move(what), std::move(hint)});
}

void budget_reader::complain_type(const toml::node& node, const std::string& key, const std::string& wanted,
                                  const std::string& example)
{
    complain(node.source(), fmt::format("{} is {}, and must be {}", key, type_name(node), wanted), "write " + example);
}

std::string in_quotes(std::string_view text)
{
    const bool cut = text.size() > 80;
    return fmt::format("\"{}{}\"", text.substr(0, 80), cut ? "…" : "");
}

std::string type_name(const toml::node& node)
{
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return node.as_array()->empty() ? "an empty list" : "a list";
        case toml::node_type::string:
            return "the string " + in_quotes(node.as_string()->get());
        case toml::node_type::integer:
            return "the number " + std::to_string(node.as_integer()->get());
        case toml::node_type::floating_point:
            return fmt::format("the number {:.6g}", node.as_floating_point()->get());
        case toml::node_type::boolean:
            return node.as_boolean()->get() ? "true" : "false";
        default:
            return "a date or time";
    }
}

// Restores messages and columns: the library has seen the text in its ASCII spelling.
void restore(std::vector<file_error>& errors, std::string_view spelled)
{
    std::vector<std::string_view> lines;
    for (std::string_view rest = spelled;;) {
        const std::size_t end = rest.find('\n');
        lines.push_back(rest.substr(0, end));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    for (file_error& diagnostic : errors) {
        diagnostic.what = from_ascii_spelling(diagnostic.what);
        diagnostic.hint = from_ascii_spelling(diagnostic.hint);
        if (diagnostic.line < 1 || diagnostic.column < 1 || static_cast<std::size_t>(diagnostic.line) > lines.size())
            continue;
        const std::string_view line = lines[static_cast<std::size_t>(diagnostic.line) - 1];
        diagnostic.column = column_from_ascii_spelling(line, diagnostic.column);
    }
}

int line_of(const toml::source_region& at)
{
    return static_cast<int>(at.begin.line);
}

}  // namespace

}  // namespace launchbox
