// SPDX-License-Identifier: Apache-2.0
#include "report/html/html_page.hpp"

#include <fmt/format.h>

#include "report/charts/chart_svg.hpp"
#include "report/html/web_assets.hpp"
#include "support/error.hpp"

namespace launchbox {

namespace {

const char* class_of(tone look)
{
    switch (look) {
        case tone::strong:
            return "strong";
        case tone::faint:
            return "faint";
        case tone::good:
            return "good";
        case tone::warning:
            return "warning";
        case tone::bad:
            return "bad";
        case tone::plain:
            break;
    }
    return "plain";
}

std::string_view without_indent(std::string_view text)
{
    const std::size_t start = text.find_first_not_of(' ');
    return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// Allows scripts and styles only by their hashes: even injected markup could not run or load anything.
std::string head_of(std::string_view title, const std::string& scripts, const std::string& more)
{
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
        "form-action 'none'; style-src 'sha256-{}'; script-src {}{}\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta name=\"color-scheme\" content=\"light dark\"><title>{}</title>\n<style>{}</style></head>\n",
        page_style().sha256, scripts, more, markup_text(title), page_style().content);
}

std::string script_of(const web_asset& script)
{
    return script.content.empty() ? "" : fmt::format("<script>{}</script>\n", script.content);
}

std::string source_of(const web_asset& script)
{
    return script.content.empty() ? "" : fmt::format("'sha256-{}' ", script.sha256);
}

// Additional permissions for a page with the calculator.
constexpr const char* calculator_sources = "'wasm-unsafe-eval' blob:; worker-src blob:";

// The calculator's fields, its program, and the script of its worker.
std::string calculator_parts(const std::string& state)
{
    return fmt::format(
        "{}<script type=\"application/json\" id=\"state\">{}</script>\n"
        "<script type=\"text/plain\" id=\"program\">{}</script>\n"
        "<script type=\"text/plain\" id=\"worker\">{}</script>\n",
        calculator_body().content, script_string(state), calculator_program().content, calculator_worker().content);
}

}  // namespace

void html_page::section(const std::string& id, std::string_view heading, int level)
{
    contents_.push_back({id, std::string(heading), level});
    body_ += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, id, markup_text(heading));
}

void html_page::line(std::string_view text, tone look)
{
    text = without_indent(text);
    if (text.empty()) return;
    body_ += fmt::format("<p class=\"{}\">{}</p>\n", class_of(look), markup_text(text));
}

void html_page::add(const document& content)
{
    for (const document::block& block : content.blocks) switch (block.what) {
            case document::kind::heading:
                body_ += fmt::format("<h4>{}{}</h4>\n", markup_text(block.text.text),
                                     has_calculator() && !block.text.calculator.empty()
                                         ? linked(block.text.calculator, "calculator")
                                         : "");
                break;
            case document::kind::line:
                line(block.text.text, block.text.look);
                break;
            case document::kind::table:
                add(block.data);
                break;
            case document::kind::verbatim:
                verbatim(block.text.text);
                break;
        }
}

void html_page::add(const table& content)
{
    body_ += "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"table\"><table><thead><tr>";
    for (const table::column& column : content.columns)
        body_ += fmt::format("<th{}>{}</th>", column.right ? " class=\"right\"" : "", markup_text(column.title));
    body_ += "</tr></thead><tbody>\n";
    for (const std::vector<cell>& row : content.rows) {
        body_ += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool right = i < content.columns.size() && content.columns[i].right;
            body_ += fmt::format("<td class=\"{}{}\">{}</td>", class_of(row[i].look), right ? " right" : "",
                                 linked(row[i].calculator, markup_text(row[i].text)));
        }
        body_ += "</tr>\n";
    }
    body_ += "</tbody></table></div>\n";
}

void html_page::add(const chart_group& group, const std::string& id_prefix)
{
    const std::string id = id_prefix + group.id;
    body_ += fmt::format("<section class=\"card\" id=\"{}\"><h4>{}</h4>\n", id, markup_text(group.title));
    line(group.text, tone::faint);
    const bool tabs = group.charts.size() > 1 && group.tabs.size() == group.charts.size();
    if (tabs) {
        body_ += fmt::format("<div class=\"tabs\" role=\"tablist\" aria-label=\"{}\">", markup_text(group.title));
        for (std::size_t i = 0; i < group.tabs.size(); ++i)
            body_ += fmt::format(
                R"(<button type="button" role="tab" id="{0}-tab{1}" aria-controls="{0}-panel{1}" aria-selected="{2}" tabindex="{3}">{4}</button>)",
                id, i, i == 0 ? "true" : "false", i == 0 ? "0" : "-1", markup_text(group.tabs[i]));
        body_ += "</div>\n";
    }
    for (std::size_t i = 0; i < group.charts.size(); ++i) {
        if (tabs)
            body_ += fmt::format(R"(<div role="tabpanel" id="{0}-panel{1}" aria-labelledby="{0}-tab{1}"{2}>)", id, i,
                                 i == 0 ? "" : " hidden");
        add_chart(group.charts[i], fmt::format("{}-chart{}", id, i));
        if (tabs) body_ += "</div>\n";
    }
    body_ += "</section>\n";
}

void html_page::add_chart(const chart& drawn, const std::string& id)
{
    const auto* points = std::get_if<xy_chart>(&drawn.content);
    const bool by_script = points != nullptr && !chart_js().content.empty();
    body_ += "<figure>";
    if (by_script) {
        charts_.add(drawn, *points, id);
        // A chart with names down its side needs its own height.
        body_ += fmt::format(
            R"(<div class="canvas{}" data-rows="{}"><canvas id="{}" role="img" aria-label="{}"></canvas></div>)",
            points->y.categories.empty() ? "" : " rows", points->y.categories.size(), id, markup_text(drawn.title));
    } else {
        body_ += "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + markup_text(drawn.title) +
                 "\">" + svg_of(drawn, svg_use::in_page) + "</div>";
    }
    if (!drawn.text.empty()) body_ += fmt::format("<figcaption>{}</figcaption>", markup_text(drawn.text));
    if (by_script)
        body_ +=
            fmt::format("<details class=\"numbers\" data-chart=\"{}\"><summary>The numbers</summary></details>", id);
    body_ += "</figure>\n";
}

bool html_page::has_calculator()
{
    return !calculator_program().content.empty() && !chart_js().content.empty();
}

std::string html_page::linked(const std::string& address, const std::string& markup)
{
    if (address.empty() || !has_calculator()) return markup;
    uses_calculator_ = true;
    return fmt::format(R"(<a class="to-calculator" href="#calculator&amp;{}">{}</a>)", markup_text(address), markup);
}

void html_page::verbatim(std::string_view text)
{
    if (text.ends_with('\n')) text.remove_suffix(1);  // no extra empty line
    std::string escaped;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        escaped += markup_text(text.substr(start, end - start)) + "\n";
        start = end + 1;
    }
    body_ += "<pre tabindex=\"0\">" + escaped + "</pre>\n";
}

void html_page::begin_details(std::string_view summary)
{
    body_ += fmt::format("<details><summary>{}</summary>\n", markup_text(summary));
}

void html_page::end_details()
{
    body_ += "</details>\n";
}

std::string html_page::text() const
{
    std::string scripts = source_of(chart_js()) + source_of(shared_script()) + source_of(report_script());
    if (uses_calculator_) scripts += source_of(calculator_script());
    std::string page = head_of(title_, scripts, uses_calculator_ ? calculator_sources : "");
    page += fmt::format("<body><div id=\"report\"><header><h1>{}</h1></header>\n", markup_text(title_));
    if (contents_.size() > 1) {
        page += "<nav aria-label=\"Contents\"><ul>";
        for (const entry& one : contents_)
            page += fmt::format("<li class=\"level{}\"><a href=\"#{}\">{}</a></li>", one.level, one.id,
                                markup_text(one.heading));
        page += "</ul></nav>\n";
    }
    page += "<main>\n" + body_ + "</main>\n";
    page += "<noscript><p>Charts of points need JavaScript; tables and maps do not.</p></noscript>\n";
    page += "</div>\n";
    if (uses_calculator_)
        page += "<div id=\"calculator\" hidden><p><a href=\"#findings\">← Back to the report</a></p>\n" +
                calculator_parts("") + "</div>\n";
    page += "<script type=\"application/json\" id=\"chart-data\">" + charts_.text() + "</script>\n";
    page += script_of(chart_js()) + script_of(shared_script()) + script_of(report_script());
    if (uses_calculator_) page += script_of(calculator_script());
    return page + "</body></html>\n";
}

std::string calculator_page(const std::string& state)
{
    if (calculator_program().content.empty())
        throw error("this build of launchbox has no calculator: " + std::string(why_no_calculator()),
                    "install what is missing, which ./setup does, and build again", exit_status::missing);
    if (chart_js().content.empty())
        throw error("this build of launchbox has no calculator: Chart.js was not installed",
                    "install libjs-chart.js, which ./setup does, and build again", exit_status::missing);
    std::string page = head_of("launchbox occupancy calculator",
                               source_of(chart_js()) + source_of(shared_script()) + source_of(calculator_script()),
                               calculator_sources);
    page += "<body>\n" + calculator_parts(state);
    page += script_of(chart_js()) + script_of(shared_script()) + script_of(calculator_script());
    return page + "</body></html>\n";
}

}  // namespace launchbox
