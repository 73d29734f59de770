#include "compiler/run/preprocessed.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "compiler/run/named_files.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

std::string hash(const std::string& text, std::time_t from = 0, std::time_t to = 0)
{
    return hash_of_preprocessed(text, from, to);
}

TEST(preprocessed, is_compared_by_content_and_not_by_location)
{
    const std::string text = "int x;\nint y;\n";
    EXPECT_EQ(hash("# 1 \"k.cu\"\nint x;\n#line 4 \"a.h\"\n\nint y;\n"), hash(text));
    EXPECT_EQ(hash("int x;\n# 12 \"/another/k.cu\" 2\nint y;"), hash(text));
    EXPECT_NE(hash("int x;\nint z;\n"), hash(text));
    EXPECT_NE(hash("int x; int y;\n"), hash(text));
    EXPECT_NE(hash("int x;\n#pragma unroll\nint y;\n"), hash(text));
}

TEST(preprocessed, does_not_depend_on_the_time)
{
    std::tm parts{};
    parts.tm_year = 2026 - 1900;
    parts.tm_mon = 10;
    parts.tm_mday = 5;
    parts.tm_hour = 9;
    parts.tm_min = 8;
    parts.tm_sec = 7;
    parts.tm_isdst = -1;
    const std::time_t one = std::mktime(&parts);
    const auto at = [&](const std::string& date, const std::string& time, std::time_t from, std::time_t to) {
        return hash("char s[] = \"" + date + "\" \"" + time + "\";\n", from, to);
    };
    const std::string made = at("Nov  5 2026", "09:08:07", one, one);
    EXPECT_EQ(at("Nov  5 2026", "09:08:09", one + 1, one + 3), made);
    EXPECT_EQ(at("Nov  6 2026", "09:08:07", one + 86400, one + 86400), made);
    EXPECT_NE(at("Nov  5 2026", "09:08:06", one, one + 3), made) << "a text of the user's that looks like it";
    EXPECT_NE(at("Nov  4 2026", "09:08:07", one, one + 3), made);
}

TEST(named_files, are_found_in_every_form_of_an_option_and_in_response_files)
{
    const temporary_directory folder;
    const auto write = [&](const std::string& name, const std::string& text) {
        fs::create_directories((folder.path() / name).parent_path());
        write_file_atomically(folder.path() / name, text);
        return folder.path() / name;
    };
    const fs::path a = write("a", ""), b = write("b", ""), c = write("deep/c.txt", ""), odd = write("x=y,z", "");
    const fs::path first = write("first", "-O3 \"--options-file=second\"\n@deep/c.txt\n");
    const fs::path second = write("second", "first 'b'\n");
    const fs::path binary = write("binary", std::string("a\0b", 3));
    const auto named = [&](const std::vector<std::string>& words) { return named_files(words, folder.path()); };
    using files = std::vector<fs::path>;
    EXPECT_EQ(named({"-optf", "a"}), files{a});
    EXPECT_EQ(named({"-optf=a", "--options-file", "b", "--x=y", "none", "deep", ""}), (files{a, b}));
    EXPECT_EQ(named({"-Xptxas=-optf,a", "@b"}), (files{a, b}));
    EXPECT_EQ(named({"--y=--options-file=deep/c.txt,b"}), (files{b, c}));
    EXPECT_EQ(named({"-optf=x=y,z"}), files{odd});
    EXPECT_EQ(named({"-optf", "first"}), (files{b, c, first, second})) << "they name each other";
    EXPECT_EQ(named({"--tool=binary"}), files{binary});
    EXPECT_EQ(named({(folder.path() / "a").string()}), files{a});
    EXPECT_TRUE(named({std::string(100'000, 'x'), "=,@", "."}).empty());
}

TEST(named_files, words_are_split_like_options)
{
    EXPECT_EQ(words_in(" -a  \"-b=c d\"\n\t-e\\=f "), (std::vector<std::string>{"-a", "-b=c", "d", "-e=f"}));
    EXPECT_TRUE(words_in(" \n").empty());
}

}  // namespace
}  // namespace launchbox
