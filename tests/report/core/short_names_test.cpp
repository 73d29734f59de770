// Different names stay different when they are shortened.
#include "report/core/short_names.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/text/terminal.hpp"

namespace launchbox {
namespace {

TEST(short_names, short_names_are_kept_and_differences_in_the_middle_are_visible)
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

TEST(short_names, groups_that_differ_in_other_places_stay_different)
{
    std::vector<std::string> names;
    for (const char* policy : {"small", "large"})
        for (const char* type : {"float", "double", "half"})
            names.push_back("void library::kernel<library::configuration<library::" + std::string(policy) +
                            ", 256, 16>, library::something_in_between, library::value<" + type +
                            ">, library::much_else_that_is_the_same>(int, int, int, int)");
    const std::vector<std::string> cut = shortened_apart(names, 60);
    EXPECT_EQ(std::set<std::string>(cut.begin(), cut.end()).size(), names.size()) << cut[0] << '\n' << cut[1];
    // Equal names are shortened to equal texts.
    names.push_back(names.front());
    EXPECT_EQ(shortened_apart(names, 60).back(), shortened_apart(names, 60).front());
}

TEST(short_names, any_text_fits_the_width)
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

TEST(short_names, a_function_keeps_its_own_name_and_its_scope_if_there_is_space)
{
    EXPECT_EQ(brief_function_name("load_tile<64>", 48), "load_tile<64>");
    EXPECT_EQ(brief_function_name("cub::detail::reduce::AgentReduce<cub::AgentReducePolicy<256, 16, int>, int*, "
                                  "cuda::std::plus<void>>::ConsumeTile<0, false>",
                                  48),
              "reduce::AgentReduce<…>::ConsumeTile<0, false>");
    EXPECT_EQ(brief_function_name("cub::detail::reduce::AgentReduce<cub::AgentReducePolicy<256, 16, int>, int*, "
                                  "cuda::std::plus<void>>::ConsumeTile<0, false>",
                                  40),
              "AgentReduce<…>::ConsumeTile<0, false>");
    EXPECT_EQ(brief_function_name("library::number<library::very_long_name_of_a_type>::operator<<int>", 30),
              "number<…>::operator<<int>");
    EXPECT_EQ(
        brief_function_name("(anonymous namespace)::table<float, int>::find(int)::{lambda(int)#1}::operator()", 40),
        "find(int)::{lambda(int)#1}::operator()");
    for (const char* odd :
         {"", "::", "a::", "<<<<<<<<<<<<<<<<<<<<", ">>>>>::>>>>>>>>>>>>>>>>", "a<b::c<d::e::f::g::h::i"})
        EXPECT_LE(display_width(brief_function_name(odd, 8)), 8) << odd;
}

}  // namespace
}  // namespace launchbox
