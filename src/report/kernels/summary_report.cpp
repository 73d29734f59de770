// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/summary_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "report/kernels/kernel_cells.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_listed = 5;  // of the kernels that occur several times

// As `ls -h` writes sizes: three digits are enough, and the table fits. Programs get the bytes.
std::string size_text(std::int64_t bytes)
{
    if (bytes < 1024) return std::to_string(bytes);
    double value = static_cast<double>(bytes) / 1024;
    const char* unit = "K";
    for (const char* next : {"M", "G"}) {
        if (value < 1024) break;
        value /= 1024;
        unit = next;
    }
    return fmt::format("{:.{}f}{}", value, value < 99.95 ? 1 : 0, unit);
}

table architectures_of(const summarized_input& summarized);
void add_toolkits(document& page, const kernel_summary& summary);
void add_repeated(document& page, const kernel_summary& summary);
void add_gpus(document& page, const kernel_summary& summary);

}  // namespace

std::vector<summarized_input> summaries_of(const inspection& found)
{
    std::unordered_map<std::string, std::vector<const inspected_kernel*>> kernels_of;
    for (const inspected_kernel& kernel : found.kernels) kernels_of[kernel.info.source.file].push_back(&kernel);
    std::vector<summarized_input> result;
    for (const inspected_input& input : found.inputs) {
        const bool again = std::any_of(result.begin(), result.end(),
                                       [&](const auto& other) { return other.input.file == input.file; });
        if (!again) result.push_back({input, summarize(kernels_of[input.file], input.images)});
    }
    return result;
}

document summary_document(const std::vector<summarized_input>& inputs)
{
    document page;
    cell_signs signs;
    for (const summarized_input& input : inputs) {
        const kernel_summary& summary = input.summary;
        page.heading(fmt::format("{}: {}, {}",
                                 input.input.file == "-" ? "standard input" : escape_for_terminal(input.input.file),
                                 input.input.kind, counted(summary.unique_kernels, "kernel", "kernels")));
        if (summary.architectures.empty()) continue;
        table rows = architectures_of(input);
        signs.note(rows);
        page.add(std::move(rows));
        add_toolkits(page, summary);
        add_repeated(page, summary);
        add_gpus(page, summary);
    }
    signs.explain(page);
    return page;
}

namespace {

table architectures_of(const summarized_input& summarized)
{
    const bool images = !summarized.input.images.empty();
    table rows{{{"arch"}}, {}};
    if (images)
        rows.columns.insert(rows.columns.end(), {{"image"}, {"images", true}, {"stored", true}, {"unpacked", true}});
    rows.columns.insert(
        rows.columns.end(),
        {{"kernels", true}, {"unique", true}, {"code", true}, {"spilling", true}, {"spills", true}, {"regs", true}});
    // A sum of the known values is shown alone only if all values are known.
    const auto known_of = [&](bool all_unknown, std::size_t unknown, const std::string& text) -> std::string {
        if (unknown == 0) return text;
        return all_unknown ? "?" : text + "+?";
    };
    for (const architecture_summary& sum : summarized.summary.architectures) {
        std::string label = sum.architecture.empty() ? "?" : escape_for_terminal(sum.architecture);
        if (sum.linked) label += " linked";
        if (sum.relocatable) label += " -rdc";
        std::vector<cell> row{label};
        if (images) {
            row.emplace_back(escape_for_terminal(sum.kind));
            row.emplace_back(count_text(sum.images));
            row.emplace_back(size_text(static_cast<std::int64_t>(sum.stored_bytes)));
            row.emplace_back(size_text(static_cast<std::int64_t>(sum.bytes)));
        }
        row.emplace_back(count_text(sum.kernels));
        row.emplace_back(count_text(sum.unique_kernels));
        if (sum.kernels == 0 || sum.kind == "PTX") {
            for (int i = 0; i < 4; ++i) row.emplace_back("–");
        } else {
            row.emplace_back(known_of(sum.code_unknown == sum.kernels, sum.code_unknown, size_text(sum.code_bytes)));
            const bool none_known = sum.spills_unknown == sum.kernels;
            row.emplace_back(known_of(none_known, sum.spills_unknown, count_text(sum.spilling)),
                             sum.spilling > 0 ? tone::bad : tone::plain);
            std::string spills = known_of(none_known, sum.spills_unknown + sum.spills_at_least,
                                          size_text(sum.spill_store_bytes + sum.spill_load_bytes));
            if (const std::int64_t shared = sum.shared_spill_store_bytes + sum.shared_spill_load_bytes; shared > 0)
                spills += " +" + size_text(shared);
            row.emplace_back(spills);
            row.emplace_back(sum.largest_registers ? std::to_string(*sum.largest_registers) : "?");
        }
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

bool has_images(const kernel_summary& summary, std::string_view kind)
{
    return std::ranges::any_of(summary.architectures,
                               [&](const architecture_summary& architecture) { return architecture.kind == kind; });
}

void add_toolkits(document& page, const kernel_summary& summary)
{
    if (std::any_of(summary.architectures.begin(), summary.architectures.end(),
                    [](const auto& architecture) { return architecture.relocatable; }))
        page.line("  -rdc: compiled for device linking, does not run; registers and stack are final only after nvlink");
    if (has_images(summary, "Tile IR"))
        page.line("  Tile IR: the driver compiles it when it is loaded (CUDA 13.1 and later), so it has no figures");
    if (has_images(summary, "LTO-IR"))
        page.line("  LTO-IR: runs only after it was compiled at link time (nvlink -dlto, nvJitLink)");
    if (summary.toolkits.empty()) return;
    std::string text;
    for (const auto& [version, kernels] : summary.toolkits)
        text += fmt::format("{}CUDA {} ({})", text.empty() ? "" : ", ", toolkit_name(version),
                            counted(kernels, "kernel", "kernels"));
    if (summary.toolkit_unknown > 0) text += fmt::format(", unknown ({})", count_text(summary.toolkit_unknown));
    page.line("  compiled by " + text);
}

void add_repeated(document& page, const kernel_summary& summary)
{
    const auto list = [&](const std::vector<repeated_kernel>& kernels, const char* times) {
        for (std::size_t i = 0; i < std::min(kernels.size(), max_listed); ++i) {
            const repeated_kernel& repeated = kernels[i];
            std::string text = fmt::format("    {} × {}{}, {}", repeated.times, times, repeated.architecture,
                                           shortened(escape_for_terminal(repeated.short_form), 60));
            if (repeated.bytes) text += fmt::format(": {} B too much", with_commas(*repeated.bytes));
            page.line(std::move(text));
        }
        if (kernels.size() > max_listed)
            page.line(fmt::format("    and {} more", count_text(kernels.size() - max_listed)));
    };
    if (!summary.copies.empty()) {
        std::int64_t bytes = 0;
        std::size_t extra = 0;
        for (const repeated_kernel& copy : summary.copies) {
            bytes += copy.bytes.value_or(0);
            extra += copy.times - 1;
        }
        page.line(fmt::format("  copies: {} of kernels with the same code for the same architecture, {} B of code:",
                              count_text(extra), with_commas(bytes)),
                  tone::warning);
        list(summary.copies, "");
    }
    if (!summary.differing.empty()) {
        page.line(fmt::format("  same name, different code: {}. That is fine for static kernels of several files and "
                              "for files compiled with different flags; otherwise the program has two definitions of "
                              "one kernel, and either of them may run:",
                              counted(summary.differing.size(), "kernel", "kernels")),
                  tone::warning);
        list(summary.differing, "code for ");
    }
}

std::string names_of(const std::vector<gpu_support>& gpus, const std::function<bool(const gpu_support&)>& chosen)
{
    std::string text;
    for (const gpu_support& gpu : gpus)
        if (chosen(gpu)) text += (text.empty() ? "" : ", ") + std::string(compute_capability_name(gpu.gpu).view());
    return text;
}

void add_gpus(document& page, const kernel_summary& summary)
{
    if (summary.gpus.empty()) return;
    const std::size_t all = summary.runnable;
    if (all == 0) {
        if (!has_images(summary, "Tile IR")) page.line("  Nothing here can run before it is linked.");
        return;
    }
    if (!summary.ptx.empty()) {
        std::string text;
        for (const ptx_summary& ptx : summary.ptx)
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", escape_for_terminal(ptx.architecture),
                                ptx.where_it_runs);
        page.line("  PTX: " + text);
    }
    if (summary.only_ptx > 0)
        page.line(fmt::format("  {} only as PTX", counted(summary.only_ptx, "kernel is there", "kernels are there")));
    const auto say = [&](const char* what, const std::string& names) {
        if (!names.empty()) page.line(fmt::format("  {}: {}", what, names));
    };
    say("runs as it is on", names_of(summary.gpus, [&](const auto& g) { return g.by_cubin == all; }));
    std::string compiled =
        names_of(summary.gpus, [&](const auto& g) { return g.by_cubin < all && g.by_cubin + g.by_ptx == all; });
    if (summary.on_later_gpus == all) compiled += compiled.empty() ? "later GPUs" : " and later";
    say("runs after compiling PTX on", compiled);
    const auto partly = [&](const gpu_support& g) {
        const std::size_t some = g.by_cubin + g.by_ptx;
        return some > 0 && some < all;
    };
    std::string some;
    for (const gpu_support& gpu : summary.gpus)
        if (partly(gpu))
            some += fmt::format("{}{} ({} of {})", some.empty() ? "" : ", ", compute_capability_name(gpu.gpu).view(),
                                count_text(gpu.by_cubin + gpu.by_ptx), count_text(all));
    say("runs in part on", some);
    if (summary.on_later_gpus < all) {
        const char* which = summary.on_later_gpus == 0 ? "No kernel has" : "Not all kernels have";
        page.line(fmt::format("  {} PTX for later GPUs: a new major compute capability needs a new build.", which),
                  tone::warning);
    }
}

}  // namespace

}  // namespace launchbox
