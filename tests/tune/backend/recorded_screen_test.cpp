// The screen on two completely recorded spaces: candidates that failed there are rejected, those that ran are not.
#include <gtest/gtest.h>

#include <map>

#include "recorded_spaces.hpp"
#include "tune/backend/screen.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox {
namespace {

std::int64_t number(const assignment& values, const char* name)
{
    return std::get<std::int64_t>(*values.find(name));
}

tune_spec spec_of(const std::string& kernel)
{
    return parse_tune_spec("recorded.toml",
                           "[tunable]\nname = 'recorded'\n[parameters]\nHFS = [7]\nVERTICES = [600]\n"
                           "BLOCK_SIZE_X = [32]\nBLOCK_SIZE_Y = [1]\nTILE_SIZE_X = [1]\nTILE_SIZE_Y = [1]\n"
                           "[kernel]\nsource = 'recorded.cu'\nname = 'recorded'\n" +
                               kernel);
}

struct counts {
    int failed = 0, foretold = 0, good = 0, rejections = 0;

    void add(bool ran, bool rejected)
    {
        ++(ran ? good : failed);
        if (rejected) ++(ran ? rejections : foretold);
    }

    void expect(const nlohmann::json& counted) const
    {
        EXPECT_EQ(good, counted["measured"]);
        EXPECT_EQ(good + failed, counted["candidates"]);
        EXPECT_GT(failed, 0);
        EXPECT_EQ(rejections, 0);
    }
};

TEST(recorded_screen, a_formula_for_shared_memory_rejects_most_failures_of_convolution_before_compiling)
{
    const tune_spec spec = spec_of(R"toml(threads = ["BLOCK_SIZE_X", "BLOCK_SIZE_Y"]
blocks = ["ceil_div(4096, BLOCK_SIZE_X * TILE_SIZE_X)", "ceil_div(4096, BLOCK_SIZE_Y * TILE_SIZE_Y)"]
static_shared = "4 * (TILE_SIZE_X * BLOCK_SIZE_X + 2 * HFS) * (TILE_SIZE_Y * BLOCK_SIZE_Y + 2 * HFS)"
)toml");
    const launch_expressions expressions(spec, {});
    for (const recorded_spaces& spaces : all_recorded_spaces()) {
        SCOPED_TRACE(spaces.ktt_convolution);
        const sm_limits& limits = *find_sm_limits(spaces.gpu);
        counts counted;
        const result_file read = read_result_file(spaces.ktt_convolution.string());
        for (const stored_result& result : read.runs.at(0).results) {
            const evaluated_launch launch = expressions.launch(result.parameters);
            const std::string why = why_not_before_build(launch, limits);
            counted.add(result.measured.status == outcome::measured, !why.empty());
        }
        counted.expect(spaces.counts["ktt_convolution"]);
        EXPECT_GE(counted.foretold, counted.failed * 9 / 10);
        RecordProperty("foretold", counted.foretold);
    }
}

// Registers do not depend on the block size if it is not a constant in the kernel: one compiled block size gives the
// answer for all others.
TEST(recorded_screen, one_compile_of_pnpoly_shows_which_block_sizes_cannot_be_launched)
{
    const tune_spec spec = spec_of("threads = \"BLOCK_SIZE_X\"\nblocks = \"1000\"\n");
    const launch_expressions expressions(spec, {});
    const auto variant = [](const stored_result& result) {
        return std::tuple(number(result.parameters, "TILE_SIZE"), number(result.parameters, "BETWEEN_METHOD"),
                          number(result.parameters, "USE_METHOD"));
    };
    for (const recorded_spaces& spaces : all_recorded_spaces()) {
        SCOPED_TRACE(spaces.ktt_pnpoly);
        const sm_limits& limits = *find_sm_limits(spaces.gpu);
        const result_file read = read_result_file(spaces.ktt_pnpoly.string());
        const std::vector<stored_result>& results = read.runs.at(0).results;
        std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<const stored_result*>> compiled;
        for (const stored_result& result : results)
            if (result.kernel && result.kernel->figures.registers) compiled[variant(result)].push_back(&result);
        counts counted;
        for (const stored_result& result : results) {
            const stored_result* other = nullptr;
            for (const stored_result* one : compiled[variant(result)])
                if (one->parameters != result.parameters) other = other == nullptr ? one : other;
            ASSERT_NE(other, nullptr) << parameter_text(result.parameters);
            const evaluated_launch launch = expressions.launch(result.parameters);
            const std::string why = why_not_launched(*other->kernel, launch, limits, spec.screen);
            counted.add(result.measured.status == outcome::measured, !why.empty());
        }
        counted.expect(spaces.counts["ktt_pnpoly"]);
        EXPECT_EQ(counted.foretold, counted.failed);
    }
}

}  // namespace
}  // namespace launchbox
