// The blocks of merge_sort: sizes, inputs, types and orders. The cases that are only compiled with
// -DLAUNCHBOX_ALL_TESTS=ON differ little from those compiled for every change, and each takes a second to compile.
#include <cstddef>
#include <cstdint>
#include <limits>

#include "merge_sort_check.hpp"

namespace {

/// Flips the highest bit: the key used as padding is then neither the highest nor the lowest number.
struct with_other_sign {
    bool operator()(std::uint32_t a, std::uint32_t b) const { return (a ^ 0x80000000u) < (b ^ 0x80000000u); }
};

}  // namespace

template <>
inline constexpr bool launchbox::equal_keys_are_identical<std::uint32_t, with_other_sign> = true;

namespace {

using launchbox::greater;
using launchbox::less;
using launchbox::taken_combinations;
using launchbox::detail::no_value;
using merge_sort_check::by_lower_half;
using merge_sort_check::check;
using merge_sort_check::marked_keys;
using sort_inputs::kind;
using sort_types::make;

// Plain keys, where only sizes and inputs matter.
#ifdef LAUNCHBOX_ALL_TESTS
using key_of_sizes = std::int32_t;
using wide_key_of_sizes = std::uint64_t;
using key_of_inputs = std::uint16_t;
#else
using key_of_sizes = std::uint32_t;
using wide_key_of_sizes = std::uint32_t;
using key_of_inputs = std::uint32_t;
#endif

TEST(merge_sort_blocks, all_small_sizes)
{
    for (std::size_t n = 0; n <= 600; ++n) {
        const on_cpu::how way{
            .levels = static_cast<int>(n % 4) + 1, .find = n % 3 != 0, .order = static_cast<unsigned>(n % 2)};
        check<64, 2, std::uint32_t, std::uint32_t>(kind::few, n, way);
        check<64, 4, no_value, std::uint32_t>(kind::random, n, way);
    }
}

TEST(merge_sort_blocks, sizes_around_tiles)
{
    taken_combinations taken(2);
    for (const std::size_t tiles : {1u, 2u, 3u, 4u, 5u, 8u, 15u, 16u, 17u})
        for (const int difference : {-1, 0, 1})
            for (int levels = 1; levels <= 5; ++levels) {
                if (!taken.next()) continue;
                const on_cpu::how way{.levels = levels, .find = levels % 2 == 0};
                check<64, 8, std::uint32_t, key_of_sizes>(kind::few, tiles * 512 + static_cast<std::size_t>(difference),
                                                          way);
                check<64, 8, no_value, wide_key_of_sizes>(kind::random,
                                                          tiles * 512 + static_cast<std::size_t>(difference), way);
            }
}

// Padding for a partly filled tile is only known for the natural orders.
TEST(merge_sort_blocks, a_user_defined_order_with_identical_equal_keys)
{
    for (const std::size_t n : {1u, 100u, 511u, 512u, 700u, 2000u, 5000u})
        for (const bool find : {false, true})
            check<64, 8, no_value, std::uint32_t>(kind::random, n, {.levels = 2, .find = find}, with_other_sign{});
}

TEST(merge_sort_blocks, each_element_finds_its_place)
{
    for (std::size_t n = 1; n <= 2048; n += n < 10 || n % 256 > 253 || n % 256 < 2 ? 1 : 61)
        for (const unsigned order : {0u, 5u}) {
            const on_cpu::how way{.by_place = true, .order = order};
            check<64, 4, std::uint32_t, std::uint32_t>(kind::few, n, way);
            check<64, 4, no_value, key_of_sizes>(kind::random, n, way, greater{});
            if (n > 1024) continue;
            check<64, 2, no_value, float>(kind::few, n, way);
            check<64, 4, std::uint32_t, key_of_inputs>(kind::random, n, {.by_place = true, .has_values = false});
        }
    // Keys and values of different sizes, one of them with 8 bytes.
    for (const std::size_t n : {2u, 200u, 777u, 1000u}) {
        check<256, 4, std::uint32_t, std::uint64_t>(kind::random, n, {.by_place = true});
        check<256, 4, std::uint64_t, std::uint32_t>(kind::random, n, {.by_place = true});
        check<256, 4, std::uint8_t, std::uint64_t>(kind::random, n, {.by_place = true}, greater{});
    }
    bool was_given_another = false;
    for (const kind input : sort_inputs::kinds) {
        check<64, 8, std::uint16_t, std::uint32_t>(input, 3000, {.by_place = true});
        for (const std::size_t n : {2047u, 2048u}) check<64, 2, no_value, std::uint32_t>(input, n, {.by_place = true});
        check<64, 4, no_value, marked_keys>(input, 1500, {.by_place = true}, by_lower_half{&was_given_another});
    }
    EXPECT_FALSE(was_given_another);
}

TEST(merge_sort_blocks, inputs)
{
    taken_combinations taken(2);
    for (const kind input : sort_inputs::kinds)
        for (int levels = 1; levels <= 5; ++levels)
            for (const std::size_t n : {333u, 2500u, 4096u}) {
                if (!taken.next()) continue;
                const on_cpu::how way{.levels = levels, .find = n != 2500, .order = 7};
                check<64, 8, std::uint32_t, key_of_inputs>(input, n, way);
                check<128, 2, std::uint8_t, float>(input, n, way);
#ifdef LAUNCHBOX_ALL_TESTS
                check<64, 4, no_value, std::int64_t>(input, n, way);
#endif
            }
}

TEST(merge_sort_blocks, shapes)
{
    [[maybe_unused]] const std::size_t n = 9001;
    const on_cpu::how way{.levels = 3};
    check<64, 2, std::uint32_t, std::uint8_t>(kind::few, 1000, way);
    check<128, 32, no_value, std::uint32_t>(kind::random, 20000, way);
#ifdef LAUNCHBOX_ALL_TESTS
    check<64, 16, std::uint32_t, std::uint8_t>(kind::random, n, way);
    check<64, 32, std::uint32_t, std::uint32_t>(kind::random, n, way);
    check<1024, 2, std::uint32_t, std::uint32_t>(kind::few, n, way);
#endif
}

TEST(merge_sort_blocks, types_and_orders)
{
    using namespace sort_types;
    for (const kind input : {kind::random, kind::few, kind::organ_pipe})
        for (const bool find : {false, true}) {
            const std::size_t n = 3001;
            const on_cpu::how way{.levels = find ? 2 : 4, .find = find, .order = 3};
            check<64, 4, no_value, std::int16_t>(input, n, way, greater{});
            check<64, 4, no_value, std::uint8_t>(input, n, way, by_lower_bits{7});
            check<64, 4, no_value, signed_zeros>(input, n, way);
            check<64, 4, bytes<3>, make<color>>(input, n, way, by_color{1});
            check<64, 4, bytes<7>, make<tagged<24>>>(input, n, way, by_number{});
#ifdef LAUNCHBOX_ALL_TESTS
            check<64, 4, no_value, std::int8_t>(input, n, way);
            check<64, 4, no_value, std::int32_t>(input, n, way, by_absolute_value{});
            check<64, 4, no_value, make<tagged<12>>>(input, n, way, by_number{});
            check<64, 4, bytes<32>, make<tagged<32>>>(input, n, way, by_number{});
#endif
        }
}

TEST(merge_sort_blocks, values_that_are_indices)
{
    for (const std::size_t n : {2u, 255u, 256u, 257u, 4000u}) {
        check<64, 8, std::uint32_t, std::uint32_t>(kind::few, n, {.levels = 2, .has_values = false});
#ifdef LAUNCHBOX_ALL_TESTS
        check<64, 8, std::uint64_t, std::uint8_t>(kind::random, n, {.levels = 3, .find = false, .has_values = false});
#endif
    }
}

/// Half of the keys, or all, equal the key that is used as padding.
template <class Key, int Most>
struct limits {
    static Key key(std::uint64_t of, std::uint64_t)
    {
        using of_key = std::numeric_limits<Key>;
        const Key behind = Most != 0 ? of_key::max() : of_key::min();
        return of >> 63 != 0 ? behind
                             : static_cast<Key>(Most != 0 ? behind - static_cast<Key>(of >> 61)
                                                          : behind + static_cast<Key>(of >> 61));
    }
};

TEST(merge_sort_blocks, keys_that_equal_the_padding)
{
    for (const kind input : {kind::random, kind::few, kind::sorted, kind::reversed})
        for (const bool find : {false, true})
            for (const std::size_t n : {255u, 600u, 4095u, 5000u}) {
                const on_cpu::how way{.levels = 4, .find = find};
                check<64, 8, no_value, limits<std::uint32_t, 1>>(input, n, way);
                check<64, 8, no_value, limits<std::uint8_t, 0>>(input, n, way, greater{});
                check<64, 8, no_value, limits<std::int64_t, 1>>(input, n, way);
                check<64, 8, std::uint8_t, limits<std::uint32_t, 1>>(input, n, way);
#ifdef LAUNCHBOX_ALL_TESTS
                check<64, 8, no_value, limits<std::int32_t, 0>>(input, n, way, greater{});
                check<64, 8, no_value, limits<std::uint64_t, 0>>(input, n, way, greater{});
#endif
            }
}

TEST(merge_sort_blocks, comparisons_only_get_keys)
{
    taken_combinations taken(4);
    bool was_given_another = false;
    const by_lower_half compare{&was_given_another};
    for (const std::size_t n : {2u, 9u, 255u, 257u, 3000u, 9000u})
        for (int levels = 1; levels <= 5; ++levels)
            for (const bool find : {true, false})
                for (const kind input : {kind::random, kind::sorted, kind::reversed, kind::equal}) {
                    if (!taken.next()) continue;
                    check<64, 8, no_value, marked_keys>(input, n, {.levels = levels, .find = find}, compare);
                    ASSERT_FALSE(was_given_another) << sort_inputs::name(input) << ", n " << n << ", levels " << levels;
                }
}

TEST(merge_sort_blocks, conflicting_input)
{
    struct ranks {
        static std::uint32_t key(std::uint64_t, std::uint64_t i)
        {
            static const sort_inputs::conflicts of(16, 20000);
            return static_cast<std::uint32_t>(of(static_cast<std::int64_t>(i)));
        }
    };
    for (int levels = 1; levels <= 5; ++levels) {
        check<64, 16, std::uint32_t, ranks>(kind::equal, 20000, {.levels = levels});
#ifdef LAUNCHBOX_ALL_TESTS
        check<64, 16, no_value, ranks>(kind::equal, 20000, {.levels = levels, .find = false});
#endif
    }
}

}  // namespace
