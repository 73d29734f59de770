// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bound_preamble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace launchbox {

namespace {

std::string preamble_comment(std::string_view kernel)
{
    return fmt::format("// Launch bounds of {} by architecture, written by launchbox bounds --apply", kernel);
}

// The beginning of the line at `at`, or of an earlier one if that is inside a word, a comment, a directive or a
// continued line.
std::size_t outside_of_words(std::string_view text, const source_text& source, std::size_t at);

}  // namespace

std::vector<own_block> find_own_blocks(std::string_view text, const source_text& source, std::string_view kernel)
{
    const std::string wanted = preamble_comment(kernel);
    std::vector<own_block> blocks;
    std::size_t next = 0;  // directive
    for (const source_comment& comment : source.comments) {
        std::string_view words = text.substr(comment.begin, comment.end - comment.begin);
        if (words.ends_with('\r')) words.remove_suffix(1);
        if (words != wanted) continue;
        while (next < source.directives.size() && source.directives[next].begin < comment.end) ++next;
        if (next == source.directives.size()) break;
        if (source.directives[next].line != comment.last_line + 1 || !source.directives[next].name.starts_with("if"))
            continue;
        own_block block{
            .begin = line_begin(text, comment.begin), .end = 0, .line = comment.line, .last_line = 0, .macros = {}};
        int depth = 0;
        for (; next < source.directives.size(); ++next) {
            const source_directive& directive = source.directives[next];
            if (directive.name.starts_with("if")) ++depth;
            if (directive.name == "define" && !directive.tokens.empty())
                block.macros.push_back(directive.tokens.front().text);
            if (directive.name != "endif" || --depth > 0) continue;
            block.end = std::min(line_end(text, directive.end) + 1, text.size());
            block.last_line = directive.last_line;
            break;
        }
        const auto inside =
            std::lower_bound(source.tokens.begin(), source.tokens.end(), block.begin,
                             [](const source_token& token, std::size_t at) { return token.begin < at; });
        if (block.end == 0 || (inside != source.tokens.end() && inside->begin < block.end)) continue;
        blocks.push_back(std::move(block));
    }
    return blocks;
}

bool is_one_block(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    const source_text preamble = read_source_text(text);
    const auto& directives = preamble.directives;
    const auto begins = [](const source_directive& directive) { return directive.name.starts_with("if"); };
    return preamble.tokens.empty() && preamble.comments.empty() && !directives.empty() && begins(directives.front()) &&
           directives.back().name == "endif" && std::count_if(directives.begin(), directives.end(), begins) == 1;
}

std::string preamble_text(std::string_view kernel, const std::vector<std::string>& lines, std::string_view line_feed)
{
    if (lines.empty()) return {};
    std::string text = preamble_comment(kernel);
    text += line_feed;
    for (const std::string& line : lines) {
        text += line;
        text += line_feed;
    }
    return text;
}

std::size_t top_of_declaration(std::string_view text, const source_text& source, const kernel_declaration& declaration)
{
    const source_token* first = declaration.head.front();
    std::size_t top = first->begin;
    int branch = first->branch;
    for (const source_token* token : declaration.head)
        if (token->is("__global__")) branch = token->branch;
    // If the first word is inside an #if of its own, leave that.
    for (int in = first->branch; in >= 0 && in != branch; in = source.branches[static_cast<std::size_t>(in)].outer) {
        const source_branch& enclosing = source.branches[static_cast<std::size_t>(in)];
        const auto opening = source.branches[static_cast<std::size_t>(enclosing.group)].directive;
        top = source.directives[opening].begin;
        if (enclosing.outer == branch) break;
    }
    top = outside_of_words(text, source, top);
    // Comments that end on the line before, and begin on a line of their own, belong to the declaration.
    for (auto comment = source.comments.rbegin(); comment != source.comments.rend(); ++comment) {
        if (comment->begin >= top) continue;
        if (line_end(text, comment->end) + 1 != top) break;
        const std::size_t line = line_begin(text, comment->begin);
        if (text.substr(line, comment->begin - line).find_first_not_of(" \t") != std::string_view::npos) break;
        const std::string_view rest = text.substr(comment->end, top - comment->end);
        if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos) break;
        top = outside_of_words(text, source, line);
    }
    return top;
}

namespace {

std::size_t outside_of_words(std::string_view text, const source_text& source, std::size_t at)
{
    const auto around = [](const auto& ranges, std::size_t place) {
        const auto after = std::lower_bound(ranges.begin(), ranges.end(), place,
                                            [](const auto& range, std::size_t value) { return range.begin < value; });
        return after != ranges.begin() && std::prev(after)->end > place ? std::prev(after)->begin : place;
    };
    for (;;) {
        std::size_t line = line_begin(text, at);
        if (line == 0) return text.starts_with("\xef\xbb\xbf") ? 3 : 0;
        at = std::min({around(source.tokens, line), around(source.comments, line), around(source.directives, line)});
        const std::string_view before = text.substr(0, line);
        if (at == line && (before.ends_with("\\\n") || before.ends_with("\\\r\n"))) at = line - 1;
        if (at == line) return line;
    }
}

}  // namespace

}  // namespace launchbox
