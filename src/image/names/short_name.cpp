// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "image/names/demangle.hpp"
#include "image/names/launch_box_name.hpp"

namespace launchbox {

namespace {

constexpr std::string_view anonymous_namespace = "(anonymous namespace)";

struct range {
    std::size_t begin = 0, end = 0;
};

// Finds the name in a declaration, and the casts in its template arguments, in one pass over the brackets.
class declaration_scan {
public:
    explicit declaration_scan(std::string_view text) : text_(text) {}

    void run();

    range name;                // all of the text if there is no parameter list
    std::vector<range> casts;  // in order, not nested

private:
    struct bracket {
        char kind = 0;
        std::size_t at = 0;
    };

    [[nodiscard]] bool at_operator(std::size_t i) const;
    std::size_t skip_operator(std::size_t i);
    [[nodiscard]] bool is_comparison(std::size_t i) const;
    [[nodiscard]] bool ends_declaration(std::size_t i) const;
    [[nodiscard]] bool is_cast(std::size_t open, std::size_t close) const;
    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    std::size_t& count_of(char kind) { return open_of_kind_[static_cast<unsigned char>(kind)]; }
    void open(std::size_t i);
    std::size_t close(char kind);

    std::string_view text_;
    std::vector<bracket> open_;
    std::array<std::size_t, 256> open_of_kind_{};
};

void leave_out_numba_tags(std::string& name);

}  // namespace

std::string short_name(std::string_view demangled)
{
    if (auto name = launch_box_name(demangled)) return *std::move(name);
    declaration_scan scan(demangled);
    scan.run();
    std::string result;
    std::size_t from = scan.name.begin;
    for (const range& cast : scan.casts) {
        if (cast.begin < from || cast.end > scan.name.end) continue;
        result += demangled.substr(from, cast.begin - from);
        from = cast.end;
    }
    result += demangled.substr(from, scan.name.end - from);
    leave_out_numba_tags(result);
    return result;
}

namespace {

// Numba tags a function with its version and its compiler flags, 80 characters: [abi:v1][abi:cw51cXT...].
void leave_out_numba_tags(std::string& name)
{
    constexpr std::string_view version = "[abi:v", flags = "][abi:c";
    const std::size_t begin = name.find(version);
    if (begin == std::string::npos) return;
    const std::size_t number_end = name.find_first_not_of("0123456789", begin + version.size());
    if (number_end == std::string::npos || number_end == begin + version.size() ||
        std::string_view(name).substr(number_end, flags.size()) != flags)
        return;
    const std::size_t end = name.find(']', number_end + flags.size());
    if (end != std::string::npos) name.erase(begin, end + 1 - begin);
}

void declaration_scan::run()
{
    name = {0, text_.size()};
    std::size_t begin = 0;
    bool in_operator_name = false;  // the space in `operator bool` does not end a return type
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (at_operator(i)) {
            in_operator_name |= open_.empty();
            i = skip_operator(i) - 1;
            continue;
        }
        switch (text_[i]) {
            case ' ':
                if (open_.empty() && !in_operator_name) begin = i + 1;
                break;
            case '<':
                if (!is_comparison(i)) open(i);
                break;
            case '>':
                if (!open_.empty() && open_.back().kind == '<' && text_[i - 1] != '-') close('<');
                break;
            case '(':
            case '[':
            case '{':
                open(i);
                break;
            case ']':
                close('[');
                break;
            case '}':
                close('{');
                break;
            case ')': {
                const std::size_t from = close('(');
                if (from == std::string_view::npos) break;
                if (open_.empty() && ends_declaration(i + 1) &&
                    text_.substr(from, i + 1 - from) != anonymous_namespace) {
                    name = {begin, from};
                    return;
                }
                if (count_of('<') > 0 && is_cast(from, i)) {
                    while (!casts.empty() && casts.back().begin > from) casts.pop_back();
                    casts.push_back({from, i + 1});
                }
                break;
            }
            default:
                break;
        }
    }
}

bool declaration_scan::at_operator(std::size_t i) const
{
    constexpr std::string_view keyword = "operator";
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return text_[i] == keyword.front() && text_.substr(i).starts_with(keyword) && !in_word(at(i + keyword.size())) &&
           (i == 0 || !in_word(at(i - 1)));
}

// The end of `operator()` or `operator<<`; opens template arguments if they follow: `<` cannot be anything else here.
std::size_t declaration_scan::skip_operator(std::size_t i)
{
    i += std::string_view("operator").size();
    const std::string_view rest = text_.substr(i);
    if (rest.starts_with("()") || rest.starts_with("[]"))
        i += 2;
    else
        i += std::min(rest.size(), rest.find_first_not_of("<>=-+*/%^&|~!,"));
    if (at(i) == ' ' && at(i + 1) == '<') ++i;
    if (at(i) == '<') open(i++);
    return i;
}

// `a < b` or `a << b` in a template argument. Demanglers put operands into parentheses: `((sizeof(T)) < (8))`.
bool declaration_scan::is_comparison(std::size_t i) const
{
    const char before = i > 0 ? text_[i - 1] : '\0', after = at(i + 1);
    return before == '<' || before == ')' || after == '<' || after == '=' || (before == ' ' && after == ' ');
}

// Whether this can follow a parameter list; the parameters of an enclosing function are followed by `::`.
bool declaration_scan::ends_declaration(std::size_t i) const
{
    const std::string_view rest = text_.substr(i);
    constexpr std::string_view followers[] = {" const", " volatile", " &", " [", " (", " requires", " noexcept", "."};
    return rest.empty() || std::any_of(std::begin(followers), std::end(followers),
                                       [&](std::string_view follower) { return rest.starts_with(follower); });
}

// `(int)256`, `(cub::algorithm)1`, `((anonymous namespace)::kind)-1`
bool declaration_scan::is_cast(std::size_t open, std::size_t close) const
{
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const char before = open > 0 ? text_[open - 1] : '\0', first = at(open + 1), after = at(close + 1);
    return (before == '<' || before == ' ' || before == '(' || before == ',') && !is_digit(first) && first != ')' &&
           (is_digit(after) || (after == '-' && is_digit(at(close + 2))));
}

void declaration_scan::open(std::size_t i)
{
    open_.push_back({text_[i], i});
    ++count_of(text_[i]);
}

// Closes the innermost bracket of that kind and all open brackets inside it; npos if there is none.
std::size_t declaration_scan::close(char kind)
{
    if (count_of(kind) == 0) return std::string_view::npos;
    bracket last;
    do {
        last = open_.back();
        open_.pop_back();
        --count_of(last.kind);
    } while (last.kind != kind);
    return last.at;
}

}  // namespace

std::string template_name(std::string_view short_name)
{
    std::string name;
    int depth = 0, parentheses = 0;
    for (std::size_t i = 0; i < short_name.size(); ++i) {
        const char letter = short_name[i];
        if (depth == 0) {
            const bool behind_name =
                !name.empty() && (std::isalnum(static_cast<unsigned char>(name.back())) != 0 || name.back() == '_');
            if (letter == '<' && behind_name && !name.ends_with("operator"))
                depth = 1;
            else
                name += letter;
        } else if (letter == '(' || letter == ')') {
            parentheses += letter == '(' ? 1 : -1;  // inside them, > is a comparison
        } else if (parentheses == 0 && letter == '<') {
            ++depth;
        } else if (parentheses == 0 && letter == '>' && short_name[i - 1] != '-') {
            --depth;
        }
    }
    return name;
}

}  // namespace launchbox
