// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_forms.hpp"

#include <ostream>
#include <string>

#include "report/kernels/kernels_json.hpp"
#include "report/kernels/lines_report.hpp"
#include "support/process/parallel.hpp"

namespace launchbox::cli {

namespace {

document page_of(const inspection& found, const output_style& style)
{
    if (shown_as_list(found)) return kernel_list_document(found, count_findings(found.kernels), style);
    return kernel_tables_document(found, accounts_of(found.kernels));
}

// The report on a kernel takes kilobytes, and with lines megabytes, so it is made only when the kernel is written.
template <class Make, class Use>
void for_each_kernel(const inspection& found, const Make& make, const Use& use)
{
    const auto cost = [&](std::size_t i) {
        return found.kernels[i].info.analysis.lines ? found.kernels[i].info.analysis.lines->text_bytes : 0;
    };
    make_parallel_use_in_order(found.kernels.size(), make, use, cost, max_line_text_per_kernel);
}

void write_json(const inspection& found, std::ostream& out)
{
    kernels_json_writer json(found, out);
    const auto json_of_kernel = [&](std::size_t i) {
        return kernel_json_text(found.kernels[i], account_of(found.kernels[i]));
    };
    for_each_kernel(found, json_of_kernel, [&](const std::string& text) { json.add(text); });
    json.finish();
}

void write_json_lines(const inspection& found, std::ostream& out)
{
    out << kernels_json_first_line(found);
    const auto line_of = [&](std::size_t i) {
        return kernel_json_line(found.kernels[i], account_of(found.kernels[i]));
    };
    for_each_kernel(found, line_of, [&](const std::string& line) { out << line; });
}

void write_csv(const inspection& found, std::ostream& out)
{
    out << kernels_csv_header();
    const auto line_of = [&](std::size_t i) { return kernel_csv_line(found.kernels[i], account_of(found.kernels[i])); };
    for_each_kernel(found, line_of, [&](const std::string& line) { out << line; });
}

}  // namespace

report_forms kernel_forms(const inspection& found)
{
    report_forms forms;
    forms.page = [&](const output_style& style) { return page_of(found, style); };
    forms.write_json = [&](std::ostream& out) { write_json(found, out); };
    forms.write_csv = [&](std::ostream& out) { write_csv(found, out); };
    forms.write_json_lines = [&](std::ostream& out) { write_json_lines(found, out); };
    return forms;
}

line_view parse_line_view(std::string_view word)
{
    return word == "spills"      ? line_view::spills
           : word == "registers" ? line_view::registers
           : word == "memory"    ? line_view::memory
           : word == "source"    ? line_view::source
                                 : line_view::none;
}

void add_line_forms(report_forms& forms, const inspection& found, line_view view, const source_folders& folders)
{
    forms.page = [&found, view, folders](const output_style& style) {
        const line_names names = brief_line_names(found, view, lines_of_a_kernel);
        if (view == line_view::source) return margin_document(found, names, margin_sources(found, folders), style);
        if (view == line_view::memory) return traffic_document(found, names, lines_of_a_kernel);
        return view == line_view::registers ? pressure_document(found, names, lines_of_a_kernel)
                                            : lines_document(found, names, lines_of_a_kernel);
    };
    forms.write_csv = {};
    const bool live = view == line_view::registers || view == line_view::source;
    forms.rows = [&found, live] { return lines_table(found, full_line_names(found), live); };
}

}  // namespace launchbox::cli
