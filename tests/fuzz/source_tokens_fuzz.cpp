// Source text is split into tokens and linted, and a bound is edited on each of its first lines.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "advice/bounds/bound_edit.hpp"
#include "advice/lint/source_lint.hpp"
#include "require.hpp"
#include "source/source_kernels.hpp"
#include "source/source_tokens.hpp"

namespace {

// Digraphs are read as what they stand for.
bool is_digraph(std::string_view read, std::string_view written)
{
    return (read == "[" && written == "<:") || (read == "]" && written == ":>") || (read == "{" && written == "<%") ||
           (read == "}" && written == "%>");
}

void check_words(std::string_view text, const launchbox::source_text& source)
{
    std::size_t end = 0;
    for (const launchbox::source_token& each : source.tokens) {
        require(each.begin >= end && each.end > each.begin && each.end <= text.size());
        const std::string_view written = text.substr(each.begin, each.end - each.begin);
        require(each.text == written || is_digraph(each.text, written));
        require(each.branch < static_cast<int>(source.branches.size()) && each.line >= 1 && each.column >= 1);
        end = each.end;
    }
    for (std::size_t i = 0; i < source.branches.size(); ++i) {
        const launchbox::source_branch& each = source.branches[i];
        require(each.outer < static_cast<int>(i) && each.group <= static_cast<int>(i) && each.group >= 0);
        require(each.directive < source.directives.size());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_words(text, launchbox::read_source_text(text));
    for (const launchbox::diagnosis& each :
         launchbox::lint_source({.file = "f", .text = text, .kernels = {}, .flags = {}}))
        require(!each.message.empty() && each.place && each.place->line >= 1);
    for (const std::string& name : launchbox::kernels_in_text(text)) require(!name.empty());
    for (int line = 1; line <= 8; ++line)
        for (int attribute = 0; attribute <= 4; ++attribute) {
            launchbox::bound_edit_request request;
            request.kernel = "merge";
            request.declared_line = line;
            if (attribute > 0) request.attribute_line = attribute;
            request.attribute = attribute == 4 ? "" : attribute == 3 ? "B" : "__launch_bounds__(256, 2)";
            if (attribute == 3) request.preamble = {"#if 1", "#define B __maxnreg__(32)", "#endif"};
            const launchbox::bound_edit edit = launchbox::edit_bound(text, request);
            require(edit.refusal.empty() || edit.text.empty());
            if (!edit.refusal.empty() || text.size() > 4096) continue;
            require(attribute == 4 || edit.text.find(request.attribute) != std::string::npos);
            require(edit.text == text || !launchbox::unified_diff(text, edit.text, "f").empty());
        }
    return 0;
}
