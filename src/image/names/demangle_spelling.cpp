// SPDX-License-Identifier: Apache-2.0
#include "image/names/demangle_spelling.hpp"

#include <cctype>
#include <vector>

namespace launchbox {

namespace {

constexpr std::string_view keyword = "operator";

bool is_word(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The length of `operator<<` or `operator()` at i; 0 if there is none.
std::size_t operator_name(std::string_view text, std::size_t i)
{
    if (text[i] != keyword.front() || !text.substr(i).starts_with(keyword) || (i > 0 && is_word(text[i - 1]))) return 0;
    // Longer ones first. The name may be followed by the < of its template arguments.
    constexpr std::string_view names[] = {"<=>", "<<=", ">>=", "->*", "()", "<<", ">>", "<=", ">=", "->", "<", ">"};
    const std::string_view rest = text.substr(i + keyword.size());
    for (const std::string_view name : names)
        if (rest.starts_with(name)) return keyword.size() + name.size();
    return 0;
}

}  // namespace

std::string one_spelling(std::string_view text)
{
    struct bracket {
        char kind;
        std::size_t written_at;
        char operand_of = '\0';  // & or ! for the parenthesis in `<&(` and `<!(`
        bool has_operator = false;
    };
    std::vector<bracket> open;
    std::string result;
    result.reserve(text.size());
    const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t length = operator_name(text, i); length > 0) {
            result += text.substr(i, length);
            i += length;
            // `operator<<int>`, LLVM's spelling of operator< for int.
            const bool less_of = result.ends_with("operator<<") && (is_word(at(i)) || at(i) == ':');
            if (less_of || at(i) == '<') open.push_back({'<', result.size()});
            if (at(i) == '<') result += text[i++];
            --i;
            continue;
        }
        const char c = text[i], before = i > 0 ? text[i - 1] : '\0', before_that = i > 1 ? text[i - 2] : '\0';
        const bool in_arguments = !open.empty() && open.back().kind == '<';
        // Operators within expressions have spaces around them, and those with > are in parentheses.
        switch (c) {
            case '<':
                if (before != ' ' && (before != '<' || before_that != ' ')) open.push_back({c, result.size()});
                break;
            case '>':
                if (in_arguments && before != '-' && (before != ' ' || before_that == '>') && at(i + 1) != '=')
                    open.pop_back();
                break;
            case ' ':
                if (before == '>' && in_arguments && at(i + 1) == '>' && at(i + 2) != '=') continue;
                if (!open.empty()) open.back().has_operator = true;
                break;
            case '(': {
                const bool operand = in_arguments && (before_that == '<' || before_that == ' ');
                open.push_back({c, result.size(), operand ? before : '\0'});
                break;
            }
            case ')': {
                if (open.empty() || open.back().kind != '(') break;
                const bracket last = open.back();
                open.pop_back();
                const bool operand = last.operand_of == '&' || (last.operand_of == '!' && !last.has_operator);
                if (!operand || (at(i + 1) != '>' && at(i + 1) != ',' && at(i + 1) != ' ')) break;
                result[last.written_at] = '\0';
                continue;
            }
            default:
                break;
        }
        result += c;
    }
    std::erase(result, '\0');
    return result;
}

}  // namespace launchbox
