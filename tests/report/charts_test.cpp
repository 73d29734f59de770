// Charts as SVG and JSON, and pages: what is drawn, and that all text is escaped.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <regex>

#include "report/charts/axis_scale.hpp"
#include "report/charts/chart_json.hpp"
#include "report/charts/chart_svg.hpp"
#include "report/html/html_page.hpp"
#include "report/html/web_assets.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

const std::string hostile = "</title></script><script>alert(1)</script>&\"'\x1b[2J\xff";

std::size_t count_of(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

chart hostile_chart()
{
    xy_chart content{{.title = hostile}, {.title = hostile}};
    content.series.push_back(
        {.name = hostile, .look = series_look::dots, .x = {1, 2}, .y = {3, 4}, .labels = {hostile, "b"}});
    content.marks.push_back({1, hostile});
    return {"id", hostile, hostile, std::move(content)};
}

TEST(axis_scale, has_round_ticks_inside)
{
    for (const bool logarithmic : {false, true})
        for (const auto& [low, high] : {std::pair{0.001, 0.0042}, {1.0, 1e9}, {5.0, 5.0}, {3.0, 1024.0}}) {
            const axis_scale scale = scale_of({low, high}, logarithmic, false);
            const std::vector<double> ticks = ticks_of(scale, 6);
            EXPECT_GE(ticks.size(), 2u) << low << " to " << high;
            EXPECT_LE(ticks.size(), 31u);
            for (const double tick : ticks) {
                EXPECT_GE(scale.place(tick), -1e-3);
                EXPECT_LE(scale.place(tick), 1.001);
            }
            EXPECT_GT(scale.place(low), 0);
            EXPECT_LT(scale.place(high), 1);
        }
}

// tests/web compares the page's script with the same file.
TEST(number_text, has_one_format)
{
    const nlohmann::json forms = nlohmann::json::parse(read_file(LAUNCHBOX_SOURCE_DIR "/tests/data/numbers.json"));
    for (const auto& one : forms["numbers"]) EXPECT_EQ(number_text(one[0]), one[1]) << one;
    for (const auto& one : forms["ticks"]) EXPECT_EQ(tick_texts(one[0]), one[1].get<std::vector<std::string>>()) << one;
    EXPECT_EQ(number_text(std::numeric_limits<double>::quiet_NaN()), "–");
}

// Checked with the heights of the labels, for ranges from a hundredth of a decade to thirty decades.
TEST(chart_svg, labels_of_axes_do_not_overlap)
{
    for (const double most : {1.003, 1.4, 2.0, 11.0, 900.0, 2e3, 1e5, 1e12, 1e30}) {
        xy_chart content{{.title = "x", .logarithmic = true}, {.title = "y", .logarithmic = true}};
        content.series.push_back({.name = "a", .x = {1, most}, .y = {1, most}});
        const std::string svg = svg_of({"id", "t", "", std::move(content)}, svg_use::file);
        std::vector<double> rows;
        double right = -1;
        const std::regex label(
            R"re(<text x="([0-9.]+)" y="([0-9.]+)" text-anchor="(end|middle)" class="faint">([^<]*)<)re");
        for (std::sregex_iterator at(svg.begin(), svg.end(), label), end; at != end; ++at) {
            const double x = std::stod((*at)[1]), y = std::stod((*at)[2]),
                         half = 3.3 * static_cast<double>((*at)[4].length());
            if ((*at)[3] == "end") {
                rows.push_back(y);
            } else if ((*at)[4] != "x") {
                EXPECT_GE(x - half, right) << most << ": " << (*at)[4];
                right = x + half;
            }
        }
        EXPECT_GE(rows.size(), 2u) << most;
        for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_GE(rows[i - 1] - rows[i], 12) << most;
    }
}

// "0 %" must not have the brightest colour, even if it is the best value.
TEST(chart_svg, the_smallest_value_of_a_map_is_the_darkest)
{
    for (const bool less_is_better : {false, true}) {
        const chart heat{"h", "heat", "",
                         heat_chart{"x", "y", "%", {"1", "2"}, {"a"}, {{0.0, 100.0}}, {{"0", "100"}}, less_is_better}};
        const std::string svg = svg_of(heat, svg_use::file);
        EXPECT_NE(svg.find("data-value=\"0\"><rect x="), std::string::npos);
        EXPECT_LT(svg.find("fill=\"#440154\""), svg.find("fill=\"#fde725\""));
    }
}

TEST(axis_scale, accepts_empty_input_and_nan)
{
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& values : {std::vector<double>{}, {nan}, {infinite, -infinite}, {0, 0}, {-1}}) {
        const axis_scale scale = scale_of(values, true, false);
        EXPECT_TRUE(std::isfinite(scale.low) && std::isfinite(scale.high) && scale.low < scale.high);
        EXPECT_TRUE(std::isfinite(scale.place(0)));
    }
}

TEST(chart_svg, escapes_every_text)
{
    const std::string svg = svg_of(hostile_chart(), svg_use::file);
    EXPECT_EQ(count_of(svg, "<script"), 0u);
    EXPECT_EQ(count_of(svg, "</title>"), count_of(svg, "<title>"));
    EXPECT_EQ(svg.find('\x1b'), std::string::npos);
    EXPECT_EQ(svg.find('\xff'), std::string::npos);
    EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
}

TEST(chart_svg, draws_a_point_for_each_value)
{
    EXPECT_EQ(count_of(svg_of(hostile_chart(), svg_use::file), "<circle"), 2u);
    chart none = hostile_chart();
    std::get<xy_chart>(none.content).series.front() = {.name = "none", .x = {}, .y = {}};
    EXPECT_EQ(count_of(svg_of(none, svg_use::file), "<circle"), 0u);
    const chart heat{"h", "heat", "",
                     heat_chart{"x", "y", "ms", {"1", "2"}, {"a"}, {{1.0, std::nullopt}}, {{"1", ""}}}};
    EXPECT_EQ(count_of(svg_of(heat, svg_use::file), "class=\"cell\""), 1u) << "no value, no cell";
}

// Every interval is inside the plot, wherever its axis is.
TEST(chart_svg, axes_include_the_intervals)
{
    const auto number_behind = [](const std::string& text, const std::string& name) {
        const std::size_t at = text.find(name + "=\"");
        return at == std::string::npos ? std::nan("") : std::stod(text.substr(at + name.size() + 2));
    };
    for (const bool sideways : {false, true})
        for (const series_look look : {series_look::bars, series_look::dots}) {
            xy_chart content{{.title = "x", .from_zero = true}, {.title = "y"}};
            chart_series series{
                .name = "s", .look = look, .x = {1, 2}, .y = {0, 1}, .low = {0.5, -3}, .high = {1.1, 9}};
            if (sideways)
                content.y.categories = {"a", "b"};
            else
                std::swap(series.x, series.y);
            content.series.push_back(series);
            const std::string svg = svg_of({"id", "t", "", content}, svg_use::file);
            const std::string axis = sideways ? "x" : "y";
            EXPECT_LE(number_behind(svg, "data-" + axis + "-low"), -3) << svg;
            EXPECT_GE(number_behind(svg, "data-" + axis + "-high"), 9);
            const std::string plot = svg.substr(svg.find("class=\"series\""));
            const double left = number_behind(svg, "data-x"), width = number_behind(svg, "data-width");
            std::size_t lines = 0;
            for (std::size_t at = plot.find("<line"); at != std::string::npos; at = plot.find("<line", at + 1), ++lines)
                for (const char* name : {"x1", "x2"}) {
                    EXPECT_GE(number_behind(plot.substr(at), name), left - 0.1);
                    EXPECT_LE(number_behind(plot.substr(at), name), left + width + 0.1);
                }
            EXPECT_EQ(lines, 2u) << "one for each point";
        }
}

TEST(chart_svg, a_cell_without_a_value_says_why)
{
    heat_chart content{"x", "y", "ms", {"1", "2"}, {"a"}, {{1.0, std::nullopt}}, {{"1", "r"}}};
    content.notes = {{"first", "rejected: " + hostile}};
    content.legend = {"r  rejected, " + hostile};
    content.marked = {{0, 0}, {0, 1}};
    const std::string svg = svg_of({"h", "heat", "", content}, svg_use::file);
    EXPECT_EQ(count_of(svg, "class=\"cell\""), 1u);
    EXPECT_EQ(count_of(svg, "class=\"empty\""), 1u);
    EXPECT_EQ(count_of(svg, "class=\"chosen\""), 2u);
    EXPECT_EQ(count_of(svg, "<script"), 0u);
    EXPECT_NE(svg.find("rejected: &lt;/title"), std::string::npos) << svg;
}

TEST(chart_json, is_safe_inside_a_script_and_is_read_back)
{
    chart_json_writer writer;
    const chart drawn = hostile_chart();
    writer.add(drawn, std::get<xy_chart>(drawn.content), "one");
    const std::string text = writer.text();
    EXPECT_EQ(text.find('<'), std::string::npos);
    const nlohmann::json json = nlohmann::json::parse(text);
    const auto& series = json["charts"]["one"]["series"][0];
    EXPECT_EQ(series["x"], (std::vector<double>{1, 2}));
    EXPECT_EQ(series["y"], (std::vector<double>{3, 4}));
    EXPECT_NE(json["texts"][series["labels"][0].get<std::size_t>()].get<std::string>().find("<script>alert(1)"),
              std::string::npos);
}

TEST(html_page, escapes_every_text_and_allows_no_network)
{
    html_page page(hostile);
    page.section("a", hostile);
    page.line(hostile, tone::bad);
    page.verbatim(hostile + "\n" + hostile);
    page.begin_details(hostile);
    page.add(table{{{hostile, true}}, {{hostile}}});
    page.end_details();
    page.add({"group", hostile, hostile, {hostile_chart(), hostile_chart()}, {hostile, hostile}}, "p-");
    const std::string text = page.text();
    EXPECT_EQ(count_of(text, "<script>alert"), 0u);
    EXPECT_EQ(count_of(text, "</title>"), 1u + count_of(text, "<svg"));
    EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
    for (const char* word : {"unsafe-inline", "'unsafe-eval'", "http://", "https://", "*;", " src=", "@import"})
        EXPECT_EQ(text.substr(0, text.find("<style>")).find(word), std::string::npos) << word;
    EXPECT_NE(text.find("sha256-" + std::string(report_script().sha256)), std::string::npos);
    EXPECT_EQ(count_of(text, " style=\""), 0u) << "the policy of the page would refuse it";
}

TEST(calculator_page, has_its_state_or_says_what_is_missing)
{
    if (calculator_program().content.empty()) {
        EXPECT_FALSE(why_no_calculator().empty());
        EXPECT_THROW(calculator_page(""), std::runtime_error);
        return;
    }
    const std::string page = calculator_page("threads=256&kernel=</script>");
    EXPECT_NE(page.find("\"threads=256&kernel=\\u003c/script>\""), std::string::npos);
    EXPECT_NE(page.find("wasm-unsafe-eval"), std::string::npos);
    EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
    EXPECT_EQ(count_of(page, " style=\""), 0u);
}

}  // namespace
}  // namespace launchbox
