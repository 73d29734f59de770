// Which run is newer: by the numbers of the store, whatever the clock.
#include "tune/exchange/call_order.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace launchbox {
namespace {

struct told_call {
    std::string file;
    std::optional<std::int64_t> call;
    std::string started;
};

std::vector<std::size_t> order(const std::vector<told_call>& calls)
{
    std::vector<run_info> infos;
    std::vector<std::string> from;
    for (const told_call& each : calls) {
        run_info& info = infos.emplace_back();
        info.call = each.call;
        info.started = each.started;
        from.push_back(each.file);
    }
    std::vector<const run_info*> runs;
    for (const run_info& info : infos) runs.push_back(&info);
    return in_order_of_calls(runs, from);
}

using places = std::vector<std::size_t>;

TEST(call_order, within_a_file_the_call_numbers_count_and_not_the_clock)
{
    EXPECT_EQ(order({{"a", 3, "09:00"}, {"a", 1, "09:00"}, {"a", 2, "08:00"}}), (places{1, 2, 0}));
    EXPECT_EQ(order({{"a", 2, ""}, {"a", 1, "no time"}}), (places{1, 0}));
    // A file without call numbers only has the clock.
    EXPECT_EQ(order({{"a", {}, "09:00"}, {"a", 7, "08:00"}}), (places{1, 0}));
    EXPECT_TRUE(order({}).empty());
}

TEST(call_order, between_files_the_clock_counts_and_each_keeps_its_own_order)
{
    EXPECT_EQ(order({{"a", 1, "09:00"}, {"b", 1, "08:00"}, {"b", 2, "10:00"}}), (places{1, 0, 2}));
    EXPECT_EQ(order({{"a", 1, "09:00"}, {"b", 1, "09:00"}}), (places{0, 1})) << "named later";
    // a's clock was set back: its second call still comes after its first.
    EXPECT_EQ(order({{"a", 2, "01:00"}, {"a", 1, "09:00"}, {"b", 1, "05:00"}}), (places{2, 1, 0}));
}

}  // namespace
}  // namespace launchbox
