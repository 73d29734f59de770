// The blocks of segmented_merge_sort on the CPU, in the order in which it launches them, with small rows; compared with
// std::stable_sort of each segment.
#include "merge_sort_check.hpp"

#include <launchbox/algorithms/detail/segment_few.cuh>
#include <launchbox/algorithms/detail/segment_of_thread.cuh>
#include <launchbox/algorithms/detail/segment_work.cuh>

#include <random>

namespace {

namespace detail = launchbox::detail;
using launchbox::greater;
using launchbox::less;
using launchbox::detail::no_value;
using sort_inputs::kind;
using sort_types::make;

struct segment {
    std::int64_t begin, end;
};

/// Shared memory of this size; nothing may be written after it.
class shared_memory {
public:
    explicit shared_memory(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)), words_(bytes_ / size + behind)
    {
        std::memset(static_cast<void*>(get() + bytes_), 0x5b, words_.size() * size - bytes_);
    }
    ~shared_memory()
    {
        for (std::size_t i = bytes_; i < words_.size() * size; ++i)
            if (get()[i] != 0x5b) {
                ADD_FAILURE() << "byte " << i << " of " << bytes_ << " of shared memory was written";
                break;
            }
    }
    shared_memory(const shared_memory&) = delete;
    shared_memory& operator=(const shared_memory&) = delete;
    unsigned char* get() { return reinterpret_cast<unsigned char*>(words_.data()); }

private:
    static constexpr std::size_t size = sizeof(std::max_align_t), behind = 4096;
    std::size_t bytes_;
    std::vector<std::max_align_t> words_;
};

template <class Shape>
std::int64_t bytes_of_tile(std::int64_t segments)
{
    return detail::tile_shared_bytes<Shape>(Shape::threads, Shape::items) +
           static_cast<std::int64_t>(sizeof(detail::tile_segment)) * segments;
}

/// Whether segments are listed first, or every block sees all of them; and in that case, whether it counts their keys.
enum class sees { lists, few, few_to_count };

template <class Key, class Value, class Compare>
inline constexpr bool counts_keys = std::is_same_v<Value, no_value> && detail::can_be_counted<Key, Compare>;

/// Rows of SmallThreads * Items and Threads * Items; nothing may be written after the parts of the workspace.
template <int SmallThreads, int Threads, int Items, int MaxLevels, class Key, class Value, class Compare>
void sort_segments(sees how, std::vector<Key>& keys, std::vector<Value>* values, const std::vector<segment>& segments,
                   const Compare& compare, unsigned order)
{
    using kept = std::conditional_t<std::is_same_v<Value, no_value>, void, Value>;
    using small = detail::merge_shape<Key, kept, Compare, SmallThreads, Items>;
    using large = detail::merge_shape<Key, kept, Compare, Threads, Items>;
    using few = detail::merge_shape<Key, kept, Compare, Threads, Items / 2>;
    detail::segment_sizes sizes =
        detail::segment_sizes_of(static_cast<std::int64_t>(keys.size()), static_cast<std::int64_t>(segments.size()),
                                 small::tile, Threads, Items, MaxLevels, detail::max_short_segment<Key>);
    if (how != sees::lists)
        sizes = detail::sizes_of_few(sizes.n, sizes.segments, few::threads, few::items, MaxLevels,
                                     how == sees::few ? few::tile : 4 * few::tile);
    std::vector<std::int64_t> begins, ends;
    for (const segment& each : segments) begins.push_back(each.begin), ends.push_back(each.end);
    detail::segment_state state{};
    if (how != sees::lists) std::memset(&state, 0x77, sizeof state);  // nothing clears it first
    std::vector<unsigned> by_class(static_cast<std::size_t>(sizes.max_listed())),
        owner(static_cast<std::size_t>(sizes.max_parts()));
    std::vector<detail::merged_segment> merged(static_cast<std::size_t>(sizes.max_merged() * sizes.max_passes));
    std::vector<std::int64_t> splits(static_cast<std::size_t>(sizes.max_parts()) << sizes.max_levels, -1);
    const detail::segment_lists<std::int64_t> lists{begins.data(),   ends.data(),   &state,
                                                    by_class.data(), merged.data(), owner.data()};
    std::vector<Key> other_keys = keys;
    std::vector<Value> other_values;
    if (values != nullptr) other_values = *values;
    const auto arrays = [&]<class Shape>(std::type_identity<Shape>) {
        detail::segment_arrays<Shape> both{{keys.data(), nullptr}, {other_keys.data(), nullptr}};
        if constexpr (Shape::has_values) both.data.values = values->data(), both.other.values = other_values.data();
        return both;
    };
    const int most_small = std::max(1, small::tile >> sizes.first_class()),
              most_large = std::max(1, large::tile >> (sizes.small_bits + 1));
    shared_memory of_small(bytes_of_tile<small>(most_small)), of_large(bytes_of_tile<large>(most_large)),
        of_parts(detail::merge_shared_bytes<large>(Threads, Items));
    constexpr int threads_of_first = 64;
    std::vector<std::max_align_t> shared_of_first(
        static_cast<std::size_t>(detail::bytes_for_short_segments<small>(threads_of_first)) / sizeof(std::max_align_t) +
        1);
    const auto small_arrays = arrays(std::type_identity<small>{});
    const auto large_arrays = arrays(std::type_identity<large>{});
    if (how != sees::lists) {
        const auto few_arrays = arrays(std::type_identity<few>{});
        if constexpr (counts_keys<Key, Value, Compare>) {
            if (how == sees::few_to_count) {
                shared_memory of_counts(sizeof(detail::few_counts<few::threads>));
                gpu_on_cpu::run(
                    static_cast<unsigned>(std::min<std::int64_t>(sizes.segments + sizes.max_parts(), 5)), Threads,
                    [&] { detail::count_few_segments<few>(of_counts.get(), sizes, lists, few_arrays); }, order);
            }
        }
        if (how == sees::few) {
            shared_memory of_few(bytes_of_tile<few>(detail::few_in_tile));
            gpu_on_cpu::run(
                static_cast<unsigned>(
                    std::max<std::int64_t>(sizes.segments, std::min<std::int64_t>(sizes.max_parts(), 7))),
                Threads, [&] { detail::sort_few_segments<few>(of_few.get(), sizes, lists, few_arrays, compare); },
                order);
        }
        shared_memory of_merging(detail::merge_shared_bytes<few>(few::threads, few::items));
        if (sizes.max_passes > 0)
            gpu_on_cpu::run(
                3, Threads,
                [&] {
                    detail::merge_few_segments<MaxLevels, few>(of_merging.get(), sizes, lists, few_arrays, compare);
                },
                order);
        return;
    }
    gpu_on_cpu::run(
        static_cast<unsigned>(segments.size() / threads_of_first + 1), threads_of_first,
        [&] {
            detail::sort_short_list_others<threads_of_first>(reinterpret_cast<unsigned char*>(shared_of_first.data()),
                                                             sizes, lists, small_arrays.data, blockIdx.x, compare);
        },
        order);
    gpu_on_cpu::run(
        3, SmallThreads,
        [&] {
            detail::sort_small_segments<small>(of_small.get(), sizes, lists, small_arrays.data, sizes.small_bits,
                                               compare);
        },
        order);
    gpu_on_cpu::run(
        3, Threads,
        [&] {
            detail::sort_large_segments<large>(of_large.get(), sizes, lists, large_arrays, sizes.small_bits + 1,
                                               sizes.tile_bits, splits.data(), state.next_work[1], compare);
        },
        order);
    for (int pass = 0; pass < sizes.max_passes; ++pass) {
        using any = detail::merge_shape<Key, void, Compare, 64, 2>;
        const detail::segment_arrays<any> keys_alone{{keys.data(), nullptr}, {other_keys.data(), nullptr}};
        gpu_on_cpu::run(
            static_cast<unsigned>((sizes.max_parts() << detail::levels_of_search(MaxLevels)) / 64 + 1), 64, [&] {
                detail::find_segment_splits<MaxLevels, any>(sizes, lists, keys_alone, pass, splits.data(),
                                                            std::int64_t{blockIdx.x} * 64 + threadIdx.x, compare);
            });
        gpu_on_cpu::run(
            3, Threads,
            [&] {
                detail::merge_segments<large>(of_parts.get(), sizes, lists, large_arrays, pass, splits.data(),
                                              state.next_work[2 + pass], compare);
            },
            order);
    }
}

/// Segments one after the other, with sizes from `size(i)`, and sometimes elements between them that belong to no
/// segment.
template <class Size>
std::vector<segment> segments_of(std::size_t n, const Size& size, bool has_gaps)
{
    std::vector<segment> made;
    std::int64_t at = 0;
    const auto all = static_cast<std::int64_t>(n);
    for (std::size_t i = 0; at < all; ++i) {
        const std::int64_t end = std::min(all, at + static_cast<std::int64_t>(size(i)));
        made.push_back({at, end});
        at = end + (has_gaps && i % 3 == 1 ? 2 : 0);
    }
    if (has_gaps) {
        made.push_back({5, 3});             // empty, and
        made.push_back({all, all + 1000});  // beyond the array
        std::mt19937 random(7);
        std::shuffle(made.begin(), made.end(), random);
    }
    return made;
}

template <int SmallThreads, int Threads, int Items, int MaxLevels, class Value = no_value, class Make = void,
          class Compare = less>
void check(kind input, std::size_t n, const std::vector<segment>& segments, const Compare& compare = {},
           unsigned order = 0)
{
    using maker = std::conditional_t<std::is_arithmetic_v<Make>, make<Make>, Make>;
    using key = decltype(maker::key(0, 0));
    std::vector<key> keys;
    std::vector<Value> values;
    for (std::size_t i = 0; i < n; ++i) {
        keys.push_back(maker::key(sort_inputs::element(input, i, n, n), i));
        if constexpr (!std::is_same_v<Value, no_value>) values.push_back(make<Value>::value(i));
    }
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0u);
    for (const segment& each : segments)
        if (each.begin < each.end)
            std::stable_sort(expected.begin() + each.begin,
                             expected.begin() + std::min(each.end, static_cast<std::int64_t>(n)),
                             [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });
    const auto expected_keys = merge_sort_check::in_order(keys, expected);
    constexpr bool has_values = !std::is_same_v<Value, no_value>;
    const auto expected_values = has_values ? merge_sort_check::in_order(values, expected) : values;
    for (const sees how : {sees::lists, sees::few, sees::few_to_count}) {
        if (how != sees::lists && segments.size() > detail::max_few_segments) break;
        if (how == sees::few_to_count && !counts_keys<key, Value, Compare>) break;
        std::vector<key> sorted = keys;
        std::vector<Value> moved = values;
        sort_segments<SmallThreads, Threads, Items, MaxLevels>(how, sorted, has_values ? &moved : nullptr, segments,
                                                               compare, order);
        ASSERT_EQ(merge_sort_check::first_difference(sorted, expected_keys), -1)
            << "key, " << sort_inputs::name(input) << ", n " << n << ", segments " << segments.size() << ", way "
            << static_cast<int>(how);
        ASSERT_EQ(merge_sort_check::first_difference(moved, expected_values), -1)
            << "value, " << sort_inputs::name(input) << ", n " << n << ", segments " << segments.size() << ", way "
            << static_cast<int>(how);
    }
}

TEST(segmented_sort_blocks, segments_of_each_size)
{
    for (const bool has_gaps : {false, true})
        for (std::size_t size = 1; size <= 1100; size = size < 20 ? size + 1 : size * 5 / 4) {
            const std::size_t n = 1 + size * 5;
            const auto segments = segments_of(
                n, [&](std::size_t) { return size; }, has_gaps);
            check<32, 64, 8, 2, no_value, std::uint32_t>(kind::random, n, segments);
            check<64, 64, 4, 2, std::uint32_t, float>(kind::few, n, segments);
        }
}

TEST(segmented_sort_blocks, segments_of_all_sizes_at_once)
{
    launchbox::taken_combinations taken(2);
    std::mt19937 random(3);
    for (const kind input : {kind::random, kind::few, kind::reversed, kind::sorted})
        for (const std::size_t most : {3u, 40u, 700u, 6000u}) {
            if (!taken.next()) continue;
            const auto segments = segments_of(
                12000, [&](std::size_t) { return random() % most * (random() % 5 + 1) / 5; }, true);
            check<32, 128, 8, 2, no_value, std::uint32_t>(input, 12000, segments, greater{}, 5);
            check<64, 128, 4, 3, std::uint16_t, std::int16_t>(input, 12000, segments, less{}, 3);
            check<128, 64, 4, 1, no_value, float>(input, 12000, segments);
        }
}

// Tiles are sorted as pairs and parts merged as words, in less shared memory.
TEST(segmented_sort_blocks, pairs_merged_as_words)
{
    std::mt19937 random(4);
    for (const std::size_t most : {40u, 700u, 9000u}) {
        const auto segments = segments_of(
            20000, [&](std::size_t) { return random() % most; }, true);
        check<32, 64, 16, 2, std::uint64_t, std::uint64_t>(kind::random, 20000, segments);
        check<32, 64, 16, 3, std::uint32_t, std::uint32_t>(kind::few, 20000, segments, greater{}, 3);
    }
}

// Any keys and any beginnings of segments.
TEST(segmented_sort_blocks, counted_keys)
{
    std::mt19937 random(5);
    for (const kind input : {kind::random, kind::few, kind::equal, kind::sorted})
        for (const std::size_t most : {700u, 6000u}) {
            const auto segments = segments_of(
                9000, [&](std::size_t) { return random() % most * (random() % 5 + 1) / 5; }, true);
            check<32, 128, 8, 2, no_value, std::uint16_t>(input, 9000, segments, less{}, static_cast<unsigned>(most));
            check<32, 64, 8, 3, no_value, std::int16_t>(input, 9000, segments, greater{}, 1);
        }
    for (std::int64_t size = 1; size < 40; ++size)
        check<32, 64, 8, 1, no_value, std::int16_t>(kind::random, 99, {{size % 9, size % 9 + size}, {50, 50 + size}});
}

// Floating-point keys are sorted as integers, for which -0.0 is less than 0.0.
TEST(segmented_sort_blocks, zeros_keep_their_order)
{
    std::mt19937 random(9);
    for (const std::size_t most : {3u, 6u, 17u, 60u, 250u, 600u, 3000u}) {
        const auto segments = segments_of(
            6000, [&](std::size_t) { return random() % most; }, true);
        for (const kind input : {kind::few, kind::random, kind::equal}) {
            check<32, 64, 8, 2, no_value, sort_types::signed_zeros>(input, 6000, segments);
            check<32, 64, 8, 2, no_value, sort_types::signed_zeros>(input, 6000, segments, greater{}, 3);
        }
    }
}

TEST(segmented_sort_blocks, one_segment_of_many_passes)
{
    for (const std::size_t n : {257u, 5000u, 20000u}) {
        check<64, 64, 4, 1, std::uint32_t, std::uint32_t>(kind::few, n, {{0, static_cast<std::int64_t>(n)}});
        check<64, 64, 4, 2, no_value, std::uint64_t>(kind::random, n, {{3, static_cast<std::int64_t>(n)}, {0, 2}});
    }
}

TEST(segmented_sort_blocks, comparisons_only_get_keys)
{
    bool was_given_another = false;
    std::mt19937 random(1);
    for (const std::size_t most : {3u, 9u, 100u, 3000u}) {
        const auto segments = segments_of(
            9000, [&](std::size_t) { return random() % most; }, true);
        check<32, 64, 8, 2, no_value, merge_sort_check::marked_keys>(
            kind::random, 9000, segments, merge_sort_check::by_lower_half{&was_given_another});
        ASSERT_FALSE(was_given_another) << most;
    }
}

/// Offsets that are not valid segments: nothing is written outside the arrays, and nothing hangs.
TEST(segmented_sort_blocks, overlapping_offsets)
{
    std::vector<std::uint32_t> keys(4000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
    const std::vector<segment> overlapping(50, segment{-7, 4000});
    const std::vector<segment> small(4000, segment{3990, 5000});
    for (const sees how : {sees::lists, sees::few})
        sort_segments<64, 64, 4, 2, std::uint32_t, no_value>(how, keys, nullptr, overlapping, less{}, 0);
    sort_segments<64, 64, 4, 2, std::uint32_t, no_value>(sees::lists, keys, nullptr, small, less{}, 0);
    const std::vector<segment> fewer(400, segment{3990, 5000});
    sort_segments<64, 64, 4, 2, std::uint32_t, no_value>(sees::few, keys, nullptr, fewer, less{}, 0);
    std::vector<std::uint16_t> small_keys(4000);
    for (std::size_t i = 0; i < keys.size(); ++i) small_keys[i] = static_cast<std::uint16_t>(keys[i]);
    for (const auto& segments : {overlapping, fewer})
        sort_segments<64, 64, 4, 2, std::uint16_t, no_value>(sees::few_to_count, small_keys, nullptr, segments, less{},
                                                             0);
}

// 16-bit integers in their natural order, but no other 2-byte types.
TEST(segmented_sort_plan, what_is_counted)
{
    struct two_bytes {
        short number;
    };
    struct by_number {
        bool operator()(short a, short b) const { return a < b; }
    };
    static_assert(detail::can_be_counted<std::int16_t, less>);
    static_assert(detail::can_be_counted<std::uint16_t, greater>);
    static_assert(detail::can_be_counted<char16_t, std::less<>>);
    static_assert(detail::can_be_counted<short, std::greater<short>>);
    static_assert(detail::can_be_counted<wchar_t, less> == (sizeof(wchar_t) == 2));
    static_assert(!detail::can_be_counted<short, by_number>);
    static_assert(!detail::can_be_counted<two_bytes, less>);
    static_assert(!detail::can_be_counted<signed char, less> && !detail::can_be_counted<int, less>);
#ifdef __FLT16_MAX__
    static_assert(sizeof(_Float16) == 2 && !detail::can_be_counted<_Float16, less>);
#endif
    constexpr std::int64_t most = std::int64_t{16384} * 5;
    EXPECT_TRUE(detail::are_few_counted(most, 5));
    EXPECT_FALSE(detail::are_few_counted(most + 1, 5));
    // The counters are large enough for the largest segment, and fit into a block on an H100.
    using memory = detail::count_memory<1024>;
    EXPECT_LE(memory::max_elements, 0xffff);
    EXPECT_LE(sizeof(detail::few_counts<1024>), std::size_t{227} << 10);
}

// A part fits into the tile that sorts it and into the block that merges it, and a segment of all elements fits into
// the available parts.
TEST(segmented_sort_plan, parts_of_few_segments)
{
    constexpr int threads = 256, items = 16, levels = 5;
    constexpr std::int64_t tile = 4096;
    for (const std::int64_t n : {2, 4095, 4096, 4097, 100000, 1 << 21})
        for (const std::int64_t segments : {1, 2, 100, 512}) {
            const auto sizes = detail::sizes_of_few(n, segments, threads, items, levels, threads * items);
            EXPECT_TRUE(sizes.is_few);
            EXPECT_EQ(sizes.max_listed(), 0);
            EXPECT_EQ(std::int64_t{1} << sizes.tile_bits, tile);
            EXPECT_LE(sizes.part + 2 * sizes.slack, detail::merged_elements(threads, items, levels));
            EXPECT_LE(sizes.part, tile);
            EXPECT_EQ(sizes.max_passes > 0, n >= tile);
            if (n > tile) {
                EXPECT_LE(sizes.parts_of(n), sizes.max_parts());
                EXPECT_EQ(sizes.passes_of(n).count, sizes.max_passes);
            }
        }
}

TEST(segmented_sort_plan, each_pass_has_its_levels)
{
    for (int max_levels = 1; max_levels <= 5; ++max_levels)
        for (std::int64_t parts = 2; parts < 3000; ++parts) {
            const detail::segment_passes passes(parts, max_levels);
            int before = 0;
            for (int pass = 0; pass < passes.count; ++pass) {
                ASSERT_EQ(passes.levels_before(pass), before);
                ASSERT_GE(passes.levels_of(pass), 1);
                ASSERT_LE(passes.levels_of(pass), max_levels);
                before += passes.levels_of(pass);
            }
            ASSERT_GE(std::int64_t{1} << before, parts);
            ASSERT_LT(std::int64_t{1} << (before - 1), parts);
        }
}

}  // namespace
