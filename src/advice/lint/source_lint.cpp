// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/source_lint.hpp"

#include <fmt/format.h>
#include <launchbox/block_size.hpp>

#include <algorithm>
#include <set>

#include "advice/lint/lint_cuda_arch.hpp"
#include "advice/model/kernel_question.hpp"
#include "compiler/source_constants.hpp"
#include "compiler/source_launches.hpp"
#include "compiler/source_scopes.hpp"
#include "image/launch_attribute.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// Launches with a constant that the kernel, or any kernel, does not allow.
void lint_launches(const lint_request& request, const source_constants& constants,
                   const std::vector<source_launch>& launches, std::vector<diagnosis>& findings);

// Launches that may begin before the grid ahead has ended, of kernels that never wait for it.
void lint_early_launches(const lint_request& request, const source_text& source, std::vector<diagnosis>& findings);

// -maxrregcount beside kernels for which ptxas ignores it.
void lint_flags(const lint_request& request, const source_scopes& scopes, std::vector<diagnosis>& findings);

}  // namespace

std::vector<diagnosis> lint_source(const lint_request& request)
{
    const source_text source = read_source_text(request.text);
    const source_scopes scopes = read_source_scopes(source);
    const source_constants constants(source);
    const std::vector<source_launch> launches = read_source_launches(source);
    std::vector<diagnosis> findings = lint_cuda_arch(request.file, source, scopes, constants, launches);
    lint_launches(request, constants, launches, findings);
    lint_early_launches(request, source, findings);
    lint_flags(request, scopes, findings);
    std::stable_sort(findings.begin(), findings.end(), [](const diagnosis& a, const diagnosis& b) {
        return (a.place ? a.place->line : 0) < (b.place ? b.place->line : 0);
    });
    return findings;
}

std::string function_name(std::string_view short_form)
{
    constexpr std::string_view anonymous = "(anonymous namespace)::";
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < short_form.size(); ++i) {
        if (short_form.substr(i).starts_with(anonymous)) i += anonymous.size() - 1, begin = i + 1;
        const char c = short_form[i];
        if (c == '<') {
            // The arguments of the function itself end the name; those of a class do not.
            int angles = 0;
            std::size_t end = i;
            for (; end < short_form.size(); ++end) {
                if (short_form[end] == '<') ++angles;
                if (short_form[end] == '>' && --angles == 0) break;
            }
            if (!short_form.substr(std::min(end + 1, short_form.size())).starts_with("::"))
                return std::string(short_form.substr(begin, i - begin));
            i = end;
        } else if (c == '(') {
            ++depth;
        } else if (c == ')') {
            --depth;
        } else if (c == ':' && depth == 0) {
            begin = i + 1;
        }
    }
    return std::string(short_form.substr(begin));
}

namespace {

// The most threads that any compiled kernel of this name takes; nullopt when one of them has no bound, or the user
// wants none of them.
std::optional<int> largest_bound(const lint_request& request, std::string_view name, bool& agreed,
                                 int& max_cluster_blocks)
{
    std::optional<int> largest;
    bool wanted = false;
    agreed = true;
    for (const linted_kernel& kernel : request.kernels) {
        if (function_name(kernel.short_form) != name) continue;
        const std::optional<int> bound = bound_threads(*kernel.info);
        if (!bound) return std::nullopt;
        agreed &= !largest || *largest == *bound;
        largest = std::max(largest.value_or(0), *bound);
        max_cluster_blocks = std::max(max_cluster_blocks, kernel.info->max_cluster_blocks.value_or(0));
        wanted |= kernel.wanted;
    }
    return wanted ? largest : std::nullopt;
}

void lint_launches(const lint_request& request, const source_constants& constants,
                   const std::vector<source_launch>& launches, std::vector<diagnosis>& findings)
{
    for (const source_launch& launch : launches) {
        if (launch.branch >= 0) continue;  // which branches are compiled is not known
        const std::optional<std::int64_t> threads = constants.threads(launch.arguments[1]);
        if (!threads) continue;
        const std::string name = escape_for_terminal(launch.kernel.empty() ? "the kernel" : launch.kernel);
        const source_location place{request.file, launch.line};
        if (*threads > max_threads_per_block) {
            findings.push_back(
                {"launch_over_1024", severity::error,
                 fmt::format("{} is launched with {} threads per block, and no block has more than 1,024", name,
                             with_commas(*threads)),
                 "launch at most 1,024 threads per block", place});
            continue;
        }
        bool agreed = true;
        int cluster = 0;
        const std::optional<int> bound =
            launch.kernel.empty() ? std::nullopt : largest_bound(request, launch.kernel, agreed, cluster);
        if (!bound || *threads <= *bound) continue;
        findings.push_back(
            {"launch_over_bound", severity::error,
             fmt::format("{} is launched with {} threads per block, but compiled for at most {}{}: the "
                         "launch fails",
                         name, *threads, *bound, agreed ? "" : " in any instantiation or architecture"),
             fmt::format("launch at most {} threads, or write {}", *bound,
                         attribute_source({.threads = static_cast<int>(*threads), .max_cluster_blocks = cluster})),
             place});
    }
}

// The words that ptxas or nvcc get: "-Xptxas=-v,-maxrregcount=32" is three.
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
    // Of which kernel a launch is, the text seldom tells: so only where none of all kernels waits.
    bool known = false;
    for (const linted_kernel& kernel : request.kernels) {
        if (kernel.info->waits_for_grid.value_or(false)) return;
        known |= kernel.info->waits_for_grid.has_value();
    }
    if (!known) return;
    const std::vector<source_token>& tokens = source.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
        const bool asks =
            tokens[i].is("programmatic_dependent_launch") || tokens[i].is("programmaticStreamSerializationAllowed");
        if (!asks || !tokens[i + 1].is("=") || !(tokens[i + 2].is("true") || tokens[i + 2].is("1"))) continue;
        findings.push_back({"no_kernel_waits", severity::warning,
                            fmt::format("{} lets a kernel begin before the one ahead of it has ended, and no kernel of "
                                        "this file waits for it: what that one writes may not be there yet",
                                        tokens[i].text),
                            "call cudaGridDependencySynchronize() before the first read, or launch without it",
                            source_location{request.file, tokens[i].line}});
        return;  // one is enough
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
    if (limit == words.end() || std::any_of(words.begin(), words.end(), is("override-directive-values"))) return;
    std::vector<std::string> names;
    std::set<std::string> seen;
    std::optional<source_location> place;
    for (const linted_kernel& kernel : request.kernels) {
        const kernel_info& info = *kernel.info;
        const bool bounded = info.max_threads || info.required_threads || info.requested_max_registers;
        if (!bounded || !kernel.wanted || !seen.insert(kernel.short_form).second) continue;
        names.push_back(escape_for_terminal(kernel.short_form));
        for (const source_scope& scope : scopes.scopes)
            if (!place && scope.global && scope.name == function_name(kernel.short_form))
                place = source_location{request.file, scope.line};
    }
    if (names.empty()) return;
    constexpr std::size_t shown = 3;
    const std::size_t more = names.size() > shown ? names.size() - shown : 0;
    names.resize(names.size() - more);
    const std::string value = limit + 1 == words.end() ? "" : *(limit + 1);
    findings.push_back(
        {"maxrregcount_ignored", severity::warning,
         fmt::format(
             "-maxrregcount {} does nothing for {}{}: a kernel with a bound of its own keeps that, and ptxas says "
             "nothing",
             escape_for_terminal(value), fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : ""),
         "choose min_blocks in __launch_bounds__(threads, min_blocks), or add -Xptxas --override-directive-values",
         place});
}

}  // namespace

}  // namespace launchbox
