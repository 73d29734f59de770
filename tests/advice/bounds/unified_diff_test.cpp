// Our patches, applied with the real `patch`.
#include "advice/bounds/unified_diff.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

std::string patched(const std::string& before, const std::string& diff, const std::string& file)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / file, before);
    write_file_atomically(folder.path() / "the.patch", diff);
    // Without --binary, patch would remove the CR from the lines of the patch.
    const subprocess_result result = run({"patch", "--binary", "-p0", "--fuzz=0", "-i", "the.patch"},
                                         {.directory = folder.path(), .environment = {}});
    EXPECT_EQ(result.exit_code, 0) << result.output << diff;
    EXPECT_EQ(result.output.find("offset"), std::string::npos) << result.output << diff;
    return read_input((folder.path() / file).string());
}

TEST(unified_diff, equal_texts_have_no_diff)
{
    EXPECT_EQ(unified_diff("", "", "f"), "");
    EXPECT_EQ(unified_diff("a\nb", "a\nb", "f"), "");
}

TEST(unified_diff, looks_as_diff_prints_it)
{
    EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "k.cu"),
              "--- k.cu\n+++ k.cu\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    EXPECT_EQ(unified_diff("", "a\n", "k.cu"), "--- k.cu\n+++ k.cu\n@@ -0,0 +1 @@\n+a\n");
    EXPECT_EQ(unified_diff("a", "a\n", "k.cu"),
              "--- k.cu\n+++ k.cu\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

// Compares with the lines of `diff -u`, except for the times in its header.
TEST(unified_diff, random_edits_match_diff_and_can_be_patched)
{
    if (find_in_path("patch").empty() || find_in_path("diff").empty()) GTEST_SKIP() << "needs patch and diff in PATH";
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        std::string before, after;
        const auto lines = random() % 40;
        for (unsigned i = 0; i < lines; ++i) {
            const std::string line = std::to_string(random() % 5) + (random() % 4 == 0 ? "\r\n" : "\n");
            before += line;
            const auto what = random() % 12;
            if (what == 0) continue;
            after += what == 1 ? "changed\n" : line;
            if (what == 2) after += "added\nadded too\n";
        }
        if (random() % 3 == 0 && !before.empty()) before.pop_back();
        if (random() % 3 == 0 && !after.empty()) after.pop_back();
        if (before == after || before.empty()) continue;
        EXPECT_EQ(patched(before, unified_diff(before, after, "k.cu"), "k.cu"), after) << before << "=>\n" << after;
    }
}

TEST(unified_diff, names_with_blanks_and_quotes_reach_patch)
{
    if (find_in_path("patch").empty()) GTEST_SKIP() << "needs patch in PATH";
    for (const char* file : {"a b.cu", "a\"b.cu", "k\tb.cu", "ü.cu"})
        EXPECT_EQ(patched("1\n2\n", unified_diff("1\n2\n", "1\n3\n", file), file), "1\n3\n") << file;
}

TEST(unified_diff, a_new_text_is_one_change)
{
    if (find_in_path("patch").empty()) GTEST_SKIP() << "needs patch in PATH";
    std::string before, after;
    for (int i = 0; i < 2000; ++i) {
        before += std::to_string(i) + "\n";
        after += "x" + std::to_string(i) + "\n";
    }
    EXPECT_EQ(patched("same\n" + before + "end\n",
                      unified_diff("same\n" + before + "end\n", "same\n" + after + "end\n", "k"), "k"),
              "same\n" + after + "end\n");
}

}  // namespace
}  // namespace launchbox
