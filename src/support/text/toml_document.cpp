// SPDX-License-Identifier: Apache-2.0
#include "support/text/toml_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"
#include "support/text/toml_guard.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_value = 1000;

std::string type_name(const toml::node& node);

}  // namespace

toml_error::toml_error(const std::string& file, int at_line, int at_column, std::string what, std::string hint)
    : error(at_column > 0 ? fmt::format("{}:{}:{}: {}", file, at_line, at_column, what)
                          : fmt::format("{}:{}: {}", file, at_line, what),
            std::move(hint)),
      line(at_line),
      column(at_column),
      sentence(std::move(what))
{
}

toml_document::toml_document(const toml_kind& kind, const std::string& file, std::string_view text) : file_(file)
{
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.size() > kind.max_bytes)
        throw toml_error(file, 1, 0,
                         fmt::format("the {} is larger than {} bytes", kind.name,
                                     with_commas(static_cast<std::int64_t>(kind.max_bytes))),
                         kind.if_too_large);
    if (const std::optional<toml_trouble> trouble = trouble_for_the_parser(text))
        throw toml_error(file, trouble->line, trouble->column, trouble->what, trouble->hint);
    spelled_ = spelled_in_ascii(text);
    for (std::size_t end = spelled_.find('\n'); end != std::string::npos; end = spelled_.find('\n', end + 1))
        lines_.push_back(end + 1);
    try {
        root_ = toml::parse(spelled_, file);
    } catch (const toml::parse_error& failure) {
        fail(failure.source(), from_ascii_spelling(failure.description()),
             fmt::format("the file is TOML; see {}", kind.page));
    }
}

std::string toml_document::place(const toml::source_region& at) const
{
    const std::string text = mistake(at, {}, {}).what();
    return text.substr(0, text.rfind(": "));
}

void toml_document::fail(const toml::source_region& at, const std::string& what, const std::string& hint) const
{
    throw mistake(at, what, hint);
}

toml_error toml_document::mistake(const toml::source_region& at, const std::string& what, const std::string& hint) const
{
    const auto line = static_cast<int>(at.begin.line);
    auto column = static_cast<int>(at.begin.column);
    if (column > 0 && line > 0 && at.begin.line <= lines_.size()) {
        const std::string_view from = std::string_view(spelled_).substr(lines_[at.begin.line - 1]);
        column = column_from_ascii_spelling(from.substr(0, from.find('\n')), column);
    }
    return {file_, std::max(line, 1), column, what, hint};
}

void toml_document::fail_type(const toml::node& node, const std::string& key, const std::string& wanted,
                              const std::string& example) const
{
    fail(node.source(), fmt::format("{} is {}, and must be {}", key, type_name(node), wanted), "write " + example);
}

void toml_document::read_keys(const toml::table& table, const keys& known, const std::string& where) const
{
    std::vector<std::string> names;
    for (const auto& [name, use] : known) names.push_back(name);
    for (const entry& entry : in_order(table)) {
        if (std::find(names.begin(), names.end(), entry.key) != names.end()) continue;
        fail(entry.place, fmt::format("unknown key {} {}", in_toml_quotes(entry.key), where),
             known_words_hint(entry.key, names));
    }
    for (const auto& [name, use] : known)
        if (const toml::node* node = table.get(name)) use(*node);
}

const toml::table& toml_document::table(const toml::node& node, const std::string& key,
                                        const std::string& example) const
{
    if (const toml::table* table = node.as_table()) return *table;
    fail_type(node, key, "a table", example);
}

std::string toml_document::text(const toml::node& node, const std::string& key, const std::string& example) const
{
    const auto* text = node.as_string();
    if (text == nullptr) fail_type(node, key, "a string", example);
    std::string result = decoded(*text);
    // No name, path or command argument can contain it.
    if (result.find('\0') != std::string::npos) fail(node.source(), key + " has a zero byte in it", "take it out");
    return result;
}

std::string toml_document::choice(const toml::node& node, const std::string& key,
                                  const std::vector<std::string>& choices) const
{
    std::string list;
    for (const std::string& choice : choices)
        list += (list.empty() ? "" : &choice == &choices.back() ? " or " : ", ") + in_toml_quotes(choice);
    std::string word = text(node, key, key + " = " + in_toml_quotes(choices.front()));
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return word;
    const std::string meant = nearest(word.substr(0, 64), choices);
    fail(node.source(), fmt::format("{} is {}", key, in_toml_quotes(word)),
         meant.empty() ? "write " + list : "did you mean " + in_toml_quotes(meant) + "?");
}

bool toml_document::truth(const toml::node& node, const std::string& key) const
{
    if (const auto* value = node.as_boolean()) return value->get();
    fail_type(node, key, "true or false", key + " = true");
}

std::int64_t toml_document::integer(const toml::node& node, const std::string& key, std::int64_t min,
                                    std::int64_t max) const
{
    const auto* value = node.as_integer();
    if (value == nullptr) fail_type(node, key, "a whole number", key + " = " + std::to_string(min));
    if (value->get() < min || value->get() > max)
        fail(node.source(), fmt::format("{} is {}", key, value->get()),
             fmt::format("it can be from {} to {}", min, with_commas(max)));
    return value->get();
}

double toml_document::number(const toml::node& node, const std::string& key, double min, double max,
                             bool above_zero) const
{
    const std::optional<double> value = node.is_number() ? node.value<double>() : std::nullopt;
    if (!value) fail_type(node, key, "a number", fmt::format("{} = {}", key, min));
    if (!(*value >= min && *value <= max) || (above_zero && *value <= 0))
        fail(node.source(), fmt::format("{} is {:.6g}", key, *value),
             above_zero ? fmt::format("it must be above 0 and at most {:.6g}", max)
                        : fmt::format("it can be from {:.6g} to {:.6g}", min, max));
    return *value;
}

parameter_value toml_document::value(const toml::node& node, const std::string& key) const
{
    if (const auto* truth = node.as_boolean()) return truth->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* number = node.as_floating_point()) {
        if (!std::isfinite(number->get()))
            fail(node.source(), key + " has a value that is not a number", "write a number");
        return number->get();
    }
    if (node.as_string() == nullptr)
        fail_type(node, "a value of " + key, "a number, a string, true or false", key + " = [32, 64, 128]");
    std::string word = text(node, key, "");
    if (word.size() > longest_value)
        fail(node.source(), key + " has a value of more than 1,000 characters", "use a shorter name");
    return word;
}

std::vector<toml_document::entry> toml_document::in_order(const toml::table& table)
{
    std::vector<entry> entries;
    for (const auto& [key, node] : table) entries.push_back({from_ascii_spelling(key.str()), key.source(), &node});
    std::stable_sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
        return std::tie(a.place.begin.line, a.place.begin.column) < std::tie(b.place.begin.line, b.place.begin.column);
    });
    return entries;
}

std::string decoded(const toml::value<std::string>& text)
{
    return from_ascii_spelling(text.get());
}

std::string known_words_hint(const std::string& unknown, const std::vector<std::string>& known)
{
    if (const std::string meant = nearest(unknown.substr(0, 64), known); !meant.empty())
        return "did you mean " + meant + "?";
    std::string hint = "there are: ";
    for (const std::string& name : known) hint += (name == known.front() ? "" : ", ") + name;
    return hint;
}

std::string in_toml_quotes(std::string_view text)
{
    return fmt::format("\"{}{}\"", text.substr(0, 80), text.size() > 80 ? "..." : "");
}

namespace {

std::string type_name(const toml::node& node)
{
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return node.as_array()->empty() ? "an empty list" : "a list";
        case toml::node_type::string:
            return "the string " + in_toml_quotes(decoded(*node.as_string()));
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

}  // namespace

}  // namespace launchbox
