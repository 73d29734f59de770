// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/source_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <set>
#include <tuple>

#include "advice/lint/lint_cuda_arch.hpp"
#include "support/text/ascii.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// Launches that may begin before the previous grid ends, of kernels that never wait for it.
void lint_early_launches(const lint_request& request, const source_text& source, std::vector<diagnosis>& findings);

// Misspelt compiler macros, which are never defined.
void lint_macro_names(const std::vector<linted_file>& files, const lint_request& request,
                      std::vector<diagnosis>& findings);

// -maxrregcount together with kernels for which ptxas ignores it.
void lint_flags(const lint_request& request, const source_scopes& scopes, std::vector<diagnosis>& findings);

}  // namespace

std::vector<diagnosis> lint_source(const lint_request& request)
{
    // The source as written, and as the host's compiler sees it: with all includes and without branches.
    std::deque<source_view> views;
    std::vector<linted_file> files;
    const auto add_file = [&](const std::string& name, std::string_view text) {
        files.push_back({name, &views.emplace_back(text)});
    };
    add_file(request.file, request.text);
    std::optional<source_view> host;
    if (request.unit != nullptr) {
        for (const source_unit::file& header : request.unit->headers) add_file(header.name, header.text);
        host.emplace(request.unit->host.text);
    }
    const source_view &written = views.front(), &seen = host ? *host : written;
    const auto place = [&](int line) {
        return host ? request.unit->host.place(line) : source_location{request.file, line};
    };
    std::vector<diagnosis> findings =
        lint_cuda_arch(files, host ? names_that_differ(files, *host, *request.unit) : std::vector<chosen_name>{});
    lint_macro_names(files, request, findings);
    for (diagnosis& one : lint_launches(seen, request.kernels, launched_kernels(seen, request.kernels), place))
        findings.push_back(std::move(one));
    lint_early_launches(request, written.source, findings);
    lint_flags(request, written.scopes, findings);
    sort_by_place(findings, request.file);
    return findings;
}

void sort_by_place(std::vector<diagnosis>& findings, const std::string& file)
{
    std::ranges::stable_sort(findings, {}, [&](const diagnosis& one) {
        const source_location where = one.place.value_or(source_location{file, 0});
        return std::tuple(where.file != file, where.file, where.line);
    });
}

namespace {

// The words that ptxas or nvcc gets: "-Xptxas=-v,-maxrregcount=32" is three.
std::vector<std::string> words_of(const std::vector<std::string>& flags)
{
    std::vector<std::string> words;
    for (const std::string& flag : flags) {
        std::string_view rest = flag;
        for (std::string_view passing : {"-Xptxas=", "--ptxas-options=", "-ptxas-options="})
            if (rest.starts_with(passing)) rest.remove_prefix(passing.size());
        if (rest == "-Xptxas" || rest == "--ptxas-options" || rest == "-ptxas-options") continue;
        for (std::size_t from = 0; from <= rest.size();) {
            const std::size_t end = std::min(rest.find_first_of(",= ", from), rest.size());
            if (end > from) words.emplace_back(rest.substr(from, end - from));
            from = end + 1;
        }
    }
    return words;
}

void lint_early_launches(const lint_request& request, const source_text& source, std::vector<diagnosis>& findings)
{
    // The text seldom tells the kernel of a launch, so this is reported only if no kernel waits.
    bool known = false;
    for (const linted_kernel& kernel : request.kernels) {
        if (kernel.info->launches.waits_for_grid.value_or(false)) return;
        known |= kernel.info->launches.waits_for_grid.has_value();
    }
    if (!known) return;
    const std::vector<source_token>& tokens = source.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const bool asks =
            tokens[i].is("programmatic_dependent_launch") || tokens[i].is("programmaticStreamSerializationAllowed");
        if (!asks || !tokens[i + 1].is("=") || !(tokens[i + 2].is("true") || tokens[i + 2].is("1"))) continue;
        findings.push_back({"no_kernel_waits", severity::warning,
                            fmt::format("{} lets a kernel begin before the preceding one has ended, and no kernel of "
                                        "this file waits for it: it may read data that is not written yet",
                                        tokens[i].text),
                            "call cudaGridDependencySynchronize() before the first read, or launch without it",
                            source_location{request.file, tokens[i].line}});
        return;  // one is enough
    }
}

// "CUDA_ARCH" for "__CUDA_ARCH__": a name without surrounding underscores.
std::string core_of(std::string_view name)
{
    while (name.starts_with('_')) name.remove_prefix(1);
    while (name.ends_with('_')) name.remove_suffix(1);
    std::string core(name);
    for (char& c : core) c = to_upper(c);
    return core;
}

// The compiler's macro that a misspelt name probably means.
std::optional<std::string_view> macro_meant(std::string_view name)
{
    constexpr std::array<std::string_view, 15> known{"__CUDA_ARCH__",
                                                     "__CUDACC__",
                                                     "__NVCC__",
                                                     "__CUDACC_RTC__",
                                                     "__CUDACC_RDC__",
                                                     "__CUDACC_EWP__",
                                                     "__CUDACC_DEBUG__",
                                                     "__CUDACC_RELAXED_CONSTEXPR__",
                                                     "__CUDACC_EXTENDED_LAMBDA__",
                                                     "__CUDACC_VER_MAJOR__",
                                                     "__CUDACC_VER_MINOR__",
                                                     "__CUDACC_VER_BUILD__",
                                                     "__CUDA_ARCH_LIST__",
                                                     "__CUDA_ARCH_SPECIFIC__",
                                                     "__CUDA_ARCH_FAMILY_SPECIFIC__"};
    if (std::ranges::find(known, name) != known.end()) return std::nullopt;
    const std::string core = core_of(name);
    for (const std::string_view macro : known)
        if (core == core_of(macro)) return macro;
    // Swapped letters, or a single wrong one.
    const std::string arch = core_of(known.front());
    std::vector<std::size_t> differ;
    for (std::size_t i = 0; i < arch.size() && arch.size() == core.size(); ++i)
        if (core[i] != arch[i]) differ.push_back(i);
    const bool swapped = differ.size() == 2 && core[differ[0]] == arch[differ[1]] && core[differ[1]] == arch[differ[0]];
    return swapped || differ.size() == 1 ? std::optional(known.front()) : std::nullopt;
}

bool is_defined(std::string_view name, const std::vector<linted_file>& files, const lint_request& request)
{
    if (request.unit != nullptr && request.unit->macros.contains(std::string(name))) return true;
    for (std::size_t i = 0; i < request.flags.size(); ++i) {
        std::string_view flag = request.flags[i];
        if (flag == "-D" && i + 1 < request.flags.size()) flag = request.flags[i + 1];
        for (const std::string_view begin : {"-D", "--define-macro="})
            if (flag.starts_with(begin)) flag.remove_prefix(begin.size());
        if (flag.substr(0, flag.find_first_of("=(")) == name) return true;
    }
    for (const linted_file& file : files)
        for (const source_directive& directive : file.view->source.directives)
            if (directive.name == "define" && !directive.tokens.empty() && directive.tokens.front().is(name))
                return true;
    return false;
}

void lint_macro_names(const std::vector<linted_file>& files, const lint_request& request,
                      std::vector<diagnosis>& findings)
{
    std::set<std::string_view> told;
    for (const linted_file& file : files)
        for (const source_directive& directive : file.view->source.directives) {
            if (!(directive.name.starts_with("if") || directive.name.starts_with("elif"))) continue;
            for (std::size_t i = 0; i < directive.tokens.size(); ++i) {
                const source_token& token = directive.tokens[i];
                // Arguments of a macro are not examined.
                if (token.kind == source_token_kind::identifier && !token.is("defined") &&
                    i + 1 < directive.tokens.size() && directive.tokens[i + 1].is("(")) {
                    i = closing_bracket(directive.tokens, i + 1);
                    continue;
                }
                if (token.kind != source_token_kind::identifier || told.contains(token.text)) continue;
                const auto meant = macro_meant(token.text);
                if (!meant || is_defined(token.text, files, request)) continue;
                told.insert(token.text);
                const std::string name = escape_for_terminal(token.text);
                findings.push_back(
                    {"macro_never_defined", severity::warning,
                     fmt::format("#{} tests {}, which is never defined: {}?", directive.name, name, *meant),
                     fmt::format("write {}; in an #if an undefined name is 0", *meant),
                     source_location{file.name, token.line}});
            }
        }
}

void lint_flags(const lint_request& request, const source_scopes& scopes, std::vector<diagnosis>& findings)
{
    const std::vector<std::string> words = words_of(request.flags);
    const auto is = [](const char* name) {
        return [name](const std::string& word) {
            return word == std::string("-") + name || word == std::string("--") + name;
        };
    };
    const auto limit = std::find_if(words.begin(), words.end(), is("maxrregcount"));
    const bool given = limit != words.end() && limit + 1 != words.end();
    const bool overrides = std::any_of(words.begin(), words.end(), is("override-directive-values"));
    std::string value = given ? *(limit + 1) : "";
    // 0 and 255 limit nothing, and a value that ptxas rejects is rejected for every kernel: lint_logs reports that.
    int number = 0;
    const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = given && failure == std::errc() && end == value.data() + value.size();
    if (is_number && (number <= 0 || number >= 255)) return;
    std::vector<std::string> names;
    std::set<std::string> seen;
    std::optional<source_location> place;
    for (const linted_kernel& kernel : request.kernels) {
        const kernel_info& info = *kernel.info;
        // From ptxas's report, else from the flags: more flags may come from nvcc's environment.
        if (!given && info.bounds.outranks_maxrregcount) value = std::to_string(*info.bounds.outranks_maxrregcount);
        const bool bounded =
            info.bounds.max_threads || info.bounds.required_threads || info.bounds.requested_max_registers;
        const bool told = overrides ? given : given || info.bounds.outranks_maxrregcount;
        const bool other =
            overrides ? info.bounds.outranks_maxrregcount.has_value() : info.bounds.maxrregcount.has_value();
        if (!bounded || !told || other || !kernel.wanted || !seen.insert(kernel.short_form).second) continue;
        names.push_back(escape_for_terminal(kernel.short_form));
        for (const source_scope& scope : scopes.scopes)
            if (!place && scope.global && scope.name == function_name(kernel.short_form))
                place = source_location{request.file, scope.line};
    }
    if (names.empty()) return;
    constexpr std::size_t shown = 3;
    const std::size_t more = names.size() > shown ? names.size() - shown : 0;
    names.resize(names.size() - more);
    const std::string listed =
        fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
    if (overrides)
        findings.push_back({"maxrregcount_overrides", severity::note,
                            fmt::format("-maxrregcount {} applies to {} too, although they have bounds of their own: "
                                        "--override-directive-values gives it priority",
                                        escape_for_terminal(value), listed),
                            "if that is not intended, leave --override-directive-values out", place});
    else
        findings.push_back(
            {"maxrregcount_ignored", severity::warning,
             fmt::format("-maxrregcount {} does not limit {}: a kernel with a bound of its own keeps it, without a "
                         "message of ptxas",
                         escape_for_terminal(value), listed),
             "choose min_blocks in __launch_bounds__(threads, min_blocks), or add -Xptxas --override-directive-values",
             place});
}

}  // namespace

}  // namespace launchbox
