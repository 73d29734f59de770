// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/lint_cuda_arch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "compiler/constant_expression.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::string_view arch_macro = "__CUDA_ARCH__";

// A name that a file gives another value for each architecture.
struct chosen_name {
    std::string_view name;
    int line = 0;  // of the host's definition
    std::int64_t host_value = 0, device_value = 0;
    std::string device_condition;  // "where __CUDA_ARCH__ >= 900"
};

class arch_lint {
public:
    arch_lint(const std::string& file, const source_text& source, const source_scopes& scopes,
              const source_constants& constants, const std::vector<source_launch>& launches)
        : file_(file), source_(source), scopes_(scopes), constants_(constants), launches_(launches)
    {
        for (std::size_t i = 0; i < source.branches.size(); ++i)
            groups_[source.branches[i].group].push_back(static_cast<int>(i));
        for (const source_launch& launch : launches)
            for (const auto& argument : launch.arguments)
                for (const source_token& token : argument) launch_names_.insert(token.text);
    }

    std::vector<diagnosis> run();

private:
    [[nodiscard]] const source_directive& directive_of(int branch) const
    {
        return source_.directives[source_.branches[static_cast<std::size_t>(branch)].directive];
    }
    [[nodiscard]] scope_kind scope_of(const source_directive& directive) const;
    [[nodiscard]] std::optional<std::int64_t> on_host(const source_directive& condition) const;
    [[nodiscard]] std::optional<int> host_branch(const std::vector<int>& branches) const;
    [[nodiscard]] bool hidden_from_host(int branch) const;
    [[nodiscard]] bool decides_a_launch(const std::vector<int>& branches) const;
    void check_function(const std::vector<int>& branches);
    void find_chosen(const std::vector<int>& branches);
    void check_use(const chosen_name& chosen);
    [[nodiscard]] std::unordered_set<std::string_view> names_from(std::string_view name) const;

    const std::string& file_;
    const source_text& source_;
    const source_scopes& scopes_;
    const source_constants& constants_;
    const std::vector<source_launch>& launches_;
    std::map<int, std::vector<int>> groups_;  // an #if and its branches, in order
    std::unordered_set<std::string_view> launch_names_;
    std::vector<chosen_name> chosen_;
    std::vector<diagnosis> findings_;
};

bool reads_arch(const source_directive& directive)
{
    return std::any_of(directive.tokens.begin(), directive.tokens.end(),
                       [](const source_token& token) { return token.is(arch_macro); });
}

// Whether it asks only if the macro is there, as code does that tells host and device apart; or asks that as well.
bool asks_whether_defined(const source_directive& directive)
{
    if (directive.name == "ifdef" || directive.name == "ifndef") return true;
    return std::any_of(directive.tokens.begin(), directive.tokens.end(),
                       [](const source_token& token) { return token.is("defined"); });
}

std::vector<diagnosis> arch_lint::run()
{
    for (const auto& [group, branches] : groups_) {
        const bool reads =
            std::any_of(branches.begin(), branches.end(), [&](int branch) { return reads_arch(directive_of(branch)); });
        if (!reads || hidden_from_host(source_.branches[static_cast<std::size_t>(group)].outer)) continue;
        const scope_kind scope = scope_of(directive_of(group));
        if (scope == scope_kind::host) check_function(branches);
        if (scope == scope_kind::file || scope == scope_kind::type) find_chosen(branches);
    }
    for (const chosen_name& name : chosen_) check_use(name);
    return std::move(findings_);
}

scope_kind arch_lint::scope_of(const source_directive& directive) const
{
    const auto next = std::lower_bound(source_.tokens.begin(), source_.tokens.end(), directive.begin,
                                       [](const source_token& token, std::size_t at) { return token.begin < at; });
    return scopes_.kind_at(static_cast<std::size_t>(next - source_.tokens.begin()));
}

// What a condition is in the compilation for the host: the macro is not defined, and 0 where it is read.
std::optional<std::int64_t> arch_lint::on_host(const source_directive& condition) const
{
    if (condition.name == "else") return 1;
    if (condition.name == "ifdef" || condition.name == "ifndef" || condition.name == "elifdef" ||
        condition.name == "elifndef") {
        if (condition.tokens.empty() || !condition.tokens.front().is(arch_macro)) return std::nullopt;
        return condition.name.ends_with("ifndef") ? 1 : 0;
    }
    return evaluate_constant(
        condition.tokens,
        {.value =
             [](std::string_view name) { return name == arch_macro ? std::optional<std::int64_t>(0) : std::nullopt; },
         .defined = [](std::string_view name) { return name == arch_macro ? std::optional(false) : std::nullopt; }});
}

// The branch that the host compiles; nullopt when the text does not tell.
std::optional<int> arch_lint::host_branch(const std::vector<int>& branches) const
{
    for (int branch : branches) {
        const std::optional<std::int64_t> value = on_host(directive_of(branch));
        if (!value) return std::nullopt;
        if (*value != 0) return branch;
    }
    return std::nullopt;
}

// Whether a branch around it surely is none that the host compiles.
bool arch_lint::hidden_from_host(int branch) const
{
    for (; branch >= 0; branch = source_.branches[static_cast<std::size_t>(branch)].outer) {
        const std::vector<int>& branches = groups_.at(source_.branches[static_cast<std::size_t>(branch)].group);
        for (int other : branches) {
            const std::optional<std::int64_t> value = on_host(directive_of(other));
            if (other == branch && value == 0) return true;
            if (other == branch) break;
            if (value && *value != 0) return true;
        }
    }
    return false;
}

// Whether a launch, or a variable that a launch uses, stands in one of the branches.
bool arch_lint::decides_a_launch(const std::vector<int>& branches) const
{
    const std::set<int> own(branches.begin(), branches.end());
    for (std::size_t i = 0; i + 1 < source_.tokens.size(); ++i) {
        const source_token& token = source_.tokens[i];
        if (!own.contains(token.branch)) continue;
        if (token.is("<<<")) return true;
        if (source_.tokens[i + 1].is("=") && launch_names_.contains(token.text)) return true;
    }
    return std::any_of(source_.directives.begin(), source_.directives.end(), [&](const source_directive& directive) {
        return directive.name == "define" && own.contains(directive.branch) && !directive.tokens.empty() &&
               launch_names_.contains(directive.tokens.front().text);
    });
}

// An #if within a function of the host.
void arch_lint::check_function(const std::vector<int>& branches)
{
    bool guarded = false;
    for (int branch : branches) guarded |= asks_whether_defined(directive_of(branch));
    const bool decides = decides_a_launch(branches);
    if (guarded && !decides) return;
    const auto reading =
        std::find_if(branches.begin(), branches.end(), [&](int branch) { return reads_arch(directive_of(branch)); });
    const source_directive& at = directive_of(*reading);
    const std::optional<int> seen = host_branch(branches);
    const std::string what = seen ? fmt::format("it compiles what follows line {}", directive_of(*seen).line)
                                  : "it compiles none of the branches that ask for an architecture";
    findings_.push_back(
        {"host_reads_cuda_arch", decides ? severity::error : severity::warning,
         fmt::format("host code reads __CUDA_ARCH__, which only device code has: {}, whatever the GPU{}", what,
                     decides ? "; a launch depends on it" : ""),
         "ask the GPU: cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)",
         source_location{file_, at.line}});
}

// Names to which an #if at file scope gives different values for the host and for some architecture.
void arch_lint::find_chosen(const std::vector<int>& branches)
{
    const std::optional<int> host = host_branch(branches);
    if (!host) return;
    const auto text_of = [](const source_directive& directive) {
        std::string text;
        for (std::size_t i = 0; i < directive.tokens.size(); ++i) {
            const bool apart = i > 0 && directive.tokens[i - 1].end != directive.tokens[i].begin;
            text += (apart ? " " : "") + std::string(directive.tokens[i].text);
        }
        return text;
    };
    for (const constant_definition& own : constants_.definitions()) {
        if (own.branch != *host || own.block) continue;
        const std::optional<std::int64_t> host_value = constants_.value(own.value);
        if (!host_value) continue;
        for (const constant_definition& other : constants_.definitions()) {
            if (other.name != own.name || other.branch == *host) continue;
            if (std::find(branches.begin(), branches.end(), other.branch) == branches.end()) continue;
            const std::optional<std::int64_t> value = constants_.value(other.value);
            if (!value || *value == *host_value) continue;
            const source_directive& condition = directive_of(other.branch);
            const std::string where = condition.name == "else"    ? "otherwise"
                                      : condition.name == "ifdef" ? "in device code"
                                                                  : "where " + text_of(condition);
            chosen_.push_back({own.name, own.line, *host_value, *value, where});
            break;
        }
    }
}

// The name and all that are defined by it.
std::unordered_set<std::string_view> arch_lint::names_from(std::string_view name) const
{
    constexpr int longest_chain = 8;
    std::unordered_set<std::string_view> names{name};
    for (int i = 0; i < longest_chain; ++i) {
        const std::size_t before = names.size();
        for (const constant_definition& definition : constants_.definitions())
            for (const source_token& token : definition.value)
                if (names.contains(token.text)) names.insert(definition.name);
        if (names.size() == before) break;
    }
    return names;
}

void arch_lint::check_use(const chosen_name& chosen)
{
    const std::unordered_set<std::string_view> names = names_from(chosen.name);
    const source_token* use = nullptr;
    const source_launch* launch = nullptr;
    for (const source_launch& candidate : launches_) {
        // Code on the device reads what the device was given.
        if (launch != nullptr || hidden_from_host(candidate.branch) ||
            scopes_.kind_at(candidate.first) == scope_kind::device)
            continue;
        for (const auto& argument : candidate.arguments)
            for (const source_token& token : argument)
                if (launch == nullptr && names.contains(token.text)) launch = &candidate, use = &token;
    }
    for (std::size_t i = 0; i < source_.tokens.size() && use == nullptr; ++i) {
        const source_token& token = source_.tokens[i];
        if (names.contains(token.text) && scopes_.kind_at(i) == scope_kind::host && !hidden_from_host(token.branch))
            use = &token;
    }
    if (use == nullptr) return;
    const std::string name = escape_for_terminal(chosen.name);
    const std::string by_way = use->is(chosen.name) ? "" : fmt::format(" by way of {}", escape_for_terminal(use->text));
    findings_.push_back(
        {"host_reads_cuda_arch", launch != nullptr ? severity::error : severity::warning,
         fmt::format(
             "{} uses {}{}, which __CUDA_ARCH__ chooses on line {}: the host has no __CUDA_ARCH__ and takes {}, "
             "whatever the GPU; device code has {} {}",
             launch != nullptr ? "this launch" : "host code", name, by_way, chosen.line, chosen.host_value,
             chosen.device_value, escape_for_terminal(chosen.device_condition)),
         fmt::format("give {} one value, or ask the GPU: cudaDeviceGetAttribute(&major, "
                     "cudaDevAttrComputeCapabilityMajor, device)",
                     name),
         source_location{file_, use->line}});
}

}  // namespace

std::vector<diagnosis> lint_cuda_arch(const std::string& file, const source_text& source, const source_scopes& scopes,
                                      const source_constants& constants, const std::vector<source_launch>& launches)
{
    return arch_lint(file, source, scopes, constants, launches).run();
}

}  // namespace launchbox
