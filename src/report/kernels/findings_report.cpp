// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/findings_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/core/short_names.hpp"
#include "report/kernels/kernel_tables.hpp"
#include "report/occupancy/calculator_state.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

// Nobody reads more kernels than this from the top; the others are only counted.
constexpr std::size_t kernels_shown = 12;

std::string counts_of(const std::vector<kernel_findings>& kernels)
{
    std::string text;
    for (const finding_count& one : count_findings(kernels))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(one.kernels), one.id);
    return text;
}

// "3 of 12 kernels have findings, the worst first."
std::string summary_of(const inspection& found, std::size_t with_findings)
{
    std::vector<const inspected_kernel*> all;
    for (const inspected_kernel& kernel : found.kernels) all.push_back(&kernel);
    const kernel_counts counts = count_kernels(all);
    const char *one = counts.instances > counts.kernels ? "instance" : "kernel",
               *more = counts.instances > counts.kernels ? "instances" : "kernels";
    if (with_findings == 0)
        return fmt::format("Nothing was found in {}.",
                           counts.instances == 1 ? std::string("this kernel") : counted(counts.instances, one, more));
    if (counts.instances == 1) return "The kernel has findings.";
    return fmt::format("{} of {} {} findings{}", count_text(with_findings), counted(counts.instances, one, more),
                       with_findings == 1 ? "has" : "have", with_findings == 1 ? "." : ", the worst first.");
}

void add_kernel(const kernel_findings& kernel, std::string title, bool several_inputs, document& page)
{
    if (several_inputs) title += "  (" + escape_for_terminal(kernel.kernel->info.source.file) + ")";
    page.heading(std::move(title));
    page.blocks.back().text.calculator = calculator_state(*kernel.kernel);
    for (const auto& one : kernel.findings)
        add_finding(page, one.what, fmt::format(" ({})", fmt::join(one.architectures, ", ")));
    if (kernel.next_step.empty()) return;
    page.line("To compile the alternatives and get a recommended bound:", tone::faint);
    page.verbatim(escape_for_terminal(kernel.next_step));
}

void add_kernels(const inspection& found, const std::vector<kernel_findings>& kernels, document& page)
{
    page.line(summary_of(found, kernels.size()), kernels.empty() ? tone::good : tone::strong);
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < std::min(kernels.size(), kernels_shown); ++i)
        titles.push_back(escape_for_terminal(kernels[i].kernel->info.short_form));
    titles = shortened_apart(titles, widest_title);
    for (std::size_t i = 0; i < titles.size(); ++i) add_kernel(kernels[i], titles[i], found.inputs.size() > 1, page);
    if (kernels.size() <= kernels_shown) return;
    const std::vector<kernel_findings> rest(kernels.begin() + kernels_shown, kernels.end());
    page.heading(fmt::format("{} with findings", counted(rest.size(), "more kernel", "more kernels")));
    page.line(counts_of(rest));
}

// Findings about lines of the sources. An error concerns everybody who launches a kernel, so compiler warnings come
// after it.
void add_of_sources(const inspection& found, bool errors, document& page)
{
    bool first = true;
    for (const inspected_input& input : found.inputs)
        for (const diagnosis& finding : input.diagnoses) {
            if ((finding.level == severity::error) != errors) continue;
            if (std::exchange(first, false)) page.heading(errors ? "In the source" : "Also in the source");
            add_finding(page, finding,
                        finding.place ? fmt::format(" ({}:{})", finding.place->file, finding.place->line) : "");
        }
}

}  // namespace

document findings_document(const inspection& found, const std::vector<kernel_findings>& kernels)
{
    document page;
    add_of_sources(found, true, page);
    if (!found.kernels.empty()) add_kernels(found, kernels, page);
    add_of_sources(found, false, page);
    return page;
}

std::string counts_text(const kernel_counts& counts)
{
    std::string text = counted(counts.kernels, "kernel", "kernels");
    if (counts.instances > counts.kernels) text += fmt::format(" in {} instances", count_text(counts.instances));
    if (counts.architectures > 1)
        text += fmt::format(", {}", counted(counts.architectures, "architecture", "architectures"));
    if (counts.compiled > counts.instances) text += fmt::format(", {} compiled", count_text(counts.compiled));
    if (counts.ptx > 0) text += fmt::format(", {} as PTX", count_text(counts.ptx));
    return text;
}

}  // namespace launchbox
