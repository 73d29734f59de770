// Records are read as the observer wrote them; damage only affects what follows it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "capture/launches/observed_run.hpp"
#include "capture/observer/record_writer.hpp"
#include "capture/record/record_reader.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

record::launch_key key_of(std::uint32_t grid, std::uint32_t block)
{
    record::launch_key key{};
    key.grid = {grid, 1, 1};
    key.block = {block, 1, 1};
    key.registers = 32;
    key.carveout_percent = -1;
    return key;
}

std::string own_record(const fs::path& folder)
{
    return read_input((folder / (record::process_prefix + std::to_string(::getpid()) + ".1")).string());
}

class capture_record : public ::testing::Test {
protected:
    temporary_directory folder;
    record::record_writer writer{folder.path().string()};

    [[nodiscard]] seen_process read() const { return read_record(own_record(folder.path())); }
};

TEST_F(capture_record, is_readable_while_it_is_being_written)
{
    ASSERT_TRUE(writer.usable());
    EXPECT_EQ(read().process, ::getpid());
    EXPECT_FALSE(read().ended);
    EXPECT_FALSE(read().command.empty());
    for (std::uint64_t i = 0; i < 5; ++i) writer.add_launch(key_of(1, 32), "kernel", 1000 + 10 * i, 1001 + 11 * i);
    writer.add_launch(key_of(2, 32), "kernel", 5, 7);
    writer.add_launch(key_of(1, 32), "another", 5, 5);
    writer.add_note(record::note_kind::no_cupti, "libcupti.so.13");
    writer.process().dropped = 3;
    writer.process().ended = 1;
    const seen_process seen = read();
    EXPECT_EQ(seen.damage, "");
    EXPECT_TRUE(seen.ended);
    EXPECT_EQ(seen.dropped, 3u);
    ASSERT_EQ(seen.notes.size(), 1u);
    EXPECT_EQ(seen.notes[0].text, "libcupti.so.13");
    ASSERT_EQ(seen.launches.size(), 3u);
    EXPECT_EQ(seen.launches[0].name, "kernel");
    EXPECT_EQ(seen.launches[0].count, 5u);
    EXPECT_EQ(seen.launches[0].total_ns, 1 + 2 + 3 + 4 + 5);
    EXPECT_EQ(seen.launches[0].sample_ns, (std::vector<float>{1, 2, 3, 4, 5}));
    EXPECT_EQ(seen.launches[0].first_ns, 1000u);
    EXPECT_EQ(seen.launches[0].last_ns, 1045u);
    EXPECT_EQ(seen.launches[1].key.grid[0], 2u);
    EXPECT_EQ(seen.launches[2].name, "another");
    EXPECT_EQ(seen.launches[2].total_ns, 0);
}

// More than fits into a segment, with names of every length.
TEST_F(capture_record, grows_over_segments)
{
    std::vector<std::string> names;
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) names.push_back(std::to_string(i) + std::string(random() % 3000, 'x'));
    for (const std::string& name : names) writer.add_launch(key_of(1, 32), name, 0, 1);
    for (const std::string& name : names) writer.add_launch(key_of(1, 32), name, 0, 1);
    const std::string huge(record::max_name_bytes + 5, 'y');
    writer.add_launch(key_of(1, 32), huge, 0, 1);
    writer.add_launch(key_of(1, 32), huge, 0, 1);
    const seen_process seen = read();
    EXPECT_EQ(seen.damage, "");
    ASSERT_EQ(seen.launches.size(), names.size() + 1);
    for (std::size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(seen.launches[i].name, names[i]);
        EXPECT_EQ(seen.launches[i].count, 2u);
    }
    EXPECT_EQ(seen.launches.back().name, huge.substr(0, record::max_name_bytes));
    EXPECT_EQ(seen.launches.back().count, 2u);
}

// The sample of many launches is fair: its mean is close to the mean of all, and late launches are in it.
TEST_F(capture_record, samples_are_drawn_from_all_launches)
{
    constexpr std::uint64_t count = 100'000;
    for (std::uint64_t i = 0; i < count; ++i) writer.add_launch(key_of(1, 32), "kernel", 0, i);
    const seen_launches seen = read().launches.at(0);
    EXPECT_EQ(seen.count, count);
    EXPECT_EQ(seen.max_ns, count - 1);
    ASSERT_EQ(seen.sample_ns.size(), record::max_samples);
    double mean = 0;
    for (const float ns : seen.sample_ns) mean += static_cast<double>(ns) / record::max_samples;
    // The standard deviation of the mean is 100,000 / sqrt(12 * 256) = 1,804; the seed is fixed.
    EXPECT_NEAR(mean, count / 2.0, 4 * 1804);
    const auto in_second_half = std::count_if(seen.sample_ns.begin(), seen.sample_ns.end(),
                                              [](float ns) { return ns >= static_cast<float>(count) / 2; });
    EXPECT_NEAR(static_cast<double>(in_second_half), 128, 32);  // 4 standard deviations of 8
}

TEST_F(capture_record, a_module_is_kept_once)
{
    const std::string module = "not really a cubin";
    writer.add_module(module.data(), module.size());
    writer.add_module(module.data(), module.size());
    EXPECT_EQ(read().modules.size(), 2u);
    EXPECT_EQ(read().modules_not_kept, 0u);
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        if (entry.path().filename().string().starts_with(record::module_prefix)) {
            ++files;
            EXPECT_EQ(read_input(entry.path().string()), module);
        }
    EXPECT_EQ(files, 1);
    EXPECT_EQ(read_observed(folder.path()).warnings.front(), "1 modules that were loaded could not be read");
}

TEST_F(capture_record, everything_before_the_damage_is_read)
{
    for (int i = 0; i < 20; ++i) writer.add_launch(key_of(1, 32), "kernel" + std::to_string(i), 0, 5);
    const std::string whole = own_record(folder.path());
    for (const std::size_t cut : {std::size_t{1}, std::size_t{15}})
        EXPECT_NE(read_record(whole.substr(0, cut)).damage, "");
    std::mt19937 random(2);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = whole.substr(0, round % 3 == 0 ? random() % 40'000 : 40'000);
        for (int i = 0; i < 4 && !damaged.empty(); ++i) {
            const std::uint32_t value = static_cast<std::uint32_t>(random());
            const std::size_t at = random() % damaged.size();
            std::memcpy(damaged.data() + at, &value, std::min(sizeof(value), damaged.size() - at));
        }
        const seen_process seen = read_record(damaged);
        EXPECT_LE(seen.launches.size(), 20u);
        for (const seen_launches& launches : seen.launches) EXPECT_LE(launches.sample_ns.size(), record::max_samples);
    }
    EXPECT_EQ(read_record("").damage, "the disk was full");
    EXPECT_EQ(read_record(std::string(4096, 'x')).damage, "it is not a record of this version");
}

// Two processes: counts are added, and the median is that of all launches.
TEST(capture_run, processes_are_added_up)
{
    const temporary_directory folder;
    const temporary_directory other;
    {
        record::record_writer one(folder.path().string());
        for (std::uint64_t i = 0; i < 1000; ++i) one.add_launch(key_of(1, 32), "kernel", 0, 10);
        one.process().ended = 1;
        record::record_writer two(other.path().string());
        for (std::uint64_t i = 0; i < 10; ++i) two.add_launch(key_of(1, 32), "kernel", 0, 90);
        two.process().ended = 1;
    }
    fs::rename(other.path() / ("process." + std::to_string(::getpid()) + ".1"), folder.path() / "process.1.1");
    const observed_run run = read_observed(folder.path());
    EXPECT_EQ(run.warnings, std::vector<std::string>{});
    ASSERT_EQ(run.launches.size(), 1u);
    EXPECT_EQ(run.launches[0].count, 1010u);
    EXPECT_EQ(run.launches[0].processes, 2u);
    EXPECT_EQ(run.launches[0].total_ns, 1000 * 10 + 10 * 90);
    EXPECT_EQ(run.launches[0].median_ns, 10);  // although the second process has an equal sample of fewer launches
    EXPECT_EQ(run.launches[0].gpu, std::nullopt);
    EXPECT_EQ(run.launches[0].account, std::nullopt);
}

}  // namespace
}  // namespace launchbox
