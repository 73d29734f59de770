// merge_sort on a GPU with rows given by the user: small tiles and all numbers of ways, so that little data goes
// through many passes; and a table of rows by architecture.
#include "merge_sort_check.cuh"

namespace {

using namespace merge_sort_check;
using launchbox::merge_sort_row;
using launchbox::only;

/// Each row means three kernels, so only a few sort other types.
template <merge_sort_row Row, bool HasOtherTypes = false>
void check_row()
{
    const std::int64_t tile = Row.threads * Row.items;
    const std::int64_t most = is_reduced() ? 20000 : 400000;
    checked_sorts<std::uint32_t, std::uint32_t> pairs(most + 2);
    for (const kind input : {kind::random, kind::few, kind::reversed}) {
        for (std::int64_t tiles = 1; tiles * tile < most; tiles = tiles * 2 + (tiles > 4 ? 1 : 0))
            for (const int difference : {-1, 0, 1}) pairs.template sort<only<Row>>(tiles * tile + difference, input, 1);
        pairs.template sort<only<Row>>(most, input);
    }
    const std::string what = std::to_string(Row.threads) + " threads, " + std::to_string(Row.items) + " items, " +
                             std::to_string(Row.ways) + " ways";
    pairs.expect_right(what);
    if constexpr (HasOtherTypes) {
        for (const std::size_t n : {std::size_t{3}, static_cast<std::size_t>(most / 8 + 1)})
            expect_as_stable_sort<sort_types::signed_zeros, none, only<Row>>(kind::random, n, launchbox::less{}, 1);
        expect_as_stable_sort<sort_types::make<std::uint32_t>, none, only<Row>>(kind::random,
                                                                                static_cast<std::size_t>(most));
    }
}

TEST_F(merge_sort_on_gpu, rows_of_two_ways)
{
    check_row<merge_sort_row{64, 2, 0, 2}>();
    check_row<merge_sort_row{256, 8, 2, 2}, true>();
    check_row<merge_sort_row{1024, 4, 0, 2}>();
}

TEST_F(merge_sort_on_gpu, rows_of_four_ways)
{
    check_row<merge_sort_row{64, 4, 0, 4}>();
    check_row<merge_sort_row{128, 16, 0, 4}>();
    check_row<merge_sort_row{512, 2, 1, 4}>();
}

TEST_F(merge_sort_on_gpu, rows_of_eight_ways)
{
    check_row<merge_sort_row{64, 2, 0, 8}, true>();
    check_row<merge_sort_row{128, 32, 0, 8}>();
    check_row<merge_sort_row{256, 4, 0, 8}>();
}

TEST_F(merge_sort_on_gpu, rows_of_sixteen_ways)
{
    check_row<merge_sort_row{64, 8, 0, 16}>();
    check_row<merge_sort_row{128, 2, 0, 16}>();
    check_row<merge_sort_row{256, 16, 0, 16}, true>();
}

TEST_F(merge_sort_on_gpu, rows_of_thirty_two_ways)
{
    check_row<merge_sort_row{64, 2, 0, 32}>();
    check_row<merge_sort_row{256, 8, 0, 32}, true>();
}

// by_type makes the items a power of two, and at least 2.
TEST_F(merge_sort_on_gpu, items_of_a_scaled_row)
{
    static_assert(launchbox::scaled(merge_sort_row{128, 16, 0, 4}, 4, 8).items == 4);
    check_row<launchbox::scaled(merge_sort_row{128, 16, 0, 4}, 4, 8)>();
    check_row<launchbox::scaled(merge_sort_row{64, 4, 0, 8}, 4, 16)>();
}

TEST_F(merge_sort_on_gpu, a_table_by_architecture)
{
    using table = launchbox::launch_box<launchbox::sm<75, merge_sort_row{64, 4, 0, 2}>,
                                        launchbox::sm<90, merge_sort_row{128, 4, 0, 8}>>;
    checked_sorts<std::uint32_t, std::uint32_t> pairs(50000);
    for (std::int64_t n = 1; n < 50000; n = n * 3 + 1) pairs.sort<table>(is_reduced() ? n % 9000 : n, kind::random);
    pairs.expect_right("a table of the user's");
}

}  // namespace
