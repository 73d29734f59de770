// Expressions of host code, translated for a spec.
#include "app/init/spec_expressions.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

// `wanted` at the end of a function with this `body`, as an expression of a spec; "?" if it is not known.
std::string written(const std::string& body, const std::string& wanted)
{
    const std::string text =
        "#define BLOCK 128\n#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n"
        "int ceil_div(int a, int b) { return (a + b - 1) / b; }\n"
        "void run(int n, int m, dim3 size) {\n" +
        body + "\nuse(" + wanted + ");\n}\n";
    const source_view view(text);
    spec_expressions expressions(view);
    expressions.names = {{"n", "n"}, {"m", "m"}, {"BLOCK", "threads"}};
    const std::vector<std::size_t>& places = view.names.places("use");
    const std::size_t open = places.back() + 1;
    const std::size_t close = closing_bracket(view.source.tokens, open);
    const token_span inside = token_span(view.source.tokens).subspan(open + 1, close - open - 1);
    return expressions.text({inside, places.back()}).value_or("?");
}

TEST(spec_expressions, divisions_that_round_up)
{
    for (const char* text : {"(n + BLOCK - 1) / BLOCK", "CEIL_DIV(n, BLOCK)", "ceil_div(n, BLOCK)", "iDivUp(n, BLOCK)",
                             "(n - 1 + BLOCK) / BLOCK", "(unsigned int)ceil((float)n / BLOCK)",
                             "int(ceilf(n / float(BLOCK)))", "static_cast<int>((n + BLOCK - 1) / BLOCK)"})
        EXPECT_EQ(written("", text), "ceil_div(n, threads)") << text;
    EXPECT_EQ(written("", "(n + 255) / 256"), "ceil_div(n, 256)");
    EXPECT_EQ(written("", "n / BLOCK"), "n // threads");
}

TEST(spec_expressions, variables_with_a_single_value_are_followed)
{
    EXPECT_EQ(written("int threads = 64; const int total = n * m;", "(total + threads - 1) / threads"),
              "ceil_div(n * m, 64)");
    EXPECT_EQ(written("dim3 block(16, 8); dim3 grid(n / block.x, m / block.y);", "grid.y"), "m // 8");
    EXPECT_EQ(written("size_t bytes = size_t{1024} * sizeof(float);", "bytes"), "4096");
    EXPECT_EQ(written("int k = 1; if (n > 3) k = 2;", "k"), "?");
    EXPECT_EQ(written("int k = 1; for (int i = 0; i < n; ++i) k *= 2;", "n / k"), "?");
    EXPECT_EQ(written("", "size.x"), "?");
    EXPECT_EQ(written("", "elsewhere(n)"), "?");
    EXPECT_EQ(written("int a = b, b = a;", "a"), "?");
}

TEST(spec_expressions, operators_are_translated_to_lua)
{
    EXPECT_EQ(written("", "n > 1024 ? m : 2 * m"), "n > 1024 and m or 2 * m");
    EXPECT_EQ(written("", "(n != m && !(n < 2)) ? 1 : 0"), "n ~= m and not (n < 2) and 1 or 0");
    EXPECT_EQ(written("", "n ^ m"), "n ~ m");
    EXPECT_EQ(written("", "(n + m) * 2 - -n"), "(n + m) * 2 - -n");
    EXPECT_EQ(written("", "std::min(n, 65535)"), "min(n, 65535)");
    EXPECT_EQ(written("", "1 << 20"), "1048576");
    EXPECT_EQ(written("", "n << 2"), "n << 2");
    EXPECT_EQ(written("", "n / 0"), "?");
    EXPECT_EQ(written("", "n = 3"), "?");
    EXPECT_EQ(written("", "0x10u + 010"), "24");
}

TEST(spec_expressions, names_that_double_at_every_step_and_deep_nesting_end)
{
    std::string body = "const int a0 = n + n;\n";
    for (int i = 1; i < 39; ++i)
        body +=
            "const int a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + a" + std::to_string(i - 1) + ";\n";
    EXPECT_EQ(written(body, "a38"), "?");
    std::string deep = "n";
    for (int i = 0; i < 20000; ++i) deep += " ? n : n";
    EXPECT_EQ(written("", deep), "?");
    EXPECT_EQ(written("", std::string(20000, '-') + "n"), "?");
    EXPECT_EQ(written("", std::string(20000, '(') + "n" + std::string(20000, ')')), "?");
}

}  // namespace
}  // namespace launchbox
