// SPDX-License-Identifier: Apache-2.0
#include "app/init/spec_draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/text/terminal.hpp"
#include "support/text/toml_text.hpp"

namespace launchbox {

namespace {

constexpr std::size_t widest = 100;

class spec_writer {
public:
    void heading(const std::string& name) { text_ += (text_.empty() ? "" : "\n") + name + "\n"; }

    // The comment goes after the line if both fit, else above it.
    void line(const draft_line& one, const std::string& indent = {})
    {
        if (one.comment.empty()) {
            text_ += indent + one.text + "\n";
        } else if (indent.size() + one.text.size() + one.comment.size() + 4 <= widest) {
            text_ += indent + one.text + "  # " + escape_for_terminal(one.comment) + "\n";
        } else {
            comment(one.comment, indent);
            text_ += indent + one.text + "\n";
        }
    }

    void comment(const std::string& words, const std::string& indent = {})
    {
        std::string rest = escape_for_terminal(words);
        const std::size_t room = widest - indent.size() - 2;
        while (!rest.empty()) {
            std::size_t end = rest.size();
            if (end > room) {
                end = rest.rfind(' ', room);
                if (end == std::string::npos || end == 0) end = rest.size();
            }
            text_ += indent + "# " + rest.substr(0, end) + "\n";
            rest.erase(0, std::min(end + 1, rest.size()));
        }
    }

    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

// A number is written as it is, an expression in quotes.
std::string size_text(const std::string& expression)
{
    const bool number = !expression.empty() && expression.find_first_not_of("0123456789") == std::string::npos;
    return number ? expression : toml_string(expression);
}

std::string sizes_text(std::vector<std::string> sizes)
{
    while (sizes.size() > 1 && sizes.back() == "1") sizes.pop_back();
    if (sizes.size() == 1) return size_text(sizes.front());
    for (std::string& one : sizes) one = size_text(one);
    return fmt::format("[{}]", fmt::join(sizes, ", "));
}

std::string strings_text(std::vector<std::string> words)
{
    for (std::string& word : words) word = toml_string(word);
    return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string argument_text(const draft_argument& argument)
{
    std::string text = fmt::format("{{ name = {}, type = {}", toml_string(argument.name), toml_string(argument.type));
    if (!argument.count.empty()) text += ", count = " + size_text(argument.count);
    if (!argument.fill.empty()) text += ", fill = " + toml_string(argument.fill);
    if (!argument.role.empty()) text += ", role = " + toml_string(argument.role);
    if (!argument.value.empty()) text += ", value = " + size_text(argument.value);
    return text + " },";
}

void write_kernel(spec_writer& to, const spec_draft& draft)
{
    to.heading("[kernel]");
    to.line({"source = " + toml_string(draft.source)});
    to.line({"name = " + toml_string(draft.kernel)});
    if (!draft.constants.empty())
        to.line({"constants = " + strings_text(draft.constants),
                 "the source's own definitions take the values of these parameters"});
    to.line({"threads = " + sizes_text(draft.threads), draft.threads_comment});
    to.line({"blocks = " + sizes_text(draft.blocks), draft.blocks_comment});
    if (!draft.cluster.empty()) to.line({"cluster = " + sizes_text(draft.cluster)});
    if (!draft.dynamic_shared.empty())
        to.line({"dynamic_shared = " + size_text(draft.dynamic_shared), draft.dynamic_shared_comment});
    if (!draft.compiler.empty()) to.line({"compiler = " + toml_string(draft.compiler)});
    if (!draft.flags.empty()) to.line({"flags = " + strings_text(draft.flags)});
    if (!draft.arguments.empty()) {
        to.line({"arguments = ["});
        for (const draft_argument& argument : draft.arguments)
            to.line({argument_text(argument), argument.comment}, "  ");
        to.line({"]"});
    }
    if (draft.variables.empty()) return;
    to.line({"variables = ["});
    for (const draft_line& variable : draft.variables) to.line(variable, "  ");
    to.line({"]"});
}

}  // namespace

std::string text_of(const spec_draft& draft)
{
    spec_writer to;
    for (const std::string& words : draft.head) to.comment(words);
    to.heading("[tunable]");
    to.line({"name = " + toml_string(draft.name)});
    std::vector<std::string> baseline;
    for (const draft_parameter& parameter : draft.parameters)
        baseline.push_back(parameter.name + " = " + parameter.baseline);
    to.line({fmt::format("baseline = {{ {} }}", fmt::join(baseline, ", ")),
             draft.baseline_is_known ? "the current values" : "the values to compare with: fill in"});
    to.heading("[parameters]");
    for (const draft_parameter& parameter : draft.parameters)
        to.line({fmt::format("{} = [{}]", parameter.name, fmt::join(parameter.values, ", ")), parameter.comment});
    if (!draft.constraints.empty()) {
        to.heading("[constraints]");
        to.line({"all = ["});
        for (const std::string& constraint : draft.constraints) to.line({toml_string(constraint) + ","}, "  ");
        to.line({"]"});
    }
    if (!draft.workload.empty()) {
        to.heading("[[workload]]");
        for (const draft_workload_value& value : draft.workload)
            to.line({value.name + " = " + value.value, value.comment});
    }
    write_kernel(to, draft);
    if (draft.verify.empty()) return to.take();
    to.heading("[verify]");
    for (const draft_line& one : draft.verify) to.line(one);
    return to.take();
}

}  // namespace launchbox
