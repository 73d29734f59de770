#include "support/text/json_memory.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

std::string repeated(std::string_view text, std::size_t times)
{
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

TEST(json_memory, counts_values_but_not_the_content_of_strings)
{
    EXPECT_EQ(json_memory(""), 0u);
    const std::uint64_t text = json_memory(R"("[[[[,,,,{{{{::::\"[[[[")");
    EXPECT_LT(text, 100u);
    EXPECT_GT(json_memory("[1,2,3,4]"), 4 * sizeof(void*));
    EXPECT_GT(json_memory(R"({"a":1,"b":2})"), json_memory("[1,2]"));
    EXPECT_LT(json_memory("\"\\"), 100u) << "cut off";
}

TEST(json_memory, a_small_file_that_needs_much_memory_is_refused)
{
    for (const char* piece : {"[],", "[", "{\"\":", "0,", "\"\","}) {
        const std::string text = repeated(piece, 12'000'000);
        EXPECT_THROW(refuse_large_json(text, 100'000, "a.json.gz"), error) << piece;
    }
    refuse_large_json(repeated(R"({"threads":256,"median_ns":125000.0},)", 1'000'000), 3'000'000, "results.json.gz");
    refuse_large_json(repeated(R"({"threads":256,"median_ns":125000.0},)", 10'000'000), 380'000'000, "results.json");
}

}  // namespace
}  // namespace launchbox
