// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/lint_cuda_arch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "source/constant_expression.hpp"
#include "source/source_constants.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::string_view arch_macro = "__CUDA_ARCH__";

// The expressions that determine the size of a launch.
std::vector<token_span> expressions_of(const source_launch& launch)
{
    std::vector<token_span> all = launch.arguments;
    if (!launch.config.empty()) all.push_back(launch.config);
    return all;
}

class arch_lint {
public:
    explicit arch_lint(const linted_file& file)
        : file_(file.name),
          source_(file.view->source),
          scopes_(file.view->scopes),
          values_(file.view->values),
          constants_(constant_definitions(file.view->source)),
          launches_(file.view->launches)
    {
        for (std::size_t i = 0; i < source_.branches.size(); ++i)
            groups_[source_.branches[i].group].push_back(static_cast<int>(i));
        for (const source_launch& launch : launches_)
            for (const token_span words : expressions_of(launch))
                for (const source_token& token : words) launch_names_.insert(token.text);
    }

    /// Finds names that the file chooses, and functions that test the macro themselves.
    void find(std::vector<chosen_name>& chosen, std::vector<diagnosis>& findings);

    struct use {
        source_location place;
        std::string name;
        bool in_launch = false;
    };
    /// The first launch, or else the first host code, that uses one of the names.
    [[nodiscard]] std::optional<use> first_launch(const std::unordered_set<std::string>& names) const;
    [[nodiscard]] std::optional<use> first_use(const std::unordered_set<std::string>& names) const;
    /// Adds names whose definitions use them; returns whether there were any.
    bool add_names_from(std::unordered_set<std::string>& names) const;

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
    void check_function(const std::vector<int>& branches, std::vector<diagnosis>& findings) const;
    void find_chosen(const std::vector<int>& branches, std::vector<chosen_name>& chosen) const;
    [[nodiscard]] std::optional<std::int64_t> value_of(const constant_definition& constant) const;

    const std::string& file_;
    const source_text& source_;
    const source_scopes& scopes_;
    const source_values& values_;
    std::vector<constant_definition> constants_;
    const std::vector<source_launch>& launches_;
    std::map<int, std::vector<int>> groups_;  // an #if with its branches, in order
    std::unordered_set<std::string_view> launch_names_;
};

bool reads_arch(const source_directive& directive)
{
    return std::any_of(directive.tokens.begin(), directive.tokens.end(),
                       [](const source_token& token) { return token.is(arch_macro); });
}

// Whether it tests if the macro is defined, as code does to distinguish host and device, possibly among other tests.
bool asks_whether_defined(const source_directive& directive)
{
    if (directive.name == "ifdef" || directive.name == "ifndef") return true;
    return std::any_of(directive.tokens.begin(), directive.tokens.end(),
                       [](const source_token& token) { return token.is("defined"); });
}

void arch_lint::find(std::vector<chosen_name>& chosen, std::vector<diagnosis>& findings)
{
    for (const auto& [group, branches] : groups_) {
        const bool reads =
            std::any_of(branches.begin(), branches.end(), [&](int branch) { return reads_arch(directive_of(branch)); });
        if (!reads || hidden_from_host(source_.branches[static_cast<std::size_t>(group)].outer)) continue;
        const scope_kind scope = scope_of(directive_of(group));
        if (scope == scope_kind::host) check_function(branches, findings);
        if (scope == scope_kind::file || scope == scope_kind::type) find_chosen(branches, chosen);
    }
}

// The index of the first token at or after this byte.
std::size_t token_from(const source_text& source, std::size_t byte)
{
    const auto next = std::ranges::lower_bound(source.tokens, byte, {}, &source_token::begin);
    return static_cast<std::size_t>(next - source.tokens.begin());
}

scope_kind arch_lint::scope_of(const source_directive& directive) const
{
    return scopes_.kind_at(token_from(source_, directive.begin));
}

std::optional<std::int64_t> arch_lint::value_of(const constant_definition& constant) const
{
    if (constant.value.empty()) return std::nullopt;
    return values_.integer(constant.value, token_from(source_, constant.value.front().begin));
}

// The value of a condition when compiling for the host: there the macro is undefined, and reads as 0.
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
             [](token_span name) {
                 return name.size() == 1 && name[0].is(arch_macro) ? std::optional<std::int64_t>(0) : std::nullopt;
             },
         .defined = [](std::string_view name) { return name == arch_macro ? std::optional(false) : std::nullopt; }});
}

// The branch that the host compiles; `nullopt` if the text does not tell.
std::optional<int> arch_lint::host_branch(const std::vector<int>& branches) const
{
    for (int branch : branches) {
        const std::optional<std::int64_t> value = on_host(directive_of(branch));
        if (!value) return std::nullopt;
        if (*value != 0) return branch;
    }
    return std::nullopt;
}

// Whether the host certainly does not compile this branch, or an enclosing one.
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

// Whether a launch, or a variable used by a launch, is in one of the branches.
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

// Checks an #if inside a host function.
void arch_lint::check_function(const std::vector<int>& branches, std::vector<diagnosis>& findings) const
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
                                  : "it compiles none of the branches that test an architecture";
    findings.push_back(
        {"host_reads_cuda_arch", decides ? severity::error : severity::warning,
         fmt::format("host code uses __CUDA_ARCH__, which is only defined in device code: {}, for every GPU{}", what,
                     decides ? "; a launch depends on it" : ""),
         "query the GPU: cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)",
         source_location{file_, at.line}});
}

// Finds names to which an #if at file scope gives different values for the host and some architecture.
void arch_lint::find_chosen(const std::vector<int>& branches, std::vector<chosen_name>& chosen) const
{
    const std::optional<int> host = host_branch(branches);
    if (!host) return;
    const auto directive_text = [](const source_directive& directive) {
        std::string text;
        for (std::size_t i = 0; i < directive.tokens.size(); ++i) {
            const bool apart = i > 0 && directive.tokens[i - 1].end != directive.tokens[i].begin;
            text += (apart ? " " : "") + std::string(directive.tokens[i].text);
        }
        return text;
    };
    for (const constant_definition& own : constants_) {
        if (own.branch != *host || own.block) continue;
        const std::optional<std::int64_t> host_value = value_of(own);
        if (!host_value) continue;
        for (const constant_definition& other : constants_) {
            if (other.name != own.name || other.branch == *host) continue;
            if (std::find(branches.begin(), branches.end(), other.branch) == branches.end()) continue;
            const std::optional<std::int64_t> value = value_of(other);
            if (!value || *value == *host_value) continue;
            const source_directive& condition = directive_of(other.branch);
            const std::string where = condition.name == "else"    ? "otherwise"
                                      : condition.name == "ifdef" ? "in device code"
                                                                  : "where " + directive_text(condition);
            chosen.push_back({std::string(own.name), {file_, own.line}, *host_value, *value, where});
            break;
        }
    }
}

bool arch_lint::add_names_from(std::unordered_set<std::string>& names) const
{
    const std::size_t before = names.size();
    for (const constant_definition& definition : constants_)
        for (const source_token& token : definition.value)
            if (names.contains(std::string(token.text))) names.emplace(definition.name);
    return names.size() > before;
}

std::optional<arch_lint::use> arch_lint::first_launch(const std::unordered_set<std::string>& names) const
{
    for (const source_launch& launch : launches_) {
        // Device code reads the device's values.
        if (hidden_from_host(launch.branch) || scopes_.kind_at(launch.first) == scope_kind::device) continue;
        for (const token_span words : expressions_of(launch))
            for (const source_token& token : words)
                if (names.contains(std::string(token.text)))
                    return use{{file_, token.line}, std::string(token.text), true};
    }
    return std::nullopt;
}

std::optional<arch_lint::use> arch_lint::first_use(const std::unordered_set<std::string>& names) const
{
    for (std::size_t i = 0; i < source_.tokens.size(); ++i) {
        const source_token& token = source_.tokens[i];
        if (token.kind == source_token_kind::identifier && scopes_.kind_at(i) == scope_kind::host &&
            names.contains(std::string(token.text)) && !hidden_from_host(token.branch))
            return use{{file_, token.line}, std::string(token.text), false};
    }
    return std::nullopt;
}

void check_use(const chosen_name& chosen, const std::vector<arch_lint>& files, std::vector<diagnosis>& findings)
{
    constexpr int longest_chain = 8;
    std::unordered_set<std::string> names{chosen.name};
    for (int i = 0; i < longest_chain; ++i) {
        bool more = false;
        for (const arch_lint& file : files) more |= file.add_names_from(names);
        if (!more) break;
    }
    std::optional<arch_lint::use> use;
    for (const arch_lint& file : files)
        if (!use) use = file.first_launch(names);
    for (const arch_lint& file : files)
        if (!use) use = file.first_use(names);
    if (!use) return;
    const std::string name = escape_for_terminal(chosen.name);
    const std::string by_way = use->name == chosen.name ? "" : " by way of " + escape_for_terminal(use->name);
    const std::string place = chosen.place.file == use->place.file
                                  ? fmt::format("on line {}", chosen.place.line)
                                  : fmt::format("in {}:{}", escape_for_terminal(chosen.place.file), chosen.place.line);
    findings.push_back(
        {"host_reads_cuda_arch", use->in_launch ? severity::error : severity::warning,
         fmt::format("{} uses {}{}, which __CUDA_ARCH__ chooses {}: the host has no __CUDA_ARCH__ and uses {} for "
                     "every GPU; device code has {} {}",
                     use->in_launch ? "this launch" : "host code", name, by_way, place, chosen.host_value,
                     chosen.device_value, escape_for_terminal(chosen.device_condition)),
         fmt::format("give {} one value, or query the GPU: cudaDeviceGetAttribute(&major, "
                     "cudaDevAttrComputeCapabilityMajor, device)",
                     name),
         use->place});
}

// `cfg::T` at this token; empty if no name begins there.
token_span name_at(token_span tokens, std::size_t at)
{
    if (tokens[at].kind != source_token_kind::identifier || (at > 0 && tokens[at - 1].is_any({"::", ".", "->"})))
        return {};
    std::size_t end = at + 1;
    while (end + 1 < tokens.size() && tokens[end].is("::") && tokens[end + 1].kind == source_token_kind::identifier)
        end += 2;
    return tokens.subspan(at, end - at);
}

std::optional<std::int64_t> value_in(const source_view& view, token_span name)
{
    const std::size_t end = view.source.tokens.size();  // looked up outside of all functions
    if (const auto value = view.values.integer(name, end)) return value;
    return volume_of(view.values.extent(name, end));
}

source_location place_of(const source_view& view, const user_text& text, token_span name)
{
    const std::size_t end = view.source.tokens.size();
    if (const auto found = view.names.find(name, end); found && found->kind != declared_as::macro)
        return text.place(view.source.tokens[found->name].line);
    for (const source_directive& directive : view.source.directives)
        if (directive.name == "define" && !directive.tokens.empty() && directive.tokens.front().is(name.back().text))
            return text.place(directive.line);
    return {};
}

}  // namespace

std::vector<diagnosis> lint_cuda_arch(const std::vector<linted_file>& files, const std::vector<chosen_name>& more)
{
    std::vector<arch_lint> lints;
    for (const linted_file& file : files) lints.emplace_back(file);
    std::vector<chosen_name> chosen;
    std::vector<diagnosis> findings;
    for (arch_lint& lint : lints) lint.find(chosen, findings);
    for (const chosen_name& one : more)
        if (std::ranges::find(chosen, one.name, &chosen_name::name) == chosen.end()) chosen.push_back(one);
    for (const chosen_name& one : chosen) check_use(one, lints, findings);
    return findings;
}

std::vector<chosen_name> names_that_differ(const std::vector<linted_file>& files, const source_view& host,
                                           const source_unit& unit)
{
    std::map<std::string, token_span, std::less<>> names;
    const auto add = [&](token_span tokens, std::size_t at) {
        const token_span name = name_at(tokens, at);
        if (name.empty()) return;
        std::string text;
        for (const source_token& token : name) text += token.text;
        names.emplace(std::move(text), name);
    };
    for (const linted_file& file : files) {
        const token_span tokens = file.view->source.tokens;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (file.view->scopes.kind_at(i) == scope_kind::host) add(tokens, i);
    }
    std::vector<chosen_name> chosen;
    for (const source_unit::pass& pass : unit.devices) {
        const source_view device(pass.text.text);
        for (const auto& [text, name] : names) {
            const auto own = value_in(host, name), other = own ? value_in(device, name) : std::nullopt;
            if (!own || !other || *own == *other ||
                std::ranges::find(chosen, name.back().text, &chosen_name::name) != chosen.end())
                continue;
            const source_location place = place_of(host, unit.host, name);
            if (place.line > 0)
                chosen.push_back({std::string(name.back().text), place, *own, *other, "for " + pass.architecture});
        }
    }
    return chosen;
}

}  // namespace launchbox
