// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bound_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "advice/bounds/bound_preamble.hpp"
#include "advice/bounds/kernel_declaration.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// Replaces bytes [begin, end) of the source by `text`.
struct replacement {
    std::size_t begin = 0, end = 0;
    std::string text;
};

class bound_editor {
public:
    bound_editor(std::string_view text, const bound_edit_request& request)
        : text_(text), request_(request), source_(read_source_text(text))
    {
        for (const source_directive& directive : source_.directives)
            if (directive.name == "define" && !directive.tokens.empty())
                macros_.emplace(directive.tokens.front().text, &directive);
    }
    bound_edit edit();

private:
    // The attribute among the words of a declaration, with its arguments.
    struct attribute_words {
        const source_token *first = nullptr, *last = nullptr;
    };

    bool check_request();
    std::optional<std::size_t> global_on_declared_line();
    std::optional<std::size_t> attribute_on(int line, std::string_view macro);
    bool choose_declaration();
    bool find_attribute();
    bool check_words();
    void plan_attribute();
    void plan_removal(std::size_t begin, std::size_t end);
    void plan_preamble();
    [[nodiscard]] std::string apply() const;

    [[nodiscard]] bool is_own_macro(std::string_view word) const { return own_macros_.contains(word); }
    [[nodiscard]] const source_directive* macro(std::string_view name) const;
    [[nodiscard]] bool is_bound(const source_token& token) const
    {
        return token.is("__launch_bounds__") || token.is("__maxnreg__") || is_own_macro(token.text);
    }
    bool refuse(std::string why)
    {
        result_.refusal = std::move(why);
        return false;
    }

    std::string_view text_;
    const bound_edit_request& request_;
    source_text source_;
    std::unordered_map<std::string_view, const source_directive*> macros_;  // the first definition of each
    std::vector<own_block> blocks_;
    std::unordered_set<std::string_view> own_macros_;
    kernel_declaration declaration_;
    attribute_words old_;
    std::vector<replacement> plan_;
    bound_edit result_;
};

bound_edit bound_editor::edit()
{
    blocks_ = find_own_blocks(text_, source_, request_.kernel);
    for (const own_block& block : blocks_) own_macros_.insert(block.macros.begin(), block.macros.end());
    if (!check_request() || !choose_declaration() || !find_attribute() || !check_words()) return result_;
    plan_preamble();  // first, because it goes above an attribute at the same place
    plan_attribute();
    result_.line = old_.first != nullptr ? old_.first->line : declaration_.head[declaration_.name]->line;
    if (old_.first != nullptr) result_.old = text_.substr(old_.first->begin, old_.last->end - old_.first->begin);
    result_.text = apply();
    return result_;
}

// The preamble must be one that can be found again.
bool bound_editor::check_request()
{
    if (request_.preamble.empty()) return true;
    if (!is_one_block(request_.preamble) || request_.attribute.empty())
        return refuse("the lines to be put above it are not one #if block");
    std::string lines;
    for (const std::string& line : request_.preamble) lines += line + '\n';
    for (const source_directive& directive : read_source_text(lines).directives) {
        if (directive.name != "define" || directive.tokens.empty()) continue;
        const source_directive* other = macro(directive.tokens.front().text);
        if (other == nullptr || is_own_macro(directive.tokens.front().text)) continue;
        return refuse(
            fmt::format("line {} defines {} already", other->line, escape_for_terminal(directive.tokens.front().text)));
    }
    return true;
}

const source_directive* bound_editor::macro(std::string_view name) const
{
    const auto found = macros_.find(name);
    return found == macros_.end() ? nullptr : found->second;
}

std::optional<std::size_t> bound_editor::global_on_declared_line()
{
    const int line = request_.declared_line;
    std::optional<std::size_t> found;
    std::string_view macro_on_line;
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
        const source_token& token = source_.tokens[i];
        if (token.line != line) continue;
        if (token.kind == source_token_kind::identifier && macro_on_line.empty() &&
            std::none_of(token.text.begin(), token.text.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
            macro_on_line = token.text;
        if (!token.is("__global__")) continue;
        if (found) {
            refuse(fmt::format("there are two __global__ on line {}", line));
            return std::nullopt;
        }
        found = i;
    }
    if (found) return found;
    for (const source_directive& directive : source_.directives)
        if (directive.line <= line && line <= directive.last_line) {
            const bool names = directive.name == "define" && !directive.tokens.empty();
            refuse(names ? fmt::format("{} is declared by the macro {} (line {})", request_.kernel,
                                       escape_for_terminal(directive.tokens.front().text), directive.line)
                         : fmt::format("line {} is a directive of the preprocessor, not a kernel: the file changed "
                                       "since it was compiled",
                                       line));
            return std::nullopt;
        }
    refuse(macro_on_line.empty()
               ? fmt::format("line {} has no __global__: the file changed since it was compiled", line)
               : fmt::format("line {} has no __global__: a macro stands for it ({}), or the file changed since it was "
                             "compiled",
                             line, escape_for_terminal(macro_on_line)));
    return std::nullopt;
}

// The attribute on a line, or, with `macro`, the first use of a macro that we wrote.
std::optional<std::size_t> bound_editor::attribute_on(int line, std::string_view macro)
{
    int tries = 16;  // each reads the file; a line has no more declarations
    for (std::size_t i = 0; i < source_.tokens.size() && tries > 0; ++i) {
        const source_token& token = source_.tokens[i];
        if (macro.empty() ? token.line == line && is_bound(token) : token.is(macro)) {
            --tries;
            const found_declaration found = read_kernel_declaration(source_, i, request_.kernel);
            if (found.declaration) return i;
        }
    }
    return std::nullopt;
}

// The definition, or another declaration of the same kernel that has the attribute.
bool bound_editor::choose_declaration()
{
    const std::optional<std::size_t> global = global_on_declared_line();
    if (!global) return false;
    found_declaration found = read_kernel_declaration(source_, *global, request_.kernel);
    if (!found.declaration) return refuse(found.refusal);
    declaration_ = std::move(*found.declaration);
    const auto holds_bound = [&](const std::vector<const source_token*>& words) {
        return std::any_of(words.begin(), words.end(), [&](const source_token* word) { return is_bound(*word); });
    };
    if (!request_.attribute_line || holds_bound(declaration_.head) || holds_bound(declaration_.tail)) return true;

    const int line = *request_.attribute_line;
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const own_block& block) {
        return block.line <= line && line <= block.last_line;
    });
    const std::optional<std::size_t> elsewhere =
        attribute_on(line, block != blocks_.end() && !block->macros.empty() ? block->macros.front() : "");
    if (!elsewhere)
        return refuse(
            fmt::format("line {} has no __launch_bounds__ or __maxnreg__ of {}: it is in a macro or another file, or "
                        "the file changed since it was compiled",
                        line, request_.kernel));
    found = read_kernel_declaration(source_, *elsewhere, request_.kernel);
    declaration_ = std::move(*found.declaration);
    return true;
}

bool bound_editor::find_attribute()
{
    for (const auto* words : {&declaration_.head, &declaration_.tail}) {
        for (std::size_t i = 0; i < words->size(); ++i) {
            const source_token& token = *(*words)[i];
            if (!is_bound(token)) continue;
            if (old_.first != nullptr)
                return refuse(fmt::format("{} has two bounds, on lines {} and {}", request_.kernel, old_.first->line,
                                          token.line));
            old_ = {&token, &token};
            if (is_own_macro(token.text)) continue;
            if (i + 1 == words->size() || !(*words)[i + 1]->is("("))
                return refuse(fmt::format("the arguments of {} on line {} come from a macro", token.text, token.line));
            int depth = 0;
            for (++i; i < words->size(); ++i) {
                if ((*words)[i]->is("(")) ++depth;
                if ((*words)[i]->is(")") && --depth == 0) break;
            }
            old_.last = (*words)[std::min(i, words->size() - 1)];
        }
    }
    if (old_.first == nullptr) {
        if (request_.attribute.empty()) return refuse(fmt::format("{} has no bound to remove", request_.kernel));
        return true;
    }
    if (is_own_macro(old_.first->text)) return true;
    if (!request_.attribute_line)
        return refuse(
            fmt::format("the compiler saw no bound, and line {} has {}: another branch of an #if has it, or "
                        "the file changed since it was compiled",
                        old_.first->line, old_.first->text));
    if (*request_.attribute_line != old_.first->line)
        return refuse(
            fmt::format("the compiler saw the bound on line {}, and {} is on line {}: the file changed since "
                        "it was compiled",
                        *request_.attribute_line, old_.first->text, old_.first->line));
    return true;
}

// The rest of the declaration must not add or exclude a bound, or hide words from one of the compilations.
bool bound_editor::check_words()
{
    const source_token& name = *declaration_.head[declaration_.name];
    int branch = name.branch;
    for (const auto* words : {&declaration_.head, &declaration_.tail})
        for (const source_token* token : *words) {
            if (token->is("__global__")) branch = token->branch;
            if (token->is("__block_size__") && !request_.attribute.empty())
                return refuse(
                    fmt::format("{} has __block_size__ (line {}), which cannot be combined with a launch bound",
                                request_.kernel, token->line));
            if (token->kind != source_token_kind::identifier || is_own_macro(token->text)) continue;
            const source_directive* definition = macro(token->text);
            if (definition == nullptr) continue;
            for (const source_token& word : definition->tokens)
                if (word.is("__launch_bounds__") || word.is("__maxnreg__") || word.is("launch_bounds") ||
                    word.is("maxnreg") || word.is("template") || word.is("__block_size__"))
                    return refuse(fmt::format("the declaration of {} uses the macro {} (line {}), which holds {}",
                                              request_.kernel, escape_for_terminal(token->text), definition->line,
                                              word.text));
        }
    for (const source_token* token : {&name, old_.first, old_.last})
        if (token != nullptr && token->branch != branch)
            return refuse(fmt::format("the declaration of {} has an #if of its own inside (line {})", request_.kernel,
                                      token->line));
    if (old_.first != nullptr)
        for (const source_directive& directive : source_.directives)
            if (directive.begin > old_.first->begin && directive.begin < old_.last->end)
                return refuse(fmt::format("there is a directive of the preprocessor in the bound of {} (line {})",
                                          request_.kernel, directive.line));
    return true;
}

void bound_editor::plan_attribute()
{
    if (old_.first == nullptr) {
        const std::size_t at = declaration_.head[declaration_.qualified_name]->begin;
        plan_.push_back({at, at, request_.attribute + ' '});
    } else if (!request_.attribute.empty()) {
        plan_.push_back({old_.first->begin, old_.last->end, request_.attribute});
    } else {
        plan_removal(old_.first->begin, old_.last->end);
    }
}

// Removes it with adjacent blanks, and with its line if nothing else is on it.
void bound_editor::plan_removal(std::size_t begin, std::size_t end)
{
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const std::size_t line = line_begin(text_, begin);
    std::size_t before = begin, after = end;
    while (before > line && is_blank(text_[before - 1])) --before;
    while (after < text_.size() && is_blank(text_[after])) ++after;
    const std::size_t feed = text_.substr(after, 2) == "\r\n" ? 2 : text_.substr(after, 1) == "\n" ? 1 : 0;
    if (feed > 0 && before == line)
        plan_.push_back({line, after + feed, {}});
    else if (feed > 0 || after == text_.size() || text_[after] == ';' || text_[after] == '{')
        plan_.push_back({before, end, {}});
    else
        plan_.push_back({begin, after, {}});
}

void bound_editor::plan_preamble()
{
    const std::size_t top = top_of_declaration(text_, source_, declaration_);
    const auto old =
        std::find_if(blocks_.begin(), blocks_.end(), [&](const own_block& block) { return block.end == top; });
    const std::size_t feed = text_.find('\n');
    const bool windows = feed != std::string_view::npos && feed > 0 && text_[feed - 1] == '\r';
    std::string text = preamble_text(request_.kernel, request_.preamble, windows ? "\r\n" : "\n");
    if (old != blocks_.end())
        plan_.push_back({old->begin, old->end, std::move(text)});
    else if (!text.empty())
        plan_.push_back({top, top, std::move(text)});
}

std::string bound_editor::apply() const
{
    std::vector<replacement> plan = plan_;
    std::stable_sort(plan.begin(), plan.end(),
                     [](const replacement& a, const replacement& b) { return a.begin < b.begin; });
    std::string text;
    std::size_t from = 0;
    for (const replacement& edit : plan) {
        text.append(text_, from, edit.begin - from).append(edit.text);
        from = edit.end;
    }
    return text.append(text_, from);
}

}  // namespace

bound_edit edit_bound(std::string_view source, const bound_edit_request& request)
{
    return bound_editor(source, request).edit();
}

}  // namespace launchbox
