// SPDX-License-Identifier: Apache-2.0
#include "cli/report_output.hpp"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string_view>

#include "cli/value_checks.hpp"
#include "report/core/json.hpp"
#include "report/core/own_file.hpp"
#include "support/error.hpp"
#include "support/process/subprocess.hpp"
#include "support/text/ascii.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

constexpr int command_not_found = 127, command_not_executable = 126;  // of sh

bool is_higher_than_terminal(const std::string& text)
{
    const char* kind = std::getenv("TERM");
    winsize size{};
    if (::isatty(STDOUT_FILENO) != 1 || (kind != nullptr && std::string_view(kind) == "dumb")) return false;
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return false;
    return std::ranges::count(text, '\n') >= size.ws_row;  // the prompt needs a line
}

// Empty if none.
std::string pager_command()
{
    for (const char* name : {"LAUNCHBOX_PAGER", "PAGER"})
        if (const char* value = std::getenv(name)) return std::string_view(value) == "cat" ? "" : value;
    return find_in_path("less").empty() ? "" : "less";
}

// Shows the text in a pager: $LAUNCHBOX_PAGER, $PAGER or less, whichever is set first, with `less` as git starts it
// (LESS=FRX unless that is set). False, and nothing was shown, if standard output is not a terminal or a dumb one, if
// the text fits on it, if the variable is empty or "cat", or if the pager cannot be started.
bool show_in_pager(const std::string& text)
{
    if (!is_higher_than_terminal(text)) return false;
    const std::string command = pager_command();
    if (command.find_first_not_of(' ') == std::string::npos) return false;
    ::setenv("LESS", "FRX", 0);
    std::FILE* pager = ::popen(command.c_str(), "w");
    if (pager == nullptr) return false;
    // A page that was left in the buffer would fail in pclose, as if there had been no pager.
    std::setvbuf(pager, nullptr, _IONBF, 0);
    auto* const before = std::signal(SIGPIPE, SIG_IGN);  // the user may quit the pager early
    std::fwrite(text.data(), 1, text.size(), pager);
    const int status = ::pclose(pager);
    std::signal(SIGPIPE, before);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return status != -1 && code != command_not_found && code != command_not_executable;
}

}  // namespace

void output_options::add_to(CLI::App& app, const std::vector<std::string>& more)
{
    std::vector<std::string> formats{"table", "json", "csv", "markdown"};
    formats.insert(formats.end(), more.begin(), more.end());
    std::string help = "table (for people)";
    for (std::size_t i = 1; i < formats.size(); ++i) help += (i + 1 < formats.size() ? ", " : " or ") + formats[i];
    app.add_option("--format", format, help)->check(one_of(formats))->type_name("FORMAT");
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
