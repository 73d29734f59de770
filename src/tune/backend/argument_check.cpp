// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/argument_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "image/names/demangle.hpp"
#include "source/source_tokens.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace {

std::string trimmed(std::string text)
{
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

bool drop_end(std::string& text, std::string_view word)
{
    if (!text.ends_with(word)) return false;
    text = trimmed(text.substr(0, text.size() - word.size()));
    return true;
}

std::optional<element_type> known_type_of(const std::string& name)
{
    try {
        return element_type_of(name);
    } catch (const error&) {
        return std::nullopt;
    }
}

bool is_plain(const element_type& type)
{
    return type.what != element_type::kind::opaque;
}

bool is_whole(const element_type& type)
{
    return type.what == element_type::kind::signed_integer || type.what == element_type::kind::unsigned_integer;
}

bool is_alike(const element_type& one, const element_type& other)
{
    return one.bytes == other.bytes && (one.what == other.what || (is_whole(one) && is_whole(other)));
}

// "bytes" fits any content. A pointer accepts a scalar of its size, which is how null pointers are passed.
std::string why_not_given_to(const parameter_type& type, const task_argument& argument)
{
    const std::optional<element_type> given = known_type_of(argument.type);
    if (argument.scalar) {
        if (type.is_pointer)
            return given && given->bytes == 8 ? std::string()
                                              : "a scalar " + argument.type + ", but it takes a pointer";
        const bool differs =
            type.known && given && is_plain(*type.known) && is_plain(*given) && !is_alike(*type.known, *given);
        return differs ? fmt::format("{}, but it takes {}", argument.type, type.of) : std::string();
    }
    if (!type.is_pointer) return type.known ? fmt::format("an array, but it takes one {}", type.of) : std::string();
    const bool bytes = type.known && type.known->bytes == 1;
    const bool differs =
        type.known && given && !bytes && is_plain(*type.known) && is_plain(*given) && !is_alike(*type.known, *given);
    return differs ? fmt::format("an array of {}, but it takes {}*", argument.type, type.of) : std::string();
}

std::vector<std::string> split_at_commas(std::string_view text)
{
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
        if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (std::string& part : parts) part = trimmed(part);
    if (parts.size() == 1 && (parts.front().empty() || parts.front() == "void")) parts.clear();
    return parts;
}

// "a::scale<{type}>" is scale.
std::string last_name(const std::string& name)
{
    std::string own = trimmed(name.substr(0, name.find('<')));
    if (const std::size_t colons = own.rfind("::"); colons != std::string::npos) own = own.substr(colons + 2);
    return own;
}

// The type words of one parameter, without its name and default.
std::string type_in(const std::vector<source_token>& words)
{
    std::size_t end = words.size();
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i].is("=")) end = std::min(end, i);
    bool is_array = false;
    if (end > 0 && words[end - 1].is("]")) {
        is_array = true;
        while (end > 0 && !words[end - 1].is("[")) --end;
        if (end > 0) --end;
    }
    const auto is_qualifier = [](const source_token& word) { return word.is("const") || word.is("__restrict__"); };
    std::size_t named = 0;  // words that may belong to a type
    for (std::size_t i = 0; i < end; ++i)
        named += words[i].kind == source_token_kind::identifier && !is_qualifier(words[i]);
    if (end > 0 && words[end - 1].kind == source_token_kind::identifier && !is_qualifier(words[end - 1]) &&
        (named > 1 || (end > 1 && words[end - 2].is("*"))) && !known_type_of(std::string(words[end - 1].text)))
        --end;
    std::string text;
    for (std::size_t i = 0; i < end; ++i) {
        const bool glue = words[i].is("*") || words[i].is("::") || words[i].is("<") || words[i].is(">") ||
                          (i > 0 && (words[i - 1].is("::") || words[i - 1].is("<")));
        text += (text.empty() || glue ? "" : " ") + std::string(words[i].text);
    }
    if (text.starts_with("std::")) text.erase(0, 5);
    return text + (is_array ? "*" : "");
}

// A macro or a pack may stand for any number of parameters.
bool may_be_several(const std::vector<source_token>& words)
{
    const bool is_pack = std::ranges::any_of(words, [](const source_token& word) { return word.is("."); });
    return is_pack || (words.size() == 1 && words.front().kind == source_token_kind::identifier &&
                       !known_type_of(std::string(words.front().text)));
}

// The parameters after the ( at this place; `nullopt` if the text does not tell.
std::optional<std::vector<std::string>> types_from(const std::vector<source_token>& tokens, std::size_t open)
{
    std::vector<std::string> types;
    std::vector<source_token> words;
    int depth = 0;
    bool is_clear = true;
    const auto end_one = [&] {
        if (!words.empty() && !(words.size() == 1 && words.front().is("void"))) {
            is_clear = is_clear && !may_be_several(words);
            types.push_back(type_in(words));
        }
        words.clear();
    };
    for (std::size_t i = open; i < tokens.size(); ++i) {
        const source_token& token = tokens[i];
        const bool opens = token.is("(") || token.is("<") || token.is("[") || token.is("{");
        const bool closes = token.is(")") || token.is(">") || token.is("]") || token.is("}");
        if (closes && --depth == 0) break;
        if (token.is(",") && depth == 1)
            end_one();
        else if (i != open)
            words.push_back(token);
        if (opens) ++depth;
    }
    end_one();
    return is_clear ? std::optional(types) : std::nullopt;
}

}  // namespace

parameter_type read_parameter_type(std::string text)
{
    text = trimmed(text);
    const auto drop_qualifiers = [&] {
        while (drop_end(text, " const") || drop_end(text, "*const") || drop_end(text, "__restrict__") ||
               drop_end(text, "__restrict") || drop_end(text, " restrict") || drop_end(text, " volatile")) {
        }
    };
    const bool const_pointer = text.ends_with("*const");
    drop_qualifiers();
    parameter_type type;
    type.is_pointer = const_pointer || drop_end(text, "*");
    drop_qualifiers();
    for (const std::string_view word : {"const ", "volatile "})
        if (text.starts_with(word)) text = trimmed(text.substr(word.size()));
    type.of = text;
    type.known = known_type_of(text);
    return type;
}

std::optional<std::vector<std::string>> parameters_of_signature(std::string_view signature)
{
    if (!signature.ends_with(')')) return std::nullopt;
    int depth = 0;
    for (std::size_t i = signature.size(); i-- > 0;) {
        if (signature[i] == ')') ++depth;
        if (signature[i] == '(' && --depth == 0) {
            if (i == 0) return std::nullopt;
            return split_at_commas(signature.substr(i + 1, signature.size() - i - 2));
        }
    }
    return std::nullopt;
}

std::optional<std::vector<std::string>> parameters_in_source(const std::vector<std::filesystem::path>& files,
                                                             const std::string& name)
{
    const std::string wanted = last_name(name);
    std::optional<std::vector<std::string>> found;
    for (const std::filesystem::path& file : files) {
        std::string text;
        try {
            text = read_file(file);
        } catch (const error&) {
            continue;
        }
        const source_text source = read_source_text(text);
        bool global = false;
        for (std::size_t i = 0; i + 1 < source.tokens.size(); ++i) {
            const source_token& token = source.tokens[i];
            if (token.is("__global__")) global = true;
            if (token.is(";") || token.is("}") || token.is("{")) global = false;
            if (!global || !token.is(wanted) || !source.tokens[i + 1].is("(")) continue;
            std::optional<std::vector<std::string>> types = types_from(source.tokens, i + 1);
            if (!types || (found && *found != *types)) return std::nullopt;
            found = std::move(types);
        }
    }
    return found;
}

std::string why_arguments_differ(const std::vector<std::string>& types, const std::vector<task_argument>& arguments)
{
    if (types.size() != arguments.size())
        return fmt::format("the kernel has {} parameters, but {} arguments are given", types.size(), arguments.size());
    for (std::size_t i = 0; i < types.size(); ++i)
        if (const std::string why = why_not_given_to(read_parameter_type(types[i]), arguments[i]); !why.empty())
            return fmt::format("'{}' for parameter {} of the kernel is {}", arguments[i].name, i + 1, why);
    return {};
}

std::string why_arguments_differ(const kernel_info& kernel, const std::vector<task_argument>& arguments)
{
    if (const auto types = parameters_of_signature(demangle(kernel.name))) {
        std::vector<std::string> plain = *types;
        for (std::string& type : plain)
            if (type.starts_with("std::")) type.erase(0, 5);
        return why_arguments_differ(plain, arguments);
    }
    if (!kernel.figures.parameter_bytes) return {};
    std::int64_t bytes = 0;
    for (const task_argument& argument : arguments) {
        const std::optional<element_type> type = known_type_of(argument.type);
        if (argument.scalar && (!type || !is_plain(*type))) return {};  // unknown alignment
        const std::int64_t size = argument.scalar ? type->bytes : 8;
        bytes = (bytes + size - 1) / size * size + size;
    }
    if (bytes == *kernel.figures.parameter_bytes) return {};
    return fmt::format("the kernel's parameters take {} B, but the {} arguments {} B", *kernel.figures.parameter_bytes,
                       arguments.size(), bytes);
}

}  // namespace launchbox
