// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/init/spec_maker.hpp"
#include "source/source_statements.hpp"
#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/toml_text.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

// More elements than this are too many to start with.
constexpr std::int64_t max_elements = std::int64_t{1} << 28;

}  // namespace

void spec_maker::write_arguments()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        parameters_[i].is_pointer ? write_buffer(parameters_[i], i) : write_scalar(parameters_[i], i);
}

void spec_maker::write_scalar(const kernel_parameter& one, std::size_t number)
{
    draft_argument& argument = draft_.arguments.emplace_back();
    argument.name = one.name;
    argument.type = one.template_type.empty() ? one.type : "{" + tunable_names_.at(one.template_type) + "}";
    const placed_words* given = passed(number);
    if (const auto size = size_names_.find(number); size != size_names_.end()) {
        argument.value = size->second;
        return;
    }
    if (const auto text = size_texts_.find(number); text != size_texts_.end()) {
        argument.value = text->second;
        return;
    }
    if (one.is_enumeration) {
        const auto value = given != nullptr ? host_.values.integer(given->words, given->at, instance_) : std::nullopt;
        argument.value = std::to_string(value.value_or(0));
        argument.comment = one.shown + (value ? std::string() : ": which value does your program pass? fill in");
        if (!value) fill_in(one.name);
        return;
    }
    if (one.type == "bool") {
        const bool yes = given != nullptr && given->words.size() == 1 && given->words[0].is("true");
        const bool known = yes || (given != nullptr && given->words.size() == 1 && given->words[0].is("false"));
        argument.value = yes ? "1" : "0";
        if (!known) argument.comment = "true or false? fill in";
        if (!known) fill_in(one.name);
        return;
    }
    std::optional<std::string> text = given != nullptr ? expressions_.text(*given) : std::nullopt;
    if (text) {
        argument.value = *text;
        return;
    }
    argument.value = one.is_fraction() ? "1.0" : "1";
    argument.comment = "which value does your program pass? fill in";
    fill_in(one.name);
}

std::optional<std::string> spec_maker::allocated(std::size_t number, std::int64_t bytes)
{
    const placed_words* given = passed(number);
    if (given == nullptr) return std::nullopt;
    const auto variable = variable_in(*given, host_);
    const auto memory = variable ? allocation_of(*variable, given->at, host_) : std::nullopt;
    if (!memory) return std::nullopt;
    std::optional<std::string> text = expressions_.text(memory->size);
    if (!text) return std::nullopt;
    if (memory->is_elements || bytes == 1) return text;
    if (const auto whole = whole_number(*text)) return std::to_string(*whole / bytes);
    const std::string behind = " * " + std::to_string(bytes), before = std::to_string(bytes) + " * ";
    if (text->ends_with(behind)) return text->substr(0, text->size() - behind.size());
    // The rest must be a single product: 4 * (a + b), not 4 * a + b.
    if (text->starts_with(before) && text->find(" + ") == std::string::npos && text->find(" - ") == std::string::npos)
        return text->substr(before.size());
    return fmt::format("ceil_div({}, {})", *text, bytes);
}

// Rather too large than too small, so that nothing outside is read or written. Four times the product of all sizes,
// since a buffer may hold several arrays, such as query, key and value.
std::string spec_maker::all_sizes(const kernel_parameter& one, std::string& comment)
{
    constexpr std::int64_t several = 4;
    std::string product;
    std::int64_t elements = several;
    for (const std::string& name : sizes_) {
        const auto value = std::ranges::find(draft_.workload, name, &draft_workload_value::name);
        const std::int64_t size = whole_number(value->value).value_or(1);
        if (size < 1 || elements > max_elements / size) continue;
        elements *= size;
        product += (product.empty() ? "" : " * ") + name;
    }
    comment = "how many elements? fill in";
    if (!product.empty()) {
        fill_in(one.name);
        return fmt::format("{} * {}", several, product);
    }
    std::string name = fresh(one.name + "_elements");
    draft_.workload.push_back({name, std::to_string(1 << 20), "how many elements? fill in"});
    fill_in(name);
    comment.clear();
    return name;
}

void spec_maker::write_buffer(const kernel_parameter& one, std::size_t number)
{
    draft_argument argument{.name = one.name, .type = {}};
    std::vector<std::string> remarks;
    const placed_words* given = passed(number);
    if (given != nullptr && given->words.size() == 1 && given->words[0].is_any({"nullptr", "NULL", "0"})) {
        draft_.arguments.push_back(
            {.name = one.name, .type = "size_t", .value = "0", .comment = "a null pointer, as in the source"});
        return;
    }
    // CUDA's vector types become their elements, which can be filled and compared with a tolerance.
    std::string type = one.type;
    std::int64_t parts = 1;
    if (!type.empty() && !one.is_whole() && !one.is_fraction()) {
        static const std::map<std::string, std::string> halves{
            {"half2", "half"}, {"__half2", "half"}, {"nv_bfloat162", "nv_bfloat16"}, {"__nv_bfloat162", "nv_bfloat16"}};
        if (const auto half = halves.find(type); half != halves.end()) {
            type = half->second;
            parts = 2;
        } else if (type.back() >= '1' && type.back() <= '4') {
            std::string element = type.substr(0, type.size() - 1);
            if (element.starts_with("u")) element = "unsigned " + element.substr(1);
            if (element.ends_with("longlong")) element.replace(element.size() - 8, 8, "long long");
            parts = type.back() - '0';
            type = element;
            remarks.push_back(fmt::format("{}: {} numbers each", one.type, parts));
        }
    }
    const bool is_bytes = type.empty();
    if (is_bytes) {
        type = "unsigned char";
        parts = one.bytes.value_or(16);
        const bool untyped = one.shown.find("void") != std::string::npos;
        if (untyped)
            remarks.emplace_back("bytes of which type?");
        else
            remarks.push_back(fmt::format("{}: given as bytes, {} each{}", one.shown, parts,
                                          one.bytes ? std::string() : " (a guess)"));
    }
    argument.type = one.template_type.empty() || parts > 1 ? type : "{" + tunable_names_.at(one.template_type) + "}";
    std::string comment;
    std::optional<std::string> count = allocated(number, one.bytes.value_or(1));
    if (!count) count = all_sizes(one, comment);
    if (!comment.empty()) remarks.push_back(comment);
    if (parts > 1) {
        const auto whole = whole_number(*count);
        const bool is_product = is_name(*count) || count->find_first_of("+-/%<>&|?") == std::string::npos;
        count = whole ? std::to_string(*whole * parts)
                      : fmt::format(fmt::runtime(is_product ? "{} * {}" : "({}) * {}"), *count, parts);
    }
    argument.count = *count;
    const bool fraction =
        type != "unsigned char" && !is_bytes &&
        (one.is_fraction() || type == "float" || type == "double" || type == "half" || type == "nv_bfloat16");
    const bool output = !one.is_constant && one.is_only_written;
    if (output) {
        argument.fill = "poison";
        argument.role = "output";
    } else {
        argument.fill =
            fraction || (one.is_whole() && !one.may_be_index && choice_.defined_in != nullptr) ? "random" : "zeros";
        if (!one.is_constant && !one.is_only_read) {
            argument.role = "in_out";
            remarks.emplace_back("\"output\" if it is only written, \"input\" if it is only read");
        }
        if (argument.fill == "zeros" && !fraction)
            remarks.emplace_back(is_bytes ? "zeros are safe; use a file for real data"
                                          : "zeros are safe as an index; else fill = \"random\"");
    }
    if (given != nullptr && std::ranges::any_of(given->words, [](const source_token& word) { return word.is("+"); })) {
        std::string words;
        for (const source_token& word : given->words) words += (words.empty() ? "" : " ") + std::string(word.text);
        remarks.insert(remarks.begin(), "the source passes " + words.substr(0, 60) + "; this is the buffer's start");
    }
    argument.comment = fmt::format("{}", fmt::join(remarks, "; "));
    draft_.arguments.push_back(std::move(argument));
}

// Module variables that the kernel uses: without a value they would be zero.
void spec_maker::write_variables()
{
    if (choice_.defined_in == nullptr) return;
    const source_view& view = *choice_.defined_in->view;
    const std::vector<source_token>& tokens = view.source.tokens;
    const std::set<std::string_view> used = names_behind(choice_);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is_any({"__constant__", "__device__"})) continue;
        if (const source_scope* scope = view.names.scope(view.names.scope_of(i));
            scope != nullptr && scope->kind != scope_kind::file)
            continue;
        std::size_t first = i;
        while (first > 0 && !tokens[first - 1].is_any({";", "{", "}"})) --first;
        std::size_t name = i + 1;
        while (name < tokens.size() && !tokens[name].is_any({";", "=", "[", "(", "{", ","})) ++name;
        if (name >= tokens.size() || tokens[name].is("(") || tokens[name].is("{")) continue;
        const std::size_t behind = name--;
        const token_span words = token_span(tokens).subspan(first, name - first);
        if (!used.contains(tokens[name].text) || has_word(words, "constexpr") || has_word(words, "extern")) continue;
        const std::string text(tokens[name].text);
        const bool in_namespace = !view.names.namespace_of(view.names.scope_of(i)).empty();
        if (in_namespace || has_word(words, "static") || view.names.scope_of(i) >= 0) {
            draft_.head.push_back(
                fmt::format("{} (line {}) keeps its value from the source; [kernel] variables can fill variables by "
                            "their names in the module.",
                            text, tokens[name].line));
            continue;
        }
        std::size_t end = behind;
        while (end < tokens.size() && !tokens[end].is_any({";", "="})) ++end;
        const bool has_value = end < tokens.size() && tokens[end].is("=");
        if (tokens[i].is("__device__")) {
            if (!has_word(words, "const"))
                draft_.variables.push_back({fmt::format("{{ name = {}, reset = true }},", toml_string(text)),
                                            "its initial value again before each launch"});
            continue;
        }
        if (has_value) continue;
        std::vector<source_token> type = without_qualifiers(words);
        std::erase_if(type, [](const source_token& word) {
            return word.is_any({"__constant__", "const", "__device__"});
        });
        std::string type_text, count;
        for (const source_token& word : type) type_text += (type_text.empty() ? "" : " ") + std::string(word.text);
        bool known = true;
        for (std::size_t open = behind; open < end && tokens[open].is("[");) {
            const std::size_t close = closing_bracket(tokens, open);
            if (close >= tokens.size()) break;
            const auto part =
                view.values.integer(token_span(tokens).subspan(open + 1, close - open - 1), name, instance_);
            known &= part.has_value();
            count += (count.empty() ? "" : " * ") + std::to_string(part.value_or(1));
            open = close + 1;
        }
        bool fraction = false;
        try {
            fraction = element_type_of(type_text).what == element_type::kind::floating;
        } catch (const error&) {
            known = false;
        }
        if (!known) {
            draft_.head.push_back(
                fmt::format("{} (line {}) is filled with zeros: give it a type and a count in "
                            "[kernel] variables.",
                            text, tokens[name].line));
            continue;
        }
        if (count.empty())
            draft_.variables.push_back({fmt::format("{{ name = {}, type = {}, value = {} }},", toml_string(text),
                                                    toml_string(type_text), fraction ? "\"1.0\"" : "1"),
                                        "fill in"});
        else
            draft_.variables.push_back(
                {fmt::format("{{ name = {}, type = {}, count = {}, fill = \"{}\" }},", toml_string(text),
                             toml_string(type_text), whole_number(count) ? count : toml_string(count),
                             fraction ? "random" : "zeros"),
                 fraction ? std::string() : "fill in"});
        if (count.empty() || !fraction) fill_in(text);
    }
}

void spec_maker::write_verify()
{
    bool any = false, fraction = false, half = false, bytes = false;
    for (const draft_argument& argument : draft_.arguments) {
        if (argument.role.empty()) continue;
        any = true;
        std::string type = argument.type;
        for (const draft_workload_value& value : draft_.workload)
            if (type == "{" + value.name + "}") type = value.value.substr(1, value.value.size() - 2);
        half |= type == "half" || type == "__half" || type.find("bfloat16") != std::string::npos;
        fraction |= half || type == "float" || type == "double";
        bytes |= type.starts_with("__nv_fp8");
    }
    if (!any) {
        draft_.verify.push_back({"against = \"nothing\"", "no argument is written, as far as the source shows"});
        return;
    }
    if (!fraction || bytes) return;
    const char* tolerance = half ? "1e-2" : "1e-4";
    draft_.verify.push_back({fmt::format("relative = {}", tolerance),
                             "against the baseline; sums in another order differ: how much is allowed?"});
    draft_.verify.push_back({fmt::format("absolute = {}", tolerance)});
}

}  // namespace launchbox
