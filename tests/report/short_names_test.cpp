// Names that differ stay different when they are cut.
#include "report/short_names.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/text/terminal.hpp"

namespace launchbox {
namespace {

TEST(short_names, what_fits_stays_and_what_differs_in_the_middle_is_kept)
{
    EXPECT_EQ(shortened_apart({"a", "b"}, 16), (std::vector<std::string>{"a", "b"}));
    const std::string front = "void library::kernel<library::policy<256, 4, library::load::direct>, ",
                      behind = ", library::offset_type, library::operation::plus, library::storage::aligned>";
    std::vector<std::string> names;
    for (int i = 0; i < 150; ++i) names.push_back(front + "type_" + std::to_string(i) + behind);
    for (const int room : {16, 24, 40, 60, 100}) {
        const std::vector<std::string> cut = shortened_apart(names, room);
        EXPECT_EQ(std::set<std::string>(cut.begin(), cut.end()).size(), names.size()) << cut[0] << ' ' << cut[1];
        for (std::size_t i = 0; i < cut.size(); ++i) {
            EXPECT_LE(display_width(cut[i]), room) << cut[i];
            EXPECT_NE(cut[i].find("type_" + std::to_string(i)), std::string::npos) << cut[i];
        }
    }
    EXPECT_TRUE(shortened_apart(names, 40)[0].starts_with("void library"));
}

TEST(short_names, groups_that_differ_in_other_places_are_told_apart_too)
{
    std::vector<std::string> names;
    for (const char* policy : {"small", "large"})
        for (const char* type : {"float", "double", "half"})
            names.push_back("void library::kernel<library::configuration<library::" + std::string(policy) +
                            ", 256, 16>, library::something_in_between, library::value<" + type +
                            ">, library::much_else_that_is_the_same>(int, int, int, int)");
    const std::vector<std::string> cut = shortened_apart(names, 60);
    EXPECT_EQ(std::set<std::string>(cut.begin(), cut.end()).size(), names.size()) << cut[0] << '\n' << cut[1];
    // The same name twice is the same text twice.
    names.push_back(names.front());
    EXPECT_EQ(shortened_apart(names, 60).back(), shortened_apart(names, 60).front());
}

TEST(short_names, any_text_stays_within_its_room)
{
    std::mt19937 random(20261);
    for (int turn = 0; turn < 300; ++turn) {
        std::vector<std::string> names;
        for (int i = 0; i < 8; ++i) {
            std::string name;
            for (auto k = random() % 60; k > 0; --k)
                name += std::vector<std::string>{"a", "<", ", ", "ü", "…", "::", "b"}[random() % 7];
            names.push_back(name);
        }
        const int room = static_cast<int>(1 + random() % 40);
        for (const std::string& cut : shortened_apart(names, room)) {
            EXPECT_LE(display_width(cut), room);
            EXPECT_EQ(escape_for_terminal(cut), cut) << "a character was cut in two";
        }
    }
    EXPECT_TRUE(shortened_apart({}, 10).empty());
}

}  // namespace
}  // namespace launchbox
