// The charts of characters: full height, the user's point marked, nothing wider than the page.
#include "report/core/chart.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace launchbox {
namespace {

std::vector<std::string> lines_of(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

occupancy_curve line(int points, int warps, std::int64_t here)
{
    occupancy_curve curve{"registers", {}, here};
    for (int i = 1; i <= points; ++i) curve.points.push_back({i, warps});
    return curve;
}

// The column below which the mark stands, from the axis on.
int marked_column(const occupancy_curve& curve, int width)
{
    const std::string last = lines_of(render_chart(curve, 64, {.width = width})).back();
    const std::size_t at = last.find("▲");
    EXPECT_NE(at, std::string::npos);
    return display_width(last.substr(0, at)) - 7;
}

TEST(chart, nothing_to_draw_is_nothing)
{
    EXPECT_EQ(render_chart({}, 64, {}), "");
    EXPECT_EQ(render_chart(line(10, 64, 1), 0, {}), "");
}

TEST(chart, full_occupancy_reaches_the_top_and_none_stays_empty)
{
    const std::vector<std::string> full = lines_of(render_chart(line(10, 64, 5), 64, {}));
    ASSERT_EQ(full.size(), 9u);  // title, six rows, axis, values
    EXPECT_EQ(full[0], "  resident warps by registers per thread");
    for (int row = 1; row <= 6; ++row) EXPECT_NE(full[static_cast<std::size_t>(row)].find("█"), std::string::npos);
    for (const char* part : {"▁", "▂", "▃", "▄", "▅", "▆", "▇"})
        EXPECT_EQ(render_chart(line(10, 64, 5), 64, {}).find(part), std::string::npos);
    EXPECT_TRUE(full[1].starts_with("   64 ┤"));
    EXPECT_TRUE(full[4].starts_with("   32 ┤"));

    const std::vector<std::string> empty = lines_of(render_chart(line(10, 0, 5), 64, {}));
    EXPECT_EQ(empty[6], "      │");
    // One warp of 64 is little, but not nothing.
    EXPECT_NE(lines_of(render_chart(line(10, 1, 5), 64, {}))[6].find("▁"), std::string::npos);
    // Half the warps: half the height.
    const std::vector<std::string> half = lines_of(render_chart(line(10, 32, 5), 64, {}));
    EXPECT_EQ(half[3], "      │");
    EXPECT_NE(half[4].find("█"), std::string::npos);
}

TEST(chart, the_mark_stands_below_the_users_point)
{
    EXPECT_EQ(marked_column(line(10, 64, 1), 100), 0);
    const int each = 90 / 10;  // columns a point
    for (int here = 1; here <= 10; ++here) EXPECT_EQ(marked_column(line(10, 64, here), 100), (here - 1) * each) << here;
    EXPECT_EQ(marked_column(line(10, 64, -5), 100), 0);                // below the first point
    EXPECT_EQ(marked_column(line(10, 64, 1000), 100), 9 * each);       // above the last
    EXPECT_EQ(marked_column(line(255, 64, 255), 100), (255 - 1) / 3);  // three points a column
    EXPECT_EQ(marked_column(line(255, 64, 1), 100), 0);

    occupancy_curve sparse{"shared", {{0, 64}, {512, 64}, {1024, 32}}, 700};
    EXPECT_EQ(marked_column(sparse, 100), 30);  // the last point that is not above 700
}

TEST(chart, values_of_several_points_in_a_column_show_the_best)
{
    occupancy_curve curve = line(300, 8, 1);
    curve.points[100].warps = 64;
    EXPECT_NE(lines_of(render_chart(curve, 64, {}))[1].find("█"), std::string::npos);
}

TEST(chart, never_is_wider_than_the_page)
{
    for (int width = 40; width <= 140; ++width)
        for (int points : {1, 2, 32, 64, 96, 97, 255, 1000})
            for (std::int64_t here : {1, points / 2, points, 232'448})
                for (const std::string& entry : lines_of(render_chart(line(points, 64, here), 64, {.width = width})))
                    ASSERT_LE(display_width(entry), width) << points << ' ' << here << ": " << entry;
}

TEST(chart, colours_change_nothing_but_colours)
{
    const std::string plain = render_chart(line(32, 64, 7), 64, {.width = 80});
    const std::string coloured = render_chart(line(32, 64, 7), 64, {.width = 80, .colour = true});
    EXPECT_EQ(plain.find('\x1b'), std::string::npos);
    EXPECT_NE(coloured.find("\x1b[33m▲ 7\x1b[0m"), std::string::npos);
    const std::vector<std::string> a = lines_of(plain), b = lines_of(coloured);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(display_width(a[i]), display_width(b[i]));
}

}  // namespace
}  // namespace launchbox
