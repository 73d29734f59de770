// The user's own lines in preprocessed text, with their places.
#include "source/user_text.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

TEST(user_text, keeps_the_users_lines_with_their_places)
{
    const user_text read = read_user_text(
        "# 0 \"k.cu\"\n# 0 \"<built-in>\"\n#define __x86_64__ 1\n"
        "# 1 \"/opt/cuda/include/cuda_runtime.h\" 1\nint a;\n"
        "# 1 \"/usr/include/math.h\" 1 3 4\nint b;\n# 9 \"/opt/cuda/include/cuda_runtime.h\" 2\nint c;\n"
        "# 0 \"<command-line>\" 2\n# 1 \"k.cu\"\n# 1 \"in/\\\"q\\\".h\" 1\n\nint d;\n#define T 4\n"
        "# 2 \"k.cu\" 2\nint e;\n# 1 \"/opt/cuda/include/cuda_fp16.h\" 1\nint f;\n# 12 \"k.cu\" 2\nint g;\n");
    EXPECT_EQ(read.text, "\nint d;\n#define T 4\nint e;\nint g;\n");
    EXPECT_EQ(read.files, (std::vector<std::string>{"k.cu", "in/\"q\".h"}));
    EXPECT_EQ(read.place(2), (source_location{"in/\"q\".h", 2}));
    EXPECT_EQ(read.place(4), (source_location{"k.cu", 2}));
    EXPECT_EQ(read.place(5), (source_location{"k.cu", 12}));
    EXPECT_EQ(read.place(0), read.place(1));
    EXPECT_EQ(read.place(99), source_location{});
}

TEST(user_text, any_bytes_are_read)
{
    for (const char* text :
         {"", "#", "# ", "# 1", "# 1 \"", "# 1 \"a\\", "#line 3 \"a\"\nx", "# 99999999999 \"a\"\nx", "x\n"})
        EXPECT_LE(read_user_text(text).text.size(), 2u) << text;
    EXPECT_EQ(read_user_text("#line 3 \"a\"\nx").place(1), (source_location{"a", 3}));
    EXPECT_EQ(read_user_text("# 1 \"\\303\\244.h\"\nx\n").files.at(0), "\303\244.h");
}

}  // namespace
}  // namespace launchbox
