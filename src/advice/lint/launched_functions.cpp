// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/launched_functions.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

constexpr int deepest = 8;                 // nesting of variables that refer to each other
constexpr std::size_t max_steps = 20'000;  // tokens examined for one launch

bool is_file_scope(const source_declarations& names, int number)
{
    const source_scope* scope = names.scope(number);
    return scope == nullptr || scope->kind == scope_kind::file;
}

// The position after the > that ends the template arguments opened by this <; `nullopt` if it is a comparison.
std::optional<std::size_t> end_of_template_arguments(token_span words, std::size_t open)
{
    const std::size_t close = closing_bracket(words, open);
    if (close >= words.size()) return std::nullopt;
    if (close + 1 < words.size() && !words[close + 1].is_any({",", ")", "}", ";", ":", "]", "(", "<<<"}))
        return std::nullopt;
    return close + 1;
}

class function_finder {
public:
    function_finder(const source_view& view, const std::function<bool(std::string_view)>& is_kernel)
        : view_(view), names_(view.names), tokens_(view.source.tokens), is_kernel_(is_kernel)
    {
    }

    launched_functions of(const source_launch& launch)
    {
        found_.through_pointer = launch.form == launch_form::graph_node || launch.form == launch_form::driver_call;
        if (launch.form == launch_form::graph_node) add_node(launch);
        if (launch.form == launch_form::driver_call) add_entry(launch);
        if (found_.through_pointer) {
            found_.is_complete &= !found_.all.empty();
            return std::move(found_);
        }
        const function_name_in_text& named = launch.function;
        std::optional<source_declaration> variable;
        if (named.qualifiers.empty() && !named.has_arguments && !named.name.empty())
            variable = pointer_named(named.name, launch.first);
        if (!named.name.empty() && !variable) return {.all = {{named, launch.first}}};
        found_.through_pointer = true;
        add(launch.callee, launch.first, "", 0);
        found_.is_complete &= !found_.all.empty();
        return std::move(found_);
    }

private:
    // The variable or parameter that this name means there; `nullopt` for a function, or an integer.
    [[nodiscard]] std::optional<source_declaration> pointer_named(std::string_view name, std::size_t at) const
    {
        auto found = names_.find(name, at);
        if (!found || found->name == 0) return std::nullopt;
        if (found->kind == declared_as::macro || found->kind == declared_as::enumerator) return std::nullopt;
        if (is_kernel_(name) && is_file_scope(names_, found->scope)) return std::nullopt;
        if (!found->is_function && integer_type_named(without_qualifiers(found->type))) return std::nullopt;
        return found;
    }

    void add_node(const source_launch& launch);
    void add_entry(const source_launch& launch);
    // `member`: the launched member of what the expression names; empty: the object itself.
    void add(token_span words, std::size_t at, std::string_view member, int depth);
    void add_call(std::string_view function, token_span arguments, std::size_t at, std::string_view member, int depth);
    void add_variable(const source_declaration& variable, std::size_t at, std::string_view member, int depth);
    void add_other_values(const source_declaration& variable, std::string_view member, int depth);
    void add_arguments(const source_declaration& parameter, std::string_view member, int depth);
    void add_template_arguments(const source_declaration& parameter, int depth);
    void add_rows(const source_declaration& variable, token_span value, std::size_t at, std::string_view member,
                  int depth);
    [[nodiscard]] std::optional<std::size_t> position_in(std::string_view type, std::string_view member) const;
    // With the calls that lead here: another call may give a parameter another value.
    [[nodiscard]] std::string with_calls(std::string text) const
    {
        for (const auto& call : calls_) text += "@" + std::to_string(call.place);
        return text;
    }
    [[nodiscard]] token_span between(std::size_t open) const
    {
        const std::size_t close = closing_bracket(tokens_, open);
        return close < tokens_.size() ? token_span(tokens_).subspan(open + 1, close - open - 1) : token_span{};
    }
    [[nodiscard]] std::size_t place_of(const source_token& token) const
    {
        return static_cast<std::size_t>(&token - tokens_.data());
    }

    const source_view& view_;
    const source_declarations& names_;
    const std::vector<source_token>& tokens_;
    const std::function<bool(std::string_view)>& is_kernel_;
    launched_functions found_;
    // Of one way of calls to the launch, variables with the member; and all functions found.
    std::set<std::pair<std::size_t, std::string>> seen_;
    std::set<std::string> added_;
    std::vector<source_values::call_in_text> calls_;  // the innermost first
    std::size_t steps_ = 0;
};

// The kernel of a graph's node: parameters.func = (void*)scale.
void function_finder::add_node(const source_launch& launch)
{
    token_span words = launch.config;
    if (!words.empty() && words[0].is("&")) words = words.subspan(1);
    const auto object = words.size() == 1 ? view_.values.state_of(words[0].text, launch.first) : std::nullopt;
    if (!object) return;
    const int position = launch.part.empty() ? 0 : -1;
    const auto function = view_.values.member_of(*object, std::string(launch.part) + "func", position);
    if (function && !function->words.empty()) add(function->words, function->at, "", 0);
}

// The kernel that cuModuleGetFunction(&function, module, "scale") looks up for the launched variable.
void function_finder::add_entry(const source_launch& launch)
{
    if (launch.callee.size() != 1) return;
    constexpr std::size_t max_uses = 500;
    const std::string_view name = launch.callee[0].text;
    if (names_.places(name).size() > max_uses) return;
    const auto variable = names_.find(name, launch.first);
    std::set<std::string_view> entries;
    for (const std::size_t place : names_.places(name)) {
        if (place < 3 || !tokens_[place - 1].is("&") || !tokens_[place - 2].is("(") ||
            !tokens_[place - 3].is_any({"cuModuleGetFunction", "cuLibraryGetKernel"}))
            continue;
        const auto meant = names_.find(name, place);
        if (!variable || !meant || !same(*meant, *variable)) continue;
        const std::vector<token_span> given = split_at_commas(between(place - 2));
        const bool literal = given.size() == 3 && given[2].size() == 1 && given[2][0].text.starts_with('"');
        const std::string_view text = literal ? given[2][0].text : std::string_view{};
        if (text.size() < 3) return;
        if (!entries.insert(text.substr(1, text.size() - 2)).second || entries.size() > 1) continue;
        found_.all.push_back({{.name = *entries.begin(), .qualifiers = {}, .arguments = {}}, launch.first});
    }
    if (entries.size() > 1) found_.all.clear();
}

void function_finder::add(token_span words, std::size_t at, std::string_view member, int depth)
{
    if (depth > deepest || (steps_ += words.size()) > max_steps) {
        found_.is_complete = false;
        return;
    }
    // Skip the condition of ?:, which contains no function to launch.
    int open = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].is_any({"(", "[", "{"})) ++open;
        if (words[i].is_any({")", "]", "}"})) --open;
        if (open != 0 || !words[i].is("?")) continue;
        words = words.subspan(i + 1);
        break;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        const source_token* before = i > 0 ? &words[i - 1] : nullptr;
        // {.name = "copy", .kernel = copy}
        if (words[i].is(".") && (before == nullptr || before->is_any({"{", ","})) && i + 2 < words.size() &&
            words[i + 2].is("=")) {
            const bool other = !member.empty() && words[i + 1].text != member;
            i += 2;
            for (; other && i + 1 < words.size() && !words[i + 1].is_any({",", "}"}); ++i)
                if (words[i + 1].is_any({"(", "[", "{"}))
                    i = std::min(closing_bracket(words, i + 1), words.size() - 1) - 1;
            continue;
        }
        const bool index = words[i].is("[") && before != nullptr &&
                           (before->kind == source_token_kind::identifier || before->is_any({"]", ")"}));
        if (index) i = std::min(closing_bracket(words, i), words.size() - 1);
        if (words[i].kind != source_token_kind::identifier) continue;
        if (before != nullptr && before->is_any({".", "->"})) continue;
        std::size_t last = i;
        while (last + 2 < words.size() && words[last + 1].is("::") &&
               words[last + 2].kind == source_token_kind::identifier)
            last += 2;
        std::size_t end = last + 1;
        if (end < words.size() && words[end].is("<")) end = end_of_template_arguments(words, end).value_or(end);
        const std::string_view name = words[last].text;
        if (end < words.size() && words[end].is("(")) {
            const std::size_t close = closing_bracket(words, end);
            if (close < words.size()) {
                add_call(name, words.subspan(end + 1, close - end - 1), at, member, depth);
                i = close;
                continue;
            }
        }
        const auto variable = last == i && end == i + 1 ? pointer_named(name, at) : std::nullopt;
        if (variable) {
            // For `table[i].kernel`, the member is launched.
            std::string_view own = member;
            std::size_t next = end;
            while (next + 1 < words.size() && words[next].is_any({"[", ".", "->"})) {
                if (!words[next].is("[")) own = words[next + 1].text;
                next = words[next].is("[") ? closing_bracket(words, next) + 1 : next + 2;
            }
            add_variable(*variable, at, own, depth + 1);
        } else if (is_kernel_(name)) {
            const function_name_in_text function = read_function_name(words.subspan(i, end - i));
            std::string key = function.has_arguments ? std::to_string(at) + "<" : std::string();
            for (const std::string_view one : function.qualifiers) key.append(one).append("::");
            if (function.has_arguments || added_.insert(with_calls(key + std::string(function.name))).second)
                found_.all.push_back({function, at, calls_});
        }
        i = end - 1;
    }
}

void function_finder::add_call(std::string_view function, token_span arguments, std::size_t at, std::string_view member,
                               int depth)
{
    const std::size_t before = found_.all.size();
    add(arguments, at, member, depth + 1);
    bool known = found_.all.size() > before;
    for (std::size_t number = 0; number < names_.scopes().scopes.size(); ++number) {
        const source_scope& scope = names_.scopes().scopes[number];
        const bool begins = scope.name == function && (scope.outer < 0 || names_.scope(scope.outer)->name.empty());
        if (!begins || scope.global || !seen_.emplace(scope.open, with_calls("return")).second) continue;
        for (const std::size_t place : names_.places("return"))
            if (scope.holds(place)) {
                std::size_t end = place + 1;
                while (end < tokens_.size() && !tokens_[end].is(";"))
                    end = tokens_[end].is_any({"(", "[", "{"}) ? closing_bracket(tokens_, end) + 1 : end + 1;
                end = std::min(end, tokens_.size());
                add(token_span(tokens_).subspan(place + 1, end - place - 1), place, member, depth + 1);
                known = true;
            }
    }
    found_.is_complete &= known || function == "nullptr_t";
}

void function_finder::add_variable(const source_declaration& variable, std::size_t at, std::string_view member,
                                   int depth)
{
    if (!seen_.emplace(variable.name, with_calls(std::string(member))).second) return;
    if (variable.kind == declared_as::template_parameter) return add_template_arguments(variable, depth);
    // If the value at this place is certain, use that.
    const bool list = !variable.value.empty() && variable.value[0].is("{");
    if (member.empty() && !variable.is_array && variable.kind != declared_as::unknown) {
        const auto object = view_.values.state_of(variable, at);
        const bool from_list = object && object->assigned.empty() && (list || variable.form == '{');
        if (object && !from_list)
            if (const auto value = view_.values.member_of(*object, "", 0); value && !value->words.empty())
                return add(value->words, value->at, member, depth);
    }
    add_other_values(variable, member, depth);
    if (variable.kind == declared_as::parameter) add_arguments(variable, member, depth);
}

void function_finder::add_other_values(const source_declaration& variable, std::string_view member, int depth)
{
    bool any = false;
    for (const source_values::given_value& one : view_.values.values_given(variable)) {
        const std::string_view path = one.path;
        const std::string_view last = path.substr(path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.') + 1);
        const bool of_other = !member.empty() && !last.empty() && !last.starts_with('[') && last != member;
        if (of_other && !one.words.empty()) continue;
        any = true;
        if (!one.words.empty()) {
            if (last == member)
                add(one.words, one.at, "", depth);
            else
                add_rows(variable, one.words, one.at, member, depth);
            continue;
        }
        // table.push_back(copy)
        std::size_t open = one.at + 1;
        while (open + 1 < tokens_.size() && tokens_[open].is_any({".", "->"})) open += 2;
        const std::size_t before = found_.all.size();
        if (open > one.at + 1 && tokens_[open].is("(")) add(between(open), one.at, member, depth);
        found_.is_complete &= found_.all.size() > before;
    }
    // for (auto k : kernels), auto [name, k] = table[i]
    std::size_t next = variable.name + 1;
    while (next < tokens_.size() && (tokens_[next].is(",") || tokens_[next].kind == source_token_kind::identifier))
        ++next;
    if (next < tokens_.size() && tokens_[next].is("]")) ++next;
    if (variable.form == 0 && next < tokens_.size() && tokens_[next].is_any({":", "="})) {
        const std::size_t end = end_of_value(tokens_, next + 1);
        add(token_span(tokens_).subspan(next + 1, end - next - 1), variable.name, member, depth);
        any = true;
    }
    found_.is_complete &= any || variable.kind == declared_as::parameter;
}

// The parts of `{{"copy", copy}, {"naive", naive}}` that are this member.
void function_finder::add_rows(const source_declaration& variable, token_span value, std::size_t at,
                               std::string_view member, int depth)
{
    std::optional<std::size_t> position;
    if (!member.empty())
        for (const source_token& word : variable.type)
            if (word.kind == source_token_kind::identifier && !position) position = position_in(word.text, member);
    if (!position) return add(value, at, member, depth);
    std::vector<token_span> rows{value};
    const bool braces = value[0].is("{") && closing_bracket(value, 0) + 1 == value.size();
    if (braces) rows = {value.subspan(1, value.size() - 2)};
    if (braces && value.size() > 2 && value[1].is("{")) rows = split_at_commas(rows[0]);
    for (token_span row : rows) {
        if (!row.empty() && row[0].is("{") && closing_bracket(row, 0) + 1 == row.size())
            row = row.subspan(1, row.size() - 2);
        if (!row.empty() && row[0].is(".")) {
            add(row, at, member, depth);
            continue;
        }
        const std::vector<token_span> parts = split_at_commas(row);
        if (*position < parts.size()) add(parts[*position], at, "", depth);
    }
}

std::optional<std::size_t> function_finder::position_in(std::string_view type, std::string_view member) const
{
    const std::optional<int> number = names_.type_named(type);
    if (!number) return std::nullopt;
    const source_scope& scope = *names_.scope(*number);
    std::size_t position = 0;
    for (std::size_t at = scope.open + 1; at < scope.close;) {
        for (const declarator& one : declarators(tokens_, at)) {
            if (tokens_[one.name].is(member)) return position;
            ++position;
        }
        while (at < scope.close && !tokens_[at].is(";"))
            at = tokens_[at].is_any({"(", "{"}) ? closing_bracket(tokens_, at) + 1 : at + 1;
        ++at;
    }
    return std::nullopt;
}

// Adds the arguments in calls of its function, or of the lambda that it belongs to.
void function_finder::add_arguments(const source_declaration& parameter, std::string_view member, int depth)
{
    const source_scope* scope = names_.scope(parameter.scope);
    std::size_t open = scope == nullptr ? 0 : scope->head;
    while (scope != nullptr && open < parameter.name &&
           !(tokens_[open].is("(") && closing_bracket(tokens_, open) > parameter.name))
        ++open;
    if (scope == nullptr || open == 0 || open >= parameter.name) {
        found_.is_complete = false;
        return;
    }
    const token_span list = between(open);
    const std::vector<token_span> parameters = split_at_commas(list);
    std::size_t position = 0;
    while (position < parameters.size() &&
           (parameters[position].empty() || place_of(parameters[position].back()) < parameter.name))
        ++position;
    std::string_view function = tokens_[open - 1].text;
    if (tokens_[open - 1].is("]")) {  // auto run = [&](auto kernel) {...};
        std::size_t square = open - 1;
        while (square > scope->head && !tokens_[square].is("[")) --square;
        function = square > 1 && tokens_[square - 1].is("=") ? tokens_[square - 2].text : std::string_view{};
    }
    bool called = false;
    for (const std::size_t place : names_.places(function)) {
        std::size_t bracket = place + 1;
        if (bracket < tokens_.size() && tokens_[bracket].is("<"))
            bracket = std::min(closing_bracket(tokens_, bracket) + 1, tokens_.size());
        if (bracket >= tokens_.size() || !tokens_[bracket].is("(") || bracket == open) continue;
        const source_token& before = tokens_[place - (place > 0 ? 1 : 0)];
        const bool declares = (before.kind == source_token_kind::identifier && !is_word_of_statement(before)) ||
                              before.is_any({"*", "&", ">"});
        if (declares) continue;
        const std::vector<token_span> given = split_at_commas(between(bracket));
        if (position >= given.size()) continue;
        called = true;
        const std::size_t already = found_.all.size();
        calls_.push_back({parameter.scope, place, open, bracket});
        add(given[position], place, member, depth);
        calls_.pop_back();
        found_.is_complete &= found_.all.size() > already || !seen_.empty();
    }
    found_.is_complete &= called;
}

void function_finder::add_template_arguments(const source_declaration& parameter, int depth)
{
    const source_scope* scope = names_.scope(parameter.scope);
    bool called = false;
    for (std::size_t i = scope->head; i + 1 < scope->open; ++i) {
        if (!tokens_[i].is("template") || !tokens_[i + 1].is("<")) continue;
        const std::size_t close = closing_bracket(tokens_, i + 1);
        if (close >= scope->open || parameter.name <= i || parameter.name >= close) continue;
        const std::vector<token_span> parameters = split_at_commas(token_span(tokens_).subspan(i + 2, close - i - 2));
        std::size_t position = 0;
        while (position < parameters.size() &&
               (parameters[position].empty() || place_of(parameters[position].back()) < parameter.name))
            ++position;
        for (const std::size_t place : names_.places(scope->name)) {
            if (place + 1 >= tokens_.size() || !tokens_[place + 1].is("<")) continue;
            const std::size_t end = closing_bracket(tokens_, place + 1);
            if (end >= tokens_.size()) continue;
            const std::vector<token_span> given =
                split_at_commas(token_span(tokens_).subspan(place + 2, end - place - 2));
            if (position >= given.size()) continue;
            called = true;
            source_values::call_in_text call{.scope = parameter.scope, .place = place};
            if (end + 1 < tokens_.size() && tokens_[end + 1].is("(")) call.arguments = end + 1;
            for (std::size_t at = close; at + 1 < scope->open && call.parameters == 0; ++at)
                if (tokens_[at].is(scope->name) && tokens_[at + 1].is("(")) call.parameters = at + 1;
            calls_.push_back(call);
            add(given[position], place, "", depth);
            calls_.pop_back();
        }
    }
    found_.is_complete &= called;
}

}  // namespace

launched_functions functions_launched(const source_view& view, const source_launch& launch,
                                      const std::function<bool(std::string_view name)>& is_kernel)
{
    return function_finder(view, is_kernel).of(launch);
}

bool takes_address_of(const source_view& view, std::string_view name)
{
    const std::vector<source_token>& tokens = view.source.tokens;
    for (const std::size_t place : view.names.places(name)) {
        std::size_t next = place + 1;
        if (next < tokens.size() && tokens[next].is("<")) next = end_of_template_arguments(tokens, next).value_or(next);
        if (place == 0 || next >= tokens.size() || tokens[next].is_any({"(", "<<<", "<"})) continue;
        if (tokens[place - 1].is_any({".", "->"})) continue;
        const auto meant = view.names.find(name, place);
        if (meant && meant->name != 0 && !is_file_scope(view.names, meant->scope)) continue;
        const statement_begin begin = begin_of_statement(tokens, place);
        if (begin.bracket && *begin.bracket > 0) {
            const std::string_view function = tokens[*begin.bracket - 1].text;
            if (function.starts_with("cudaFunc") || function.starts_with("cudaOccupancy")) continue;
        }
        return true;
    }
    return false;
}

}  // namespace launchbox
