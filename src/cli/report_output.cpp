// SPDX-License-Identifier: Apache-2.0
#include "cli/report_output.hpp"

#include <algorithm>
#include <iostream>
#include <ostream>

#include "report/core/json.hpp"
#include "report/core/own_file.hpp"
#include "support/error.hpp"
#include "support/process/pager.hpp"
#include "support/text/ascii.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

void output_options::add_to(CLI::App& app, const std::vector<std::string>& more)
{
    std::vector<std::string> formats{"table", "json", "csv", "markdown"};
    formats.insert(formats.end(), more.begin(), more.end());
    std::string help = "table (for people)";
    for (std::size_t i = 1; i < formats.size(); ++i) help += (i + 1 < formats.size() ? ", " : " or ") + formats[i];
    app.add_option("--format", format, help)->check(CLI::IsMember(formats))->type_name("FORMAT");
    app.add_option("-o,--output", file.path, "Write to this file instead of standard output (-)")->type_name("FILE");
    file.add_overwrite(app);
    verb = app.get_name();
}

CLI::Validator run_number()
{
    return CLI::Validator(
        [](const std::string& text) -> std::string {
            constexpr std::size_t max_digits = 9;
            const bool is_number = !text.empty() && text.size() <= max_digits && std::ranges::all_of(text, is_digit);
            if (is_number && text.find_first_not_of('0') != std::string::npos) return {};
            return "'" + escape_for_terminal(text) + "' is not the number of a run";
        },
        "");
}

void write_report(const output_options& options, const report_forms& forms, bool beside_a_program)
{
    const bool to_file = options.file.is_file();
    output_style style = beside_a_program ? style_of_standard_error() : style_of_standard_output();
    if (to_file) style = {.width = 100, .colour = false, .unicode = true};
    const auto write = [&](std::ostream& out) {
        if (const auto other = forms.others.find(options.format); other != forms.others.end())
            out << other->second();
        else if (options.format == "jsonl" && forms.write_json_lines)
            forms.write_json_lines(out);
        else if (options.format == "jsonl")
            throw error("--format jsonl is only available for kernels", "use --format json");
        else if (options.format == "json" && forms.write_json)
            forms.write_json(out);
        else if (options.format == "json")
            out << forms.json().dump(2) << '\n';
        else if (options.format == "csv" && forms.write_csv)
            forms.write_csv(out);
        else if (options.format == "csv")
            out << render_csv(forms.rows());
        else if (options.format == "markdown")
            out << render_markdown(forms.page({.width = 100}));
        else if (const std::string page = render_text(forms.page(style), style);
                 &out != &std::cout || !show_in_pager(page))
            out << page;
        // The mark by which the next report knows that it may replace this one.
        if (to_file && (options.format == "table" || options.format == "github"))
            out << '\n' << own_mark(options.verb);
        else if (to_file && options.format == "markdown")
            out << '\n' << own_markup_mark(options.verb);
    };
    if (beside_a_program && options.file.path.empty())
        write(std::cerr);
    else
        write_output(options.file, write);
}

}  // namespace launchbox::cli
