// launch_box in programs that are compiled and linked in every way in which host and device might use different rows.
// There is one program per variant, with the units described in launch_box_variant.hpp.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "launch_box_variant.hpp"
#include "record.hpp"

namespace launchbox::variants {
namespace {

// The image that the driver loads on a GPU, as its code reports it; nullopt if there is none. Code for exactly this
// chip is preferred to code for its generation, and machine code to PTX.
std::optional<int> code_for(const std::string& images, int gpu)
{
    int code = 0, code_rank = -1, ptx = 0;
    std::istringstream list(images);
    for (std::string image; list >> image;) {
        const int virtual_number = std::stoi(image.substr(8)), real = std::stoi(image.substr(image.rfind('_') + 1));
        const bool accelerated = image.find("a:") != std::string::npos;
        const int tells = virtual_number + (accelerated ? 256 : 0);
        if (image.find(":sm_") != std::string::npos) {
            const bool runs = accelerated ? real == gpu : real / 10 == gpu / 10 && real <= gpu;
            const int rank = real * 2 + (accelerated ? 1 : 0);
            if (runs && rank > code_rank) {
                code = tells;
                code_rank = rank;
            }
        } else if (virtual_number <= gpu && !accelerated) {
            ptx = std::max(ptx, tells);
        }
    }
    if (code == 0 && ptx == 0) return std::nullopt;
    return code != 0 ? code : ptx;
}

const std::string& images_of(std::size_t unit)
{
    return this_variant().images.at(unit);
}

TEST(launch_box_variant_rule, agrees_with_an_observation_on_9_0)
{
    ASSERT_EQ(units().size(), this_variant().images.size());
    ASSERT_EQ(units().size(), this_variant().on_90.size());
    for (std::size_t i = 0; i < units().size(); ++i)
        EXPECT_EQ(code_for(images_of(i), 90), this_variant().on_90.at(i)) << images_of(i);
}

class launch_box_variant : public testing::Test {
protected:
    void SetUp() override
    {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU here";
        cudaDeviceProp device{};
        ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
        gpu = device.major * 10 + device.minor;
        for (std::size_t i = 0; i < units().size(); ++i) {
            const std::optional<int> code = code_for(images_of(i), gpu);
            if (!code)
                GTEST_SKIP() << "no code for compute capability " << device.major << '.' << device.minor
                             << " in this variant: " << images_of(i);
            codes.push_back(*code);
        }
        cudaGetLastError();
    }

    // The architectures of the code that such a launch may find in unit `i`.
    std::vector<int> codes_of(std::size_t i, bool by_header) const
    {
        return by_header || this_variant().merged ? codes : std::vector{codes[i]};
    }

    template <class Visitor>
    void for_each_unit(const Visitor& visit) const
    {
        for (std::size_t i = 0; i < units().size(); ++i) {
            SCOPED_TRACE("unit " + std::string(units()[i].name));
            visit(i, units()[i]);
        }
    }

    static std::string section(const unit& unit)
    {
        return this_variant().name + (units().size() > 1 ? " unit " + std::string(unit.name) : "");
    }

    void check_runs(std::size_t i, const unit& unit) const
    {
        const char* const names[] = {"body",     "header",     "try_launch",       "60,000 B shared",
                                     "prepared", "__global__", "static __global__"};
        double runs = 0, wrong = 0;
        for (const way which : all_ways) {
            SCOPED_TRACE(names[static_cast<int>(which)]);
            const std::vector<int> allowed = codes_of(i, which == way::header);
            // With one element, to learn the tile.
            const run_result one = unit.run(which, 1);
            const row_seen first = one.device;
            if (which == way::classic && one.refused && this_variant().one_kernel) {
                EXPECT_EQ(one.wrong, 1) << "was launched";  // the element that is still 0
                record(section(unit), "__global__ of another unit", one.error);
                continue;
            }
            const std::int64_t tile = std::int64_t{first.threads} * first.items;
            ASSERT_GT(tile, 0);
            for (const std::int64_t count :
                 {std::int64_t{0}, std::int64_t{1}, tile - 1, tile, tile + 1, (std::int64_t{1} << 20) + 7}) {
                SCOPED_TRACE(std::to_string(count) + " elements");
                const run_result result = unit.run(which, count);
                EXPECT_EQ(result.error, "");
                EXPECT_EQ(result.wrong, 0);
                ++runs;
                wrong += static_cast<double>(result.wrong);
                if (count == 0) {
                    EXPECT_EQ(result.block, 0) << "0 elements were launched";
                    continue;
                }
                EXPECT_NE(std::find(allowed.begin(), allowed.end(), result.compiled_for), allowed.end())
                    << "code of " << result.compiled_for;
                EXPECT_TRUE(result.device == unit.expected(result.compiled_for)) << "code of " << result.compiled_for;
                // Through a header, the row of the unit that was asked is not that of the unit that launched.
                if (which != way::header) {
                    EXPECT_TRUE(result.host == result.device)
                        << result.host.threads << " x " << result.host.items << " on the host, "
                        << result.device.threads << " x " << result.device.items << " on the device";
                }
                EXPECT_EQ(result.block, result.device.threads);
                EXPECT_EQ(result.grid, (count + tile - 1) / tile);
            }
        }
        record(section(unit), "launches", runs);
        record(section(unit), "wrong elements", wrong);
    }

    int gpu = 0;
    std::vector<int> codes;
};

TEST_F(launch_box_variant, rows_are_those_of_the_loaded_code)
{
    for_each_unit([&](std::size_t i, const unit& unit) {
        const auto is_allowed = [&](const row_seen& row) {
            const std::vector<int> allowed = codes_of(i, false);
            return std::any_of(allowed.begin(), allowed.end(), [&](int code) { return row == unit.expected(code); });
        };
        EXPECT_TRUE(is_allowed(unit.row_of_body()));
        EXPECT_TRUE(is_allowed(unit.row_of_table()));
        // Its own row, even where other functions are merged.
        const row_seen kernel = unit.row_of_kernel();
        EXPECT_TRUE(kernel == unit.expected(codes[i])) << kernel.threads << " x " << kernel.items;
        record(section(unit), "images", images_of(i));
        record(section(unit), "row",
               std::to_string(unit.row_of_body().threads) + " x " + std::to_string(unit.row_of_body().items));
    });
}

TEST_F(launch_box_variant, every_element_is_visited_once)
{
    for_each_unit([&](std::size_t i, const unit& unit) { check_runs(i, unit); });
}

TEST_F(launch_box_variant, a_device_reset_changes_nothing)
{
    for (int round = 0; round < 2; ++round) {
        for_each_unit([&](std::size_t i, const unit& unit) { check_runs(i, unit); });
        ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    }
}

// The variant must be what its name says, or the tests prove nothing.
TEST_F(launch_box_variant, the_runtime_reports_the_intended_code)
{
    for_each_unit([&](std::size_t i, const unit& unit) {
        const code_seen code = unit.code();
        record(section(unit), "ptxVersion", code.ptx_version);
        record(section(unit), "binaryVersion", code.binary_version);
        record(section(unit), "maxThreadsPerBlock", code.max_threads);
        if (gpu == 90 && i == 0) {
            EXPECT_EQ(code.ptx_version, this_variant().ptx_version_on_90);
            EXPECT_EQ(code.binary_version, 90);
        }
        EXPECT_EQ(code.max_threads, unit.row_of_body().threads);
    });
}

TEST_F(launch_box_variant, it_is_explained)
{
    for_each_unit([&](std::size_t i, const unit& unit) {
        const std::string text = unit.explain();
        const row_seen row = unit.row_of_body();
        const auto has = [&](const std::string& words) { return text.find(words) != std::string::npos; };
        EXPECT_TRUE(has(": " + std::to_string(row.threads) + " threads, " + std::to_string(row.items) + " items"))
            << text;
        EXPECT_TRUE(has(" registers, ")) << text;
        EXPECT_TRUE(has(" occupancy")) << text;
        if (row.threads == 256) {
            EXPECT_TRUE(has("given with LAUNCHBOX_ROW")) << text;
        } else if (!this_variant().merged) {
            const int number = codes[i] % 256;
            const bool own = number == 75 || number == 80 || number == 90 || number == 100 || number == 120;
            EXPECT_TRUE(has(own ? "exact: " : "inherited: ")) << text;
            const bool older = text.find("(from compute_") != std::string::npos;
            EXPECT_TRUE(has((older ? "(from compute_" : "code      sm_") + std::to_string(number))) << text;
        }
        record(section(unit), "explain", text);
    });
}

}  // namespace
}  // namespace launchbox::variants
