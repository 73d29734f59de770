// SPDX-License-Identifier: Apache-2.0
#include "app/init/init_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/init/spec_maker.hpp"
#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/terminal.hpp"
#include "tune/build/compile_worker.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// { and } have a meaning in texts of a spec.
std::string escaped_braces(const std::string& text)
{
    std::string braces;
    for (const char c : text) braces += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    return braces;
}

// Converts a path relative to the current folder into one relative to the spec's folder, where compilers run.
std::string path_from(const fs::path& folder, const std::string& path)
{
    std::error_code failure;
    if (path.empty() || fs::path(path).is_absolute() || !fs::exists(path, failure)) return path;
    const fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(folder);
    return relative.empty() ? path : relative.string();
}

// Host code and its headers need nvcc.
bool needs_nvcc(const source_view& view)
{
    const bool host = std::ranges::any_of(view.scopes.scopes,
                                          [](const source_scope& scope) { return scope.kind == scope_kind::host; });
    const bool includes =
        std::ranges::any_of(view.source.directives, [](const source_directive& one) { return one.name == "include"; });
    return host || includes || !view.launches.empty();
}

// A host function that launches the kernel often has its name.
bool has_namesakes(const kernel_choice& choice, std::string_view name)
{
    return std::ranges::any_of(choice.views, [&](const read_source_view& one) {
        if (!one.view) return false;
        const std::vector<source_scope>& scopes = one.view->scopes.scopes;
        return std::ranges::count_if(scopes, [&](const source_scope& scope) {
                   // Blocks nested in a function carry its name, too.
                   const bool is_within =
                       scope.outer >= 0 && scopes[static_cast<std::size_t>(scope.outer)].name == name;
                   return scope.name == name && !is_within;
               }) > 1;
    });
}

}  // namespace

void spec_maker::write_head()
{
    const std::string file = choice_.defined_in != nullptr
                                 ? fmt::format("{}:{}", choice_.defined_in->file, choice_.text.line)
                                 : request_.file;
    draft_.head.push_back(fmt::format("Written by launchbox tune --init for {} ({}).", choice_.info->short_form, file));
    if (!choice_.launch) {
        draft_.head.push_back("The source does not launch the kernel: the block, the grid and all sizes are guesses.");
    } else {
        const bool in_source = choice_.launched_in == &choice_.views.front();
        draft_.head.push_back(fmt::format("Launched {}{}.",
                                          in_source ? fmt::format("at {}", place(choice_.launch->launch->line))
                                          : choice_.launched_in->is_preprocessed ? std::string("by a macro")
                                                                                 : "in " + choice_.launched_in->file,
                                          choice_.other_launches == 0
                                              ? std::string()
                                              : fmt::format("; {} more launch{} not examined", choice_.other_launches,
                                                            choice_.other_launches == 1 ? "" : "es")));
    }
    draft_.head.emplace_back(
        "\"fill in\" marks values that the source does not show. Then run launchbox tune --check, --build-only, tune.");
    if (!choice_.other_instances.empty()) {
        std::vector<std::string> some = choice_.other_instances;
        some.resize(std::min<std::size_t>(some.size(), 6));
        draft_.head.push_back(fmt::format("Other instances in this source: {}{}.", fmt::join(some, ", "),
                                          some.size() < choice_.other_instances.size() ? ", …" : ""));
    }
    for (const std::string& remark : tunables_.remarks) draft_.head.push_back(remark + ".");
    std::string name;
    for (const char c : own_name())
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ? c : '_';
    draft_.name = name.empty() ? "kernel" : name.substr(0, 80);
}

void spec_maker::write_kernel()
{
    const fs::path file = fs::absolute(request_.file).lexically_normal();
    const bool is_file = !request_.written_to.empty() && request_.written_to != "-";
    const fs::path folder =
        (is_file ? fs::absolute(request_.written_to).lexically_normal().parent_path() : fs::current_path());
    const fs::path relative = file.lexically_relative(folder);
    const bool is_below = !relative.empty() && *relative.begin() != "..";
    const bool stays = fs::path(request_.file).is_absolute() && !is_below;
    draft_.source = stays || relative.empty() ? file.string() : relative.string();
    if (needs_nvcc(*choice_.views.front().view)) draft_.compiler = "nvcc";
    std::vector<std::string> flags;
    for (const std::string& flag : request_.compiler_flags) {
        const bool is_path_of = !flags.empty() && (flags.back() == "-I" || flags.back() == "-include");
        const std::string begin = is_path_of ? "" : flag.starts_with("-I") ? "-I" : flag;
        flags.push_back(escaped_braces(begin + path_from(folder, flag.substr(begin.size()))));
    }
    draft_.flags.insert(draft_.flags.begin(), flags.begin(), flags.end());

    // "ns::sgemm<{BM}, float>": the arguments of the compiled kernel, with tuned ones replaced by their names.
    const std::string own = instance_name(choice_.info->short_form);
    std::string name = choice_.info->short_form.substr(0, choice_.info->short_form.size() - own.size()) + own_name();
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    const auto plain = [&](std::string text) {
        for (std::size_t at = text.find(anonymous); at != std::string::npos; at = text.find(anonymous))
            text.erase(at, anonymous.size());
        return escaped_braces(text);
    };
    name = plain(name);
    std::vector<std::string> arguments = template_arguments_of(choice_.info->short_form);
    const std::vector<parameter_in_text>& text = choice_.text.template_parameters;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        arguments[i] = plain(arguments[i]);
        if (choice_.defined_in == nullptr || i >= text.size() || text[i].is_pack) continue;
        const auto known = tunable_names_.find(std::string(text[i].name));
        if (known != tunable_names_.end()) {
            arguments[i] = "{" + known->second + "}";
            continue;
        }
        // An enumerator: names of compiled kernels contain only its number.
        const bool is_number = integer_in_name(arguments[i]) && arguments[i] != "true" && arguments[i] != "false";
        if (!is_number || text[i].is_type() || arguments[i].starts_with("(") ||
            is_whole_number_type(*choice_.defined_in->view, text[i].type))
            continue;
        std::string type;
        for (const source_token& word : without_qualifiers(text[i].type)) type += std::string(word.text);
        arguments[i] = "(" + type + ")" + arguments[i];
    }
    if (!arguments.empty()) name += fmt::format("<{}>", fmt::join(arguments, ", "));
    const bool has_open_type =
        std::ranges::any_of(parameters_, [](const kernel_parameter& one) { return !one.template_type.empty(); });
    if (has_namesakes(choice_, own_name()) && !has_open_type)
        name += plain(std::string(signature_in(choice_.info->demangled)));
    draft_.kernel = name;
}

written_spec init_spec(const init_request& request, const listener& news)
{
    const kernel_choice choice = choose_kernel(request, news);
    written_spec made = spec_maker(request, choice).make();
    const bool is_file = !request.written_to.empty() && request.written_to != "-";
    try {
        (void)parse_tune_spec(is_file ? request.written_to : "the spec", made.text);
    } catch (const error& failure) {
        throw error(fmt::format("{}: no spec can be written for {}: {}", request.file, escape_for_terminal(made.kernel),
                                failure.what()),
                    "write it by hand (docs/tune_spec.md), or tune a captured launch: launchbox capture -k");
    }
    return made;
}

}  // namespace launchbox
