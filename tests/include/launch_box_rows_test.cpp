// Tables of a launch box as plain C++: which row code uses, which values an architecture allows, tables by size and by
// type.
#include <gtest/gtest.h>
#include <launchbox/detail/launch_box/probe_value.hpp>
#include <launchbox/detail/launch_box/table_use.hpp>
#include <launchbox/tuning_by_type.hpp>

#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace launchbox::detail {
namespace {

struct row {
    int threads, items, min_blocks = 0;
    bool operator==(const row&) const = default;
};

compute_capability cc(std::string_view name)
{
    return *parse_compute_capability(name);
}

std::vector<std::string> words(const std::string& text)
{
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

// All architectures of nvcc 13.0, in the order of a table.
const std::vector<std::string> architectures =
    words("75 80 86 87 88 89 90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 121f 121a");

// Which rows with a suffix code can use, from NVIDIA's lists of families. Code without a suffix can use none.
const std::map<std::string, std::string> suffix_rows = {
    {"90a", "90a"},        {"100f", "100f"},           {"100a", "100f 100a"},
    {"103f", "100f 103f"}, {"103a", "100f 103f 103a"}, {"110f", "110f"},
    {"110a", "110f 110a"}, {"120f", "120f"},           {"120a", "120f 120a"},
    {"121f", "120f 121f"}, {"121a", "120f 121f 121a"}};

// The rows that code can use, the newest last.
std::vector<std::string> usable(const std::string& code)
{
    const auto found = suffix_rows.find(code);
    const std::vector<std::string> with_suffix = found == suffix_rows.end() ? words("") : words(found->second);
    const std::string number = found == suffix_rows.end() ? code : code.substr(0, code.size() - 1);
    std::vector<std::string> result;
    bool later = false;
    for (const std::string& name : architectures) {
        const bool plain = name.find_first_of("af") == std::string::npos;
        if (plain ? !later : std::find(with_suffix.begin(), with_suffix.end(), name) != with_suffix.end())
            result.push_back(name);
        later = later || name == number;
    }
    return result;
}

TEST(launch_box_rows, every_architecture_and_every_row)
{
    for (const std::string& code : architectures) {
        const std::vector<std::string> rows = usable(code);
        for (const std::string& name : architectures)
            EXPECT_EQ(serves(cc(name), cc(code)), std::find(rows.begin(), rows.end(), name) != rows.end())
                << "row " << name << ", code " << code;
    }
}

TEST(launch_box_rows, the_newest_usable_row_is_chosen)
{
    std::mt19937 random(20261121);
    int none = 0;
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::string> names;
        for (const std::string& name : architectures)
            if (random() % 4 == 0) names.push_back(name);
        std::vector<compute_capability> table;
        for (const std::string& name : names) table.push_back(cc(name));
        const std::string& code = architectures[random() % architectures.size()];
        const std::vector<std::string> rows = usable(code);
        std::string expected = "none";
        for (const std::string& name : names)
            if (std::find(rows.begin(), rows.end(), name) != rows.end()) expected = name;
        const std::vector<std::span<const gpu_range>> every_gpu(table.size());
        const int chosen = select_row({table, every_gpu}, cc(code));
        none += chosen == -1;
        ASSERT_EQ(chosen == -1 ? "none" : names.at(static_cast<std::size_t>(chosen)), expected) << code;
    }
    EXPECT_GT(none, 100);
    // For every architecture.
    for (const std::string& code : architectures) EXPECT_EQ(select_row(places_of<only<row{32, 1}>>(), cc(code)), 0);
}

// Ranges that do not overlap within an architecture, as a table requires: their numbers of SMs differ.
std::vector<gpu_range> some_ranges(std::mt19937& random, int place)
{
    gpu_range range;
    range.min_sms = 40 * place + 1 + static_cast<int>(random() % 10);
    range.max_sms = 40 * place + 30;
    if (random() % 2) range.min_memory_bytes = 50;
    if (random() % 4 == 0) range.max_l2_bytes = 20;
    if (random() % 4 == 0) range.min_memory_gb_per_second = 30;
    if (random() % 4 == 0) range.max_memory_gb_per_second = 60;
    if (random() % 3) return {range};
    gpu_range other = range;
    other.min_sms = other.max_sms = 40 * place + 35;
    return {range, other};
}

TEST(launch_box_rows, of_several_rows_the_newest_for_the_gpu_is_chosen_or_the_fallback)
{
    std::mt19937 random(20261126);
    int by_range = 0, none = 0;
    for (int i = 0; i < 20000; ++i) {
        std::vector<compute_capability> table;
        std::vector<std::vector<gpu_range>> ranges;
        for (const std::string& name : architectures) {
            if (random() % 4) continue;
            const std::size_t some = random() % 3;
            if (random() % 2) {
                table.push_back(cc(name));
                ranges.emplace_back();
            }
            for (std::size_t place = 0; place < some; ++place) {
                table.push_back(cc(name));
                ranges.push_back(some_ranges(random, static_cast<int>(place)));
            }
        }
        const std::vector<std::span<const gpu_range>> gpus(ranges.begin(), ranges.end());
        const row_places places{table, gpus};
        const std::string& code = architectures[random() % architectures.size()];
        const gpu_properties gpu{.sms = static_cast<int>(random() % 90),
                                 .l2_bytes = static_cast<int>(random() % 40),
                                 .memory_bytes = static_cast<int>(random() % 100),
                                 .memory_gb_per_second = static_cast<int>(random() % 100)};
        // By the definition: the last of all rows that are usable for the code and the GPU; none if no row is for every
        // GPU.
        int expected = -1;
        bool has_last_resort = false;
        for (std::size_t r = 0; r < table.size(); ++r) {
            if (!serves(table[r], cc(code))) continue;
            bool fits = ranges[r].empty();
            for (const gpu_range& range : ranges[r])
                fits = fits || (gpu.sms >= range.min_sms && gpu.sms <= range.max_sms &&
                                gpu.l2_bytes <= range.max_l2_bytes && gpu.memory_bytes >= range.min_memory_bytes &&
                                gpu.memory_gb_per_second >= range.min_memory_gb_per_second &&
                                gpu.memory_gb_per_second <= range.max_memory_gb_per_second);
            has_last_resort = has_last_resort || ranges[r].empty();
            if (fits) expected = static_cast<int>(r);
        }
        const std::size_t variants = count_variants(places, cc(code));
        ASSERT_EQ(variants > 0, has_last_resort);
        none += !has_last_resort;
        if (!has_last_resort) continue;
        // Rows for some GPUs that are older than the fallback never count.
        const std::size_t variant = select_variant(places, cc(code), gpu);
        ASSERT_LT(variant, variants);
        const int last_resort = select_row(places, cc(code));
        ASSERT_EQ(select_row(places, cc(code), variant), std::max(expected, last_resort)) << code;
        by_range += variant > 0;
        ASSERT_EQ(select_row(places, cc(code), variants), -1);
    }
    EXPECT_GT(none, 100);
    EXPECT_GT(by_range, 1000);
}

TEST(launch_box_rows, rows_for_some_gpus_may_not_overlap)
{
    using low = gpu_range;
    using any = launch_box<sm<90, row{64, 1}>>;
    EXPECT_FALSE(has_rows_for_some_gpus<any>());
    using two = launch_box<sm<90, row{64, 1}>, on_gpus<sm<90, row{32, 1}>, low{.max_sms = 100}>,
                           on_gpus<sm<90, row{32, 2}>, low{.min_sms = 101}>>;
    EXPECT_TRUE(has_rows_for_some_gpus<two>());
    static_assert(find_table_error<on_gpus<sm<90, row{32, 1}>, low{.max_sms = 100}>,
                                   on_gpus<sm<90, row{32, 2}>, low{.min_sms = 100}>>() == table_error::shared_gpus);
    static_assert(find_table_error<on_gpus<sm<90, row{32, 1}>, low{.max_sms = 100}>,
                                   on_gpus<sm<90, row{32, 2}>, low{.min_memory_bytes = 5}>>() ==
                  table_error::shared_gpus);
    static_assert(find_table_error<on_gpus<sm<90, row{32, 1}>, low{.max_sms = 100}, low{.min_sms = 120}>,
                                   on_gpus<sm<90, row{32, 2}>, low{.min_sms = 110, .max_sms = 130}>>() ==
                  table_error::shared_gpus);
    static_assert(find_table_error<on_gpus<sm<90, row{32, 1}>, low{.max_memory_gb_per_second = 2000}>,
                                   on_gpus<sm<90, row{32, 2}>, low{.min_memory_gb_per_second = 2000}>>() ==
                  table_error::shared_gpus);
    // Rows of different architectures may overlap: the newer one is used.
    static_assert(find_table_error<sm<80, row{32, 1}>, on_gpus<sm<90, row{32, 1}>, low{.max_sms = 100}>,
                                   on_gpus<sm<100, row{32, 2}>, low{.max_sms = 100}>>() == table_error::none);
    static_assert(find_table_error<sm<80, row{32, 1}>, on_gpus<sm<90, row{32, 1}>>>() == table_error::empty_range);
    static_assert(find_table_error<on_gpus<sm<90, row{32, 1}>, low{.min_sms = 5, .max_sms = 4}>>() ==
                  table_error::empty_range);
    static_assert(find_table_error<on_gpus<sm<90, row{32, 1}>, low{.max_sms = 4}>, sm<90, row{32, 2}>>() ==
                  table_error::not_ascending);
    // Scaled rows are for the same GPUs.
    using wide = by_type<double, void, element_bytes<4, 0, two>>;
    EXPECT_EQ(wide::gpus[1][0].max_sms, 100);
    EXPECT_EQ(wide::rows.size(), 3u);
}

TEST(launch_box_rows, the_order_of_a_table)
{
    for (std::size_t i = 0; i < architectures.size(); ++i)
        for (std::size_t j = 0; j < architectures.size(); ++j)
            EXPECT_EQ(rank_of(cc(architectures[i])) < rank_of(cc(architectures[j])), i < j)
                << architectures[i] << ' ' << architectures[j];
}

TEST(launch_box_rows, a_launch_bound_carries_every_architecture)
{
    std::set<int> seen{probe_value_of({})};
    EXPECT_EQ(*seen.begin(), 1);
    for (const std::string& name : architectures) {
        const int value = probe_value_of(cc(name));
        EXPECT_EQ(architecture_of_probe(value), cc(name)) << name;
        EXPECT_LE(value, 1024) << name;
        EXPECT_TRUE(seen.insert(value).second) << name;
    }
    EXPECT_EQ(probe_value_of(cc("90")), 90);
    EXPECT_EQ(probe_value_of(cc("90a")), 346);
    EXPECT_EQ(probe_value_of(cc("100f")), 612);
    // Values that no probe has are decoded as an architecture that is in no list.
    for (int other : {0, 1, 255, 256, 1024, 1025})
        EXPECT_LT(find_sm_limits(architecture_of_probe(other)), sm_limits_table.data());
}

struct sm_figures {
    const char* name;
    int min_blocks_of_32, min_blocks_of_1024;  // the largest that ptxas accepts
    std::int64_t shared_of_block;              // the maximum in the CUDA Programming Guide
    std::int64_t shared_of_two;                // of two resident blocks: half of the SM's, minus the reserve
};
constexpr sm_figures figures_of_sms[] = {
    {"75", 16, 1, 65536, 32768},     {"80", 32, 2, 166912, 82944},   {"86", 16, 1, 101376, 50176},
    {"90", 32, 2, 232448, 115712},   {"90a", 32, 2, 232448, 115712}, {"100", 32, 2, 232448, 115712},
    {"100f", 32, 2, 232448, 115712}, {"120", 24, 1, 101376, 50176},
};

row_figures with(const row& given, std::int64_t shared = 0)
{
    row_figures figures = figures_of(given, {});
    figures.dynamic_shared_bytes = shared;
    return figures;
}

TEST(launch_box_rows, the_largest_legal_value_is_accepted_and_one_more_is_not)
{
    using enum row_error;
    for (const sm_figures& sm : figures_of_sms) {
        SCOPED_TRACE(sm.name);
        const auto error = [&](const row_figures& figures) { return find_row_error(figures, cc(sm.name)); };
        EXPECT_EQ(error(with({1, 1})), none);
        EXPECT_EQ(error(with({1024, 1})), none);
        EXPECT_EQ(error(with({0, 1})), threads);
        EXPECT_EQ(error(with({-32, 1})), threads);
        EXPECT_EQ(error(with({1025, 1})), threads);
        EXPECT_EQ(error(with({32, 0})), items);

        row_figures tiled = with({32, 1});
        tiled.tile = 0;
        EXPECT_EQ(error(tiled), tile);
        tiled.tile = 1;
        EXPECT_EQ(error(tiled), none);

        EXPECT_EQ(error(with({32, 1, -1})), negative);
        EXPECT_EQ(error(with({32, 1}, -1)), negative);
        EXPECT_EQ(error(with({32, 1, sm.min_blocks_of_32})), none);
        EXPECT_EQ(error(with({32, 1, sm.min_blocks_of_32 + 1})), min_blocks_dropped);
        EXPECT_EQ(error(with({1024, 1, sm.min_blocks_of_1024})), none);
        EXPECT_EQ(error(with({1024, 1, sm.min_blocks_of_1024 + 1})), min_blocks_dropped);
        EXPECT_EQ(error(with({32, 1, 2147483647})), min_blocks_dropped);

        EXPECT_EQ(error(with({32, 1}, sm.shared_of_block)), none);
        EXPECT_EQ(error(with({32, 1, 1}, sm.shared_of_block)), none);
        EXPECT_EQ(error(with({32, 1}, sm.shared_of_block + 1)), shared_of_block);
        EXPECT_EQ(error(with({32, 1}, std::int64_t{1} << 62)), shared_of_block);
        EXPECT_EQ(error(with({32, 1, 2}, sm.shared_of_two)), none);
        EXPECT_EQ(error(with({32, 1, 2}, sm.shared_of_two + 1)), shared_of_min_blocks);
    }
    EXPECT_EQ(find_row_error(with({32, 1}), {.major = 9, .minor = 9}), unknown_architecture);
    EXPECT_EQ(find_row_error(with({32, 1}), {}), unknown_architecture);
    // row_error::threads_of_sm only occurs on an SM with fewer than 1,024 threads, which does not exist yet.
    for (const sm_limits& limits : sm_limits_table) EXPECT_GE(limits.threads_per_sm, 1024);
}

TEST(launch_box_rows, the_first_error_is_named)
{
    using enum row_error;
    row_figures all = with({2000, 0, -1}, -1);
    EXPECT_EQ(find_row_error(all, cc("90")), threads);
    all.threads = 1024;
    EXPECT_EQ(find_row_error(all, cc("90")), items);
    all.items = 1;
    EXPECT_EQ(find_row_error(all, cc("90")), tile);
    all.tile = 1;
    EXPECT_EQ(find_row_error(all, cc("90")), negative);
    all.min_blocks = 3, all.dynamic_shared_bytes = 1 << 30;
    EXPECT_EQ(find_row_error(all, cc("90")), min_blocks_dropped);
    all.min_blocks = 2;
    EXPECT_EQ(find_row_error(all, cc("90")), shared_of_block);
    all.dynamic_shared_bytes = 200000;
    EXPECT_EQ(find_row_error(all, cc("90")), shared_of_min_blocks);
}

struct row_of_members {
    short threads;
    unsigned char items;
    int min_blocks = 0;
    unsigned dynamic_shared_bytes = 4000000000;
    std::size_t tile = 7;
};
struct row_of_functions {
    int threads, items, min_blocks = 0;
    constexpr std::size_t dynamic_shared_bytes() const { return static_cast<std::size_t>(threads) * 8; }
    constexpr int tile() const { return threads * items * 2; }
};

TEST(launch_box_rows, shared_memory_and_tile_are_members_or_functions_or_neither)
{
    EXPECT_EQ(figures_of(row_of_members{256, 200}, cc("90")), (row_figures{cc("90"), 256, 200, 0, 4000000000, 7}));
    EXPECT_EQ(figures_of(row_of_functions{256, 3, 2}, {}), (row_figures{{}, 256, 3, 2, 2048, 1536}));
    EXPECT_EQ(figures_of(row{1024, 2147483647}, {}).tile, 1024 * std::int64_t{2147483647});
    EXPECT_EQ(figures_of(row{32, 1}, {}).dynamic_shared_bytes, 0);
}

TEST(launch_box_rows, scaled_rows_are_odd_and_no_larger)
{
    for (int items = 1; items <= 70; ++items)
        for (std::int64_t from = 1; from <= 24; ++from)
            for (std::int64_t to = 1; to <= 40; ++to) {
                const int result = scaled(row{256, items, 2}, from, to).items;
                if (from == to) {
                    ASSERT_EQ(result, items);
                    continue;
                }
                ASSERT_GE(result, 1);
                ASSERT_EQ(result % 2, 1) << items << ' ' << from << ' ' << to;
                ASSERT_TRUE(result == 1 || result * to <= items * from);
                ASSERT_GT((result + 2) * to, items * from);  // the next odd number would be larger
            }
    EXPECT_EQ(scaled(row{256, 15, 2}, 4, 8), (row{256, 7, 2}));
    EXPECT_EQ(scaled(row{256, 16, 2}, 4, 4), (row{256, 16, 2}));  // measured for this size
    EXPECT_EQ(scaled(row{256, 4, 2}, 4, 2), (row{256, 7, 2}));
    EXPECT_EQ(scaled(row{256, 4, 2}, 4, 100), (row{256, 1, 2}));
}

struct row_of_powers {
    int threads, items, min_blocks = 0;
    static constexpr int fitting_items(int items) { return items < 2 ? 2 : items < 4 ? 2 : 4; }

    friend constexpr bool operator==(const row_of_powers&, const row_of_powers&) = default;
};

// A row that needs no scaling is not changed; the code that uses it checks it.
TEST(launch_box_rows, scaled_rows_are_adjusted_as_their_type_specifies)
{
    EXPECT_EQ(scaled(row_of_powers{256, 8}, 4, 8), (row_of_powers{256, 2}));
    EXPECT_EQ(scaled(row_of_powers{256, 16}, 4, 8), (row_of_powers{256, 4}));
    EXPECT_EQ(scaled(row_of_powers{256, 8}, 4, 100), (row_of_powers{256, 2}));
    EXPECT_EQ(scaled(row_of_powers{256, 7}, 4, 4), (row_of_powers{256, 7}));
}

template <int Bytes>
struct bytes {
    char of[Bytes];
};
template <int Items>
using box_with = launch_box<sm<80, row{256, Items}>, sm<90, row{512, Items + 2, 2}>>;
template <class Key, class Value>
using chosen = by_type<Key, Value, element_bytes<4, 0, box_with<15>>, element_bytes<8, 0, box_with<9>>,
                       element_bytes<4, 4, box_with<11>>, element_bytes<8, 8, box_with<5>>>;
template <class Box>
int first_items = Box::rows[0].items;

TEST(launch_box_rows, tables_by_type)
{
    static_assert(std::is_same_v<chosen<int, void>, box_with<15>>);
    static_assert(std::is_same_v<chosen<double, void>, box_with<9>>);
    static_assert(std::is_same_v<chosen<unsigned, float>, box_with<11>>);
    static_assert(std::is_same_v<chosen<long, double>, box_with<5>>);
    // The next smaller table of its kind, scaled.
    EXPECT_EQ((first_items<chosen<bytes<6>, void>>), 9);   // 15 * 4 / 6 = 10
    EXPECT_EQ((first_items<chosen<bytes<12>, void>>), 5);  // 9 * 8 / 12 = 6
    EXPECT_EQ((first_items<chosen<bytes<16>, void>>), 3);  // 9 * 8 / 16 = 4
    EXPECT_EQ((first_items<chosen<int, double>>), 7);      // 11 * 8 / 12
    EXPECT_EQ((first_items<chosen<double, int>>), 7);      // the same bytes
    EXPECT_EQ((first_items<chosen<int, bytes<16>>>), 3);   // 5 * 16 / 20 = 4
    EXPECT_EQ((first_items<chosen<char, bytes<7>>>), 11);  // other sizes with the same bytes: not scaled
    // The smallest table of its kind, if all are larger.
    EXPECT_EQ((first_items<chosen<char, void>>), 59);   // 15 * 4
    EXPECT_EQ((first_items<chosen<short, void>>), 29);  // 15 * 2 = 30
    EXPECT_EQ((first_items<chosen<char, char>>), 43);   // 11 * 4 = 44
    // Tables of the other kind, if there is none of its own.
    using keys_only = by_type<int, int, element_bytes<8, 0, box_with<9>>, element_bytes<4, 0, box_with<15>>>;
    static_assert(std::is_same_v<keys_only, box_with<9>>);
    using pairs_only = by_type<short, void, element_bytes<4, 4, box_with<11>>>;
    EXPECT_EQ(first_items<pairs_only>, 43);
    // All other members are kept, and each row has its own grain.
    using wide = chosen<bytes<16>, void>;
    EXPECT_EQ(wide::rows[1], (row{512, 5, 2}));  // 11 * 8 / 16
    EXPECT_EQ(wide::architectures, (box_with<9>::architectures));
    // A type of a megabyte is just a type above 8 bytes.
    EXPECT_EQ(
        (first_items<
            by_type<bytes<3000000>, void, element_bytes<8, 0, box_with<9>>, element_bytes<4000000, 0, box_with<15>>>>),
        1);
}

using small_box = launch_box<sm<80, row{64, 4}>>;
using sizes = by_size<upto<0, only<row{32, 1}>>, upto<1000, small_box>,
                      upto<(std::int64_t{1} << 40), strict<small_box>>, otherwise<box_with<15>>>;

template <class Tuning, std::size_t Class>
using class_box = typename classes_of<Tuning>::template box<Class>;

// The class of each size; launch_box_launch_test.cu tests the choice in a launch.
TEST(launch_box_rows, classes_by_size)
{
    using classes = classes_of<sizes>;
    static_assert(classes::count == 4 && classes::depends_on_size);
    EXPECT_EQ(classes::max_elements(0), 0);
    EXPECT_EQ(classes::max_elements(1), 1000);
    EXPECT_EQ(classes::max_elements(2), std::int64_t{1} << 40);
    EXPECT_EQ(classes::max_elements(3), std::numeric_limits<std::int64_t>::max());
    static_assert(std::is_same_v<class_box<sizes, 1>, small_box>);
    static_assert(std::is_same_v<class_box<sizes, 3>, box_with<15>>);
    static_assert(classes_of<small_box>::count == 1 && !classes_of<small_box>::depends_on_size);
    static_assert(std::is_same_v<class_box<small_box, 0>, small_box>);
}

// A name of its own keeps symbols and messages short.
struct named_box : box_with<15> {};
struct named_sizes : sizes {};
struct named_strict : strict<small_box> {};

TEST(launch_box_rows, nested_tables)
{
    // Scaling reaches the tables inside.
    using scaled_sizes = by_type<double, void, element_bytes<4, 0, sizes>>;
    static_assert(classes_of<scaled_sizes>::count == 4);
    EXPECT_EQ((class_box<scaled_sizes, 1>::rows[0]), (row{64, 1}));
    EXPECT_EQ((class_box<scaled_sizes, 3>::rows[0]), (row{256, 7}));
    static_assert(class_box<scaled_sizes, 2>::is_strict && !class_box<scaled_sizes, 1>::is_strict);
    static_assert(class_box<scaled_sizes, 0>::architectures[0] == compute_capability{});

    // `strict` applies to each class.
    using strict_sizes = strict<sizes>;
    static_assert(classes_of<strict_sizes>::count == 4 && classes_of<strict_sizes>::depends_on_size);
    static_assert(class_box<strict_sizes, 1>::is_strict && class_box<strict_sizes, 3>::is_strict);
    EXPECT_EQ((class_box<strict_sizes, 3>::rows[1]), (row{512, 17, 2}));
    using scaled_strict = by_type<double, void, element_bytes<4, 0, strict<sizes>>>;
    static_assert(class_box<scaled_strict, 3>::is_strict);
    EXPECT_EQ((class_box<scaled_strict, 3>::rows[0]), (row{256, 7}));

    // Tables in size classes that were chosen by type.
    using both = by_size<upto<10, chosen<int, void>>, otherwise<chosen<double, void>>>;
    static_assert(std::is_same_v<class_box<both, 1>, box_with<9>>);
}

TEST(launch_box_rows, a_struct_derived_from_a_table_is_a_table)
{
    static_assert(named_box::is_valid && std::is_same_v<named_box::row_type, row>);
    static_assert(std::is_same_v<class_box<named_box, 0>, named_box>);
    EXPECT_EQ(named_box::rows[static_cast<std::size_t>(select_row(places_of<named_box>(), cc("103a")))],
              (row{512, 17, 2}));
    EXPECT_TRUE((box_on_architecture<named_box, compute_capability{.major = 9}>::fits));
    static_assert(class_box<named_strict, 0>::is_strict);

    static_assert(classes_of<named_sizes>::count == 4);
    static_assert(std::is_same_v<class_box<named_sizes, 1>, small_box>);
    // Scaled like its base.
    EXPECT_EQ((by_type<double, void, element_bytes<4, 0, named_box>>::rows[0]), (row{256, 7}));
    using scaled_strict = by_type<double, void, element_bytes<4, 0, named_strict>>;
    static_assert(scaled_strict::is_strict);
    EXPECT_EQ(scaled_strict::rows[0], (row{64, 1}));
    EXPECT_EQ((class_box<by_type<double, void, element_bytes<4, 0, named_sizes>>, 3>::rows[0]), (row{256, 7}));
}

}  // namespace
}  // namespace launchbox::detail
