// The screen on two spaces that another tuner has measured whole: what failed there is turned away, what ran is not.
// The records lie beside the repository, if at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "tune/backend/screen.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const fs::path data = fs::path(LAUNCHBOX_SOURCE_DIR) / "../shared/reference/data";

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
    int failed = 0, foretold = 0, good = 0, turned_away = 0;

    void add(bool ran, bool rejected)
    {
        ++(ran ? good : failed);
        if (rejected) ++(ran ? turned_away : foretold);
    }
};

// The GPU of both records: an RTX 3090.
const sm_limits& limits = *find_sm_limits({8, 6});

TEST(recorded_screen, a_formula_for_shared_memory_turns_away_most_of_convolutions_failures_before_they_are_compiled)
{
    const fs::path file = data / "ktt_convolution_RTX_3090.json.gz";
    if (!fs::exists(file)) GTEST_SKIP() << "no recorded space beside the repository";
    const tune_spec spec = spec_of(R"toml(threads = ["BLOCK_SIZE_X", "BLOCK_SIZE_Y"]
blocks = ["ceil_div(4096, BLOCK_SIZE_X * TILE_SIZE_X)", "ceil_div(4096, BLOCK_SIZE_Y * TILE_SIZE_Y)"]
static_shared = "4 * (TILE_SIZE_X * BLOCK_SIZE_X + 2 * HFS) * (TILE_SIZE_Y * BLOCK_SIZE_Y + 2 * HFS)"
)toml");
    const launch_expressions expressions(spec, {});
    counts counted;
    const std::vector<stored_result> results = read_result_file(file.string()).runs.at(0).results;
    for (const stored_result& result : results) {
        const evaluated_launch launch = expressions.launch(result.parameters);
        const std::string why = why_not_before_build(launch, limits);
        counted.add(result.measured.what == outcome::measured, !why.empty());
    }
    EXPECT_EQ(counted.good, 5240);
    EXPECT_EQ(counted.failed, 1528);
    EXPECT_EQ(counted.turned_away, 0);
    EXPECT_GE(counted.foretold, 1400) << "92 %";
    RecordProperty("foretold", counted.foretold);
}

// Registers do not depend on the block size where it is no constant of the kernel: what one block size was compiled to
// answers for all others.
TEST(recorded_screen, one_compile_of_pnpoly_tells_which_block_sizes_cannot_be_launched)
{
    const fs::path file = data / "ktt_pnpoly_RTX_3090.json.gz";
    if (!fs::exists(file)) GTEST_SKIP() << "no recorded space beside the repository";
    const tune_spec spec = spec_of("threads = \"BLOCK_SIZE_X\"\nblocks = \"1000\"\n");
    const std::vector<stored_result> results = read_result_file(file.string()).runs.at(0).results;
    const auto variant = [](const stored_result& result) {
        return std::tuple(number(result.parameters, "TILE_SIZE"), number(result.parameters, "BETWEEN_METHOD"),
                          number(result.parameters, "USE_METHOD"));
    };
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<const stored_result*>> compiled;
    for (const stored_result& result : results)
        if (result.kernel && result.kernel->registers) compiled[variant(result)].push_back(&result);
    const launch_expressions expressions(spec, {});
    counts counted;
    for (const stored_result& result : results) {
        const stored_result* other = nullptr;
        for (const stored_result* one : compiled[variant(result)])
            if (one->parameters != result.parameters) other = other == nullptr ? one : other;
        ASSERT_NE(other, nullptr) << text_of(result.parameters);
        const evaluated_launch launch = expressions.launch(result.parameters);
        const std::string why = why_not_launched(*other->kernel, launch, limits, spec.screen);
        counted.add(result.measured.what == outcome::measured, !why.empty());
    }
    EXPECT_EQ(counted.good, 3818);
    EXPECT_EQ(counted.failed, 274);
    EXPECT_EQ(counted.foretold, 274);
    EXPECT_EQ(counted.turned_away, 0);
}

}  // namespace
}  // namespace launchbox
