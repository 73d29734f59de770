#include "image/demangle_spelling.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace launchbox {

namespace {

constexpr std::string_view keyword = "operator";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The length of `operator<<` or `operator()` at i; 0 when there is none.
std::size_t operator_name(std::string_view text, std::size_t i)
{
    if (!text.substr(i).starts_with(keyword) || (i > 0 && is_word(text[i - 1]))) return 0;
    // Longer ones first. What follows the name can be the < of its template arguments.
    constexpr std::string_view names[] = {"<=>", "<<=", ">>=", "->*", "()", "<<", ">>", "<=", ">=", "->", "<", ">"};
    const std::string_view rest = text.substr(i + keyword.size());
    for (const std::string_view name : names)
        if (rest.starts_with(name)) return keyword.size() + name.size();
    return 0;
}

}  // namespace

std::string one_spelling(std::string_view text)
{
    // An open bracket; `dropped` for the parenthesis behind & as far as it is not written.
    struct bracket {
        char kind;
        std::size_t written_at;
        bool address;
    };
    std::vector<bracket> open;
    std::string result;
    result.reserve(text.size());
    const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t length = operator_name(text, i); length > 0) {
            result += text.substr(i, length);
            i += length - 1;
            continue;
        }
        const char c = text[i], before = i > 0 ? text[i - 1] : '\0';
        const bool in_arguments = !open.empty() && open.back().kind == '<';
        switch (c) {
            case '<':
                // `a < b` and `a << b` have spaces around them; so has `operator<  <int>`.
                if (before != ' ' && before != '<') open.push_back({c, result.size(), false});
                break;
            case '>':
                if (in_arguments && before != '-') open.pop_back();
                break;
            case ' ':
                if (before == '>' && at(i + 1) == '>' && in_arguments) continue;
                break;
            case '(':
                open.push_back({c, result.size(), in_arguments && before == '&' && i > 1 &&
                                                      (text[i - 2] == '<' || text[i - 2] == ' ')});
                break;
            case ')':
                if (!open.empty() && open.back().kind == '(') {
                    const bracket last = open.back();
                    open.pop_back();
                    if (last.address && (at(i + 1) == '>' || at(i + 1) == ',' || at(i + 1) == ' ')) {
                        result.erase(last.written_at, 1);
                        continue;
                    }
                }
                break;
            default:
                break;
        }
        result += c;
    }
    return result;
}

}  // namespace launchbox
