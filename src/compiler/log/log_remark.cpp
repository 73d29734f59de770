// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_remark.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace launchbox {

namespace {

// The number after `before`, which must be followed by `after`.
std::optional<std::int64_t> number_between(std::string_view text, std::string_view before, std::string_view after,
                                           int base = 10)
{
    const std::size_t at = text.rfind(before);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + before.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    constexpr std::int64_t cap = std::int64_t{1} << 48;
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failure != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(after) || value > cap || value < -cap) return std::nullopt;
    return value;
}

}  // namespace

bool is_performance_loss(std::string_view sentence)
{
    return sentence.find("Potential Performance Loss") != std::string_view::npos;
}

// As in CUDA 13.0; the words are the same since CUDA 9.
std::optional<option_remark> option_remark_in(std::string_view sentence)
{
    if (sentence.find("maxrregcount") == std::string_view::npos) return std::nullopt;
    if (const auto value = number_between(sentence, "Too big maxrregcount value specified ", ","))
        return option_remark{static_cast<int>(*value), false};
    if (const auto value = number_between(sentence, "Overriding global maxrregcount ", " with entry-specific value"))
        return option_remark{static_cast<int>(*value), false};
    if (sentence.starts_with("Overriding maximum register limit "))
        if (const auto value = number_between(sentence, "' with ", " of maxrregcount option"))
            return option_remark{static_cast<int>(*value), true};
    return std::nullopt;
}

remark_figures figures_in_remark(std::string_view sentence)
{
    remark_figures figures;
    if (sentence.starts_with("Local memory used for function ")) {
        figures.stack_frame = number_between(sentence, ", size of stack frame: ", " bytes");
    } else if (sentence.starts_with("Registers are spilled to local memory in function ")) {
        figures.spill_stores = number_between(sentence, "', ", " bytes spill stores");
        figures.spill_loads = number_between(sentence, " bytes spill stores, ", " bytes spill loads");
    } else if (sentence.starts_with("Entry function ")) {
        figures.static_shared = number_between(sentence, "' uses too much shared data (0x", " bytes", 16);
    }
    // Every figure in a warning is more than 0.
    for (auto* figure : {&figures.stack_frame, &figures.spill_stores, &figures.spill_loads, &figures.static_shared})
        if (figure->value_or(0) < 0) figure->reset();
    return figures;
}

bool is_about_a_kernel(std::string_view sentence)
{
    constexpr std::array<std::string_view, 4> words{"ntry function '", " for entry ", "For entry ",
                                                    "Potential Performance Loss"};
    return figures_in_remark(sentence) != remark_figures{} || std::ranges::any_of(words, [&](std::string_view word) {
               return sentence.find(word) != std::string_view::npos;
           });
}

}  // namespace launchbox
