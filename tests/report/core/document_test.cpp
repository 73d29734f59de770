// Headings, lines and tables as text, Markdown and CSV.
#include "report/core/document.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace launchbox {
namespace {

output_style narrow(int width, bool colour = false, bool unicode = true)
{
    return {.width = width, .colour = colour, .unicode = unicode};
}

int widest_line(const std::string& text)
{
    std::istringstream lines(text);
    int width = 0;
    for (std::string line; std::getline(lines, line);) width = std::max(width, display_width(line));
    return width;
}

table sample()
{
    return {{{"arch"}, {"blocks", true}, {"limited by"}, {"what else can be said"}},
            {{"sm_90", "4", "warps and registers", "a sentence that is long enough to be wrapped somewhere"},
             {"sm_120", "1,000 %", "–", ""}}};
}

std::string rendered(const table& data, const output_style& style)
{
    document page;
    page.add(data);
    return render_text(page, style);
}

TEST(document, a_table_that_fits_is_aligned)
{
    EXPECT_EQ(rendered(sample(), narrow(200)),
              "  arch     blocks  limited by           what else can be said\n"
              "  sm_90         4  warps and registers  a sentence that is long enough to be wrapped somewhere\n"
              "  sm_120  1,000 %  –\n");
}

TEST(document, the_last_column_wraps_first)
{
    EXPECT_EQ(rendered(sample(), narrow(70)),
              "  arch     blocks  limited by           what else can be said\n"
              "  sm_90         4  warps and registers  a sentence that is long enough\n"
              "                                        to be wrapped somewhere\n"
              "  sm_120  1,000 %  –\n");
}

TEST(document, then_the_other_columns_and_finally_it_goes_below)
{
    for (int width = 40; width <= 120; ++width) {
        const std::string text = rendered(sample(), narrow(width));
        EXPECT_LE(widest_line(text), width) << text;
        for (const char* words : {"arch", "1,000 %", "registers", "somewhere"})
            EXPECT_NE(text.find(words), std::string::npos) << width;
    }
    EXPECT_EQ(
        rendered({{{"a"}, {"number", true}, {"tail"}}, {{"x", "123456789012345678901234567890", "one two three"}}},
                 narrow(40)),
        "  a                          number\n"
        "      tail\n"
        "  x  123456789012345678901234567890\n"
        "      one two three\n");
}

TEST(document, a_table_without_rows_or_columns)
{
    EXPECT_EQ(rendered({}, narrow(80)), "");
    EXPECT_EQ(rendered({{{"only"}}, {}}, narrow(80)), "  only\n");
    EXPECT_EQ(rendered({{{"only", true}}, {{"1"}}}, narrow(80)), "  only\n     1\n");
    EXPECT_EQ(rendered({{{"only"}}, {{std::string(100, 'x')}}}, narrow(40)),
              "  only\n  " + std::string(100, 'x') + "\n");
}

TEST(document, continuation_lines_are_indented)
{
    document page;
    page.heading("a heading of several words that does not fit");
    page.line("  a line of several words that does not fit");
    page.line("");
    page.line("   ");
    page.heading("next");
    const std::string text = render_text(page, narrow(20));
    EXPECT_EQ(text,
              "a heading of several\n"
              "  words that does\n"
              "  not fit\n"
              "  a line of several\n"
              "    words that does\n"
              "    not fit\n"
              "\n"
              "   \n"
              "\n"
              "next\n");
    for (int width = 40; width < 60; ++width) EXPECT_LE(widest_line(render_text(page, narrow(width))), width);
}

TEST(document, colours_only_where_requested)
{
    document page;
    page.heading("head");
    page.line("good", tone::good);
    page.add({{{"a"}, {"b"}}, {{{"bad", tone::bad}, {"plain"}}}});
    EXPECT_EQ(render_text(page, narrow(80)).find('\x1b'), std::string::npos);
    const std::string coloured = render_text(page, narrow(80, true));
    EXPECT_NE(coloured.find("\x1b[1mhead\x1b[0m"), std::string::npos);
    EXPECT_NE(coloured.find("\x1b[32mgood\x1b[0m"), std::string::npos);
    EXPECT_NE(coloured.find("\x1b[31mbad\x1b[0m"), std::string::npos);
    std::string stripped;
    for (std::size_t i = 0; i < coloured.size(); ++i) {
        if (coloured[i] == '\x1b')
            i = coloured.find('m', i);
        else
            stripped += coloured[i];
    }
    EXPECT_EQ(stripped, render_text(page, narrow(80)));
}

// "→" becomes two characters: the layout must know this before it aligns.
TEST(document, ascii_is_aligned)
{
    document page;
    page.add({{{"change"}, {"blocks", true}}, {{"−15 → 5", "≤ 4"}, {"abc", "12"}}});
    EXPECT_EQ(render_text(page, narrow(80, false, false)),
              "  change    blocks\n"
              "  -15 -> 5    <= 4\n"
              "  abc           12\n");
    page.line("  one → two → three → four → five → six → seven → eight → nine");
    EXPECT_LE(widest_line(render_text(page, narrow(40, false, false))), 40);
    for (char c : render_text(page, narrow(40, false, false))) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(document, markdown_is_escaped)
{
    document page;
    page.heading("merge<int, 256> of *x*_y");
    page.line("  a|b <c> `d` [e](f) &amp; \\");
    page.line("");
    page.line("  ");
    page.add({{{"a|b"}, {"", true}}, {{"x|y<z>", "1"}}});
    page.verbatim("<raw> | *text*\n");
    EXPECT_EQ(render_markdown(page),
              "## merge\\<int, 256> of \\*x\\*\\_y\n\n"
              "a\\|b \\<c> \\`d\\` \\[e\\](f) \\&amp; \\\\\n\n"
              "| a\\|b |   |\n"
              "| --- | --: |\n"
              "| x\\|y\\<z> | 1 |\n\n"
              "```\n<raw> | *text*\n```\n\n");
}

// Texts that GitHub and GitLab turn into mentions, references, emoji and links, in a line and in the cell of a name.
TEST(document, names_are_not_interpreted_as_markdown)
{
    const auto line = [](const std::string& text) {
        document page;
        page.line(text);
        const std::string rendered = render_markdown(page);
        return rendered.substr(0, rendered.size() - 2);
    };
    EXPECT_EQ(line("lib/@scope/x.so: no kernel (ns::a::k), #1 ~label, http://x.y"),
              "`lib/@scope/x.so`: no kernel (`ns::a::k`), `#1` `~label`, `http://x.y`");
    EXPECT_EQ(line("a_b:  two (words). ::"), "a\\_b:  two (words). ::");
    EXPECT_EQ(line("a::b`c"), "<code>a&#58;&#58;b&#96;c</code>");
    document page;
    page.add({{{"kernel"}}, {{name_cell("a::b")}, {name_cell("|")}, {name_cell("")}}});
    EXPECT_EQ(render_markdown(page), "| kernel |\n| --- |\n| `a::b` |\n| <code>&#124;</code> |\n|  |\n\n");
}

// Parses RFC 4180.
std::vector<std::vector<std::string>> parsed_csv(const std::string& text)
{
    std::vector<std::vector<std::string>> rows;
    std::size_t i = 0;
    while (i < text.size()) {
        std::vector<std::string>& row = rows.emplace_back();
        for (bool more = true; more;) {
            std::string& field = row.emplace_back();
            if (i < text.size() && text[i] == '"') {
                for (++i; i < text.size() && (text[i] != '"' || text.substr(i, 2) == "\"\""); ++i) {
                    if (text[i] == '"') ++i;
                    field += text[i];
                }
                ++i;
            } else {
                while (i < text.size() && text[i] != ',' && text[i] != '\r') {
                    EXPECT_NE(text[i], '"');
                    field += text[i++];
                }
            }
            more = i < text.size() && text[i] == ',';
            if (more) ++i;
        }
        EXPECT_EQ(text.substr(i, 2), "\r\n");
        i += 2;
    }
    return rows;
}

TEST(document, csv_is_read_back_unchanged)
{
    const std::vector<std::string> hostile = {"plain",      "a,b",       "say \"x\"", "\"", "two\nlines",
                                              "cr\rlf\r\n", "cr\ralone", "",          ",",  " é "};
    table data;
    for (const std::string& entry : hostile) data.columns.push_back({entry});
    data.rows.emplace_back(hostile.begin(), hostile.end());
    data.rows.emplace_back(hostile.rbegin(), hostile.rend());
    const auto rows = parsed_csv(render_csv(data));
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0], hostile);
    EXPECT_EQ(rows[1], hostile);
    EXPECT_EQ(rows[2], std::vector<std::string>(hostile.rbegin(), hostile.rend()));
    EXPECT_EQ(render_csv({{{"a"}, {"b"}}, {{"1", "x,\"y\""}}}), "a,b\r\n1,\"x,\"\"y\"\"\"\r\n");
}

}  // namespace
}  // namespace launchbox
