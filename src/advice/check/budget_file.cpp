// SPDX-License-Identifier: Apache-2.0
#include "advice/check/budget_file.hpp"

#include <fmt/format.h>

#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <functional>

#include "support/text/toml_document.hpp"

namespace launchbox {

namespace {

constexpr double largest_number = 1e12;                         // far above any meaningful limit
constexpr std::int64_t largest_shared = std::int64_t{1} << 30;  // as for the options of the command line

constexpr toml_kind budget_kind{.name = "budget",
                                .max_bytes = max_budget_bytes,
                                .if_too_large = "put kernels that share limits under one pattern",
                                .page = "docs/check.md"};

// Reads the tables of one file and collects errors: the first mistake of each key.
class budget_reader {
public:
    explicit budget_reader(const toml_document& document) : document_(document) {}

    void read(budget_reading& into);

private:
    using keys = toml_document::keys;

    void collect(const std::function<void()>& work);
    void read_rule(const toml::table& table, bool is_defaults);
    void read_keys(const toml::table& table, const keys& known, const std::string& where);
    std::vector<compute_capability> read_architectures(const toml::node& node) const;
    void read_limit(const toml::node& node, budget_limit which, budget_rule& rule) const;
    double read_occupancy(const toml::node& node, const std::string& name) const;
    std::int64_t read_integer(const toml::node& node, const std::string& key, std::int64_t most,
                              const std::string& example, std::int64_t least = 0) const;
    void each_text(const toml::node& node, const std::string& key, const std::string& example,
                   const std::function<void(const toml::node&, const std::string&)>& use) const;

    const toml_document& document_;
    budget value_;
    std::vector<file_error> errors_;
};

int line_of(const toml::node& node)
{
    return static_cast<int>(node.source().begin.line);
}

// Where a known key belongs; empty if it is unknown.
std::string place_of_key(std::string_view key)
{
    const auto is_one_of = [&](const auto& words) { return std::ranges::find(words, key) != words.end(); };
    if (is_one_of(budget_limit_names) || key == "threads" || key == "dynamic_shared")
        return "below [defaults] or [[rule]]";
    if (key == "kernel" || key == "arch" || key == "exempt") return "below [[rule]]";
    if (key == "unknown" || key == "unused") return "at the top of the file, before [defaults] and [[rule]]";
    return {};
}

}  // namespace

budget_reading parse_budget(std::string_view text, const std::string& file)
{
    budget_reading reading;
    try {
        const toml_document document(budget_kind, file, text);
        budget_reader(document).read(reading);
    } catch (const toml_error& mistake) {
        reading.errors.push_back({mistake.line, mistake.column, mistake.sentence, mistake.hint()});
    }
    reading.value.file = file;
    return reading;
}

namespace {

void budget_reader::read(budget_reading& into)
{
    read_keys(document_.root(),
              {{"unknown",
                [&](const toml::node& node) {
                    value_.unknown_fails = document_.choice(node, "unknown", {"fail", "allow"}) == "fail";
                }},
               {"unused",
                [&](const toml::node& node) {
                    const std::string choice = document_.choice(node, "unused", {"warn", "fail", "allow"});
                    value_.unused = choice == "fail"    ? unused_policy::fail
                                    : choice == "allow" ? unused_policy::allow
                                                        : unused_policy::warn;
                }},
               {"defaults",
                [&](const toml::node& node) {
                    read_rule(document_.table(node, "defaults", "[defaults], and the limits on the lines below"), true);
                }},
               {"rule",
                [&](const toml::node& node) {
                    const toml::array* rules = node.as_array();
                    if (rules == nullptr || rules->empty() || !rules->is_homogeneous<toml::table>())
                        document_.fail_type(node, "rule", "a list of tables", "[[rule]], with two brackets");
                    for (const toml::node& rule : *rules) collect([&] { read_rule(*rule.as_table(), false); });
                }}},
              "at the top of the file");
    std::ranges::stable_sort(errors_, {},
                             [](const file_error& mistake) { return std::pair(mistake.line, mistake.column); });
    into = {std::move(value_), std::move(errors_)};
}

void budget_reader::read_rule(const toml::table& table, bool is_defaults)
{
    budget_rule rule;
    rule.is_defaults = is_defaults;
    rule.line = line_of(table);
    keys known;
    if (!is_defaults) {
        known.emplace_back("kernel", [&](const toml::node& node) {
            each_text(
                node, "kernel", "kernel = \"merge*\"", [&](const toml::node& element, const std::string& pattern) {
                    if (pattern.empty())
                        document_.fail(element.source(), "kernel is empty", "write a pattern, such as \"merge*\"");
                    rule.patterns.push_back(pattern);
                });
        });
        known.emplace_back("arch", [&](const toml::node& node) { rule.architectures = read_architectures(node); });
        known.emplace_back("exempt", [&](const toml::node& node) { rule.exempt = document_.truth(node, "exempt"); });
    }
    known.emplace_back("threads", [&](const toml::node& node) {
        rule.threads = {static_cast<int>(read_integer(node, "threads", max_threads_per_block, "256", 1)),
                        line_of(node)};
    });
    known.emplace_back("dynamic_shared", [&](const toml::node& node) {
        rule.dynamic_shared = {read_integer(node, "dynamic_shared", largest_shared, "16384"), line_of(node)};
    });
    for (std::size_t l = 0; l < budget_limit_names.size(); ++l)
        known.emplace_back(std::string(budget_limit_names[l]), [&rule, l, this](const toml::node& node) {
            read_limit(node, static_cast<budget_limit>(l), rule);
        });

    const std::size_t errors = errors_.size();
    read_keys(table, known, is_defaults ? "in [defaults]" : "in a [[rule]]");
    const bool sets_something =
        rule.exempt || rule.threads || rule.dynamic_shared ||
        std::any_of(rule.limits.begin(), rule.limits.end(), [](const auto& limit) { return limit.has_value(); });
    // TOML allows [defaults] anywhere, but it always comes first.
    value_.rules.insert(is_defaults ? value_.rules.begin() : value_.rules.end(), std::move(rule));
    if (!sets_something && !is_defaults && errors_.size() == errors)
        document_.fail(table.source(), "this rule sets nothing", "add a limit, such as max_spill_bytes = 0");
}

void budget_reader::read_keys(const toml::table& table, const keys& known, const std::string& where)
{
    std::vector<std::string> names;
    for (const auto& [name, use] : known) names.push_back(name);
    for (const toml_document::entry& entry : toml_document::in_order(table)) {
        const auto found = std::ranges::find(known, entry.key, &keys::value_type::first);
        collect([&] {
            if (found != known.end()) return found->second(*entry.node);
            const std::string place = place_of_key(entry.key), hint = known_words_hint(entry.key, names);
            document_.fail(entry.place, fmt::format("unknown key {} {}", in_toml_quotes(entry.key), where),
                           place.empty() || hint.starts_with("did you mean") ? hint : "write it " + place);
        });
    }
}

void budget_reader::collect(const std::function<void()>& work)
{
    try {
        work();
    } catch (const toml_error& mistake) {
        errors_.push_back({mistake.line, mistake.column, mistake.sentence, mistake.hint()});
    }
}

std::vector<compute_capability> budget_reader::read_architectures(const toml::node& node) const
{
    std::vector<compute_capability> architectures;
    each_text(node, "arch", "arch = [\"sm_80\", \"sm_90\"]", [&](const toml::node& element, const std::string& name) {
        const std::optional<compute_capability> capability = parse_compute_capability(name);
        if (name.starts_with("compute_"))
            document_.fail(element.source(), in_toml_quotes(name) + " is a virtual architecture, which has no figures",
                           "write " + (capability ? std::string(architecture_name(*capability).view()) : "sm_90"));
        if (!capability || find_sm_limits(*capability) == nullptr) {
            std::string known;
            for (const sm_limits& row : sm_limits_table)
                known.append(known.empty() ? "" : " ").append(architecture_name(row.capability).view());
            document_.fail(element.source(), "unknown architecture " + in_toml_quotes(name), "known are: " + known);
        }
        architectures.push_back(*capability);
    });
    return architectures;
}

void budget_reader::read_limit(const toml::node& node, budget_limit which, budget_rule& rule) const
{
    const std::string name(budget_limit_names[static_cast<std::size_t>(which)]);
    std::optional<double> value;
    if (const auto* text = node.as_string(); text == nullptr || text->get() != "any") {
        if (which == budget_limit::require_launch_bounds)
            value = document_.truth(node, name) ? std::optional(1.0) : std::nullopt;
        else if (which == budget_limit::min_occupancy)
            value = read_occupancy(node, name);
        else
            value = static_cast<double>(
                read_integer(node, name, static_cast<std::int64_t>(largest_number),
                             which == budget_limit::max_registers ? "64, or \"any\"" : "0, or \"any\""));
    }
    rule.limits[static_cast<std::size_t>(which)] = {value, line_of(node)};
}

double budget_reader::read_occupancy(const toml::node& node, const std::string& name) const
{
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) document_.fail_type(node, name, "a number", name + " = 0.5, or \"any\"");
    if (!(*value >= 0 && *value <= 1))
        document_.fail(node.source(), fmt::format("{} is {:.6g}, and must be from 0 to 1", name, *value),
                       *value > 1 && *value <= 100 ? fmt::format("write {:.4g} for {:.4g} %", *value / 100, *value)
                                                   : "write a fraction, such as 0.5 for 50 %");
    return *value;
}

std::int64_t budget_reader::read_integer(const toml::node& node, const std::string& key, std::int64_t most,
                                         const std::string& example, std::int64_t least) const
{
    if (node.as_integer() == nullptr) document_.fail_type(node, key, "a whole number", key + " = " + example);
    return document_.integer(node, key, least, most);
}

void budget_reader::each_text(const toml::node& node, const std::string& key, const std::string& example,
                              const std::function<void(const toml::node&, const std::string&)>& use) const
{
    if (node.as_string() != nullptr) return use(node, document_.text(node, key, example));
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) document_.fail_type(node, key, "a string or a list of strings", example);
    for (const toml::node& element : *list) use(element, document_.text(element, "an element of " + key, example));
}

}  // namespace

}  // namespace launchbox
