// Changing the values of constants in a source: every form of a definition, and what cannot be changed.
#include "source/constant_edits.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

std::string edited(const std::string& text)
{
    return with_constants(text, {{"N", "7"}});
}

TEST(constant_edits, every_form_of_a_definition)
{
    EXPECT_EQ(edited("#define N 256\nint a[N];"), "#define N 7\nint a[N];");
    EXPECT_EQ(edited("#define N (1 << \\\n 8) // blocks\n"), "#define N 7 // blocks\n");
    EXPECT_EQ(edited("#ifndef N\n#define N 256\n#endif\n"), "#ifndef N\n#define N 7\n#endif\n");
    EXPECT_EQ(edited("constexpr int N = 256;"), "constexpr int N = 7;");
    EXPECT_EQ(edited("static const unsigned N = 4 * 64, M = 2;"), "static const unsigned N = 7, M = 2;");
    EXPECT_EQ(edited("namespace a { inline constexpr auto N = 256u; }"),
              "namespace a { inline constexpr auto N = 7; }");
    EXPECT_EQ(edited("// N 256 #define N 1\n#define N 2\nconst char* s = \"N = 3\";"),
              "// N 256 #define N 1\n#define N 7\nconst char* s = \"N = 3\";");
    EXPECT_EQ(with_constants("#define A 1\n#define B 2\n", {{"B", "20"}, {"A", "10"}}), "#define A 10\n#define B 20\n");
}

TEST(constant_edits, a_constant_that_is_not_defined_exactly_once_is_refused)
{
    for (const char* text : {"", "int N = 2;", "#define N\n", "#define N(x) x\n", "#define M 2\n",
                             "#ifdef A\n#define N 1\n#else\n#define N 2\n#endif\n"})
        EXPECT_THROW((void)edited(text), error) << text;
}

TEST(constant_edits, are_passed_in_flags)
{
    std::vector<std::string> flags{"-O2", source_constant_flag("N", "7"), "-DN=3", source_constant_flag("M", "a=b")};
    const constant_values values = take_source_constants(flags);
    EXPECT_EQ(flags, (std::vector<std::string>{"-O2", "-DN=3"}));
    EXPECT_EQ(values, (constant_values{{"N", "7"}, {"M", "a=b"}}));
}

}  // namespace
}  // namespace launchbox
