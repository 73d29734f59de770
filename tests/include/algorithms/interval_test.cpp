// interval_expand and interval_move on the CPU, thread by thread, against loops.
#include "gpu_on_cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <launchbox/algorithms/detail/interval_expand.cuh>
#include <launchbox/algorithms/detail/interval_move.cuh>
#include <numeric>
#include <random>
#include <vector>

namespace launchbox::detail {
namespace {

struct workload {
    std::vector<std::int64_t> sizes;
    std::int64_t total() const { return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}); }
    template <class Offset>
    std::vector<Offset> offsets() const
    {
        std::vector<Offset> all;
        std::int64_t sum = 0;
        for (const std::int64_t size : sizes) {
            all.push_back(static_cast<Offset>(sum));
            sum += size;
        }
        return all;
    }
};

template <int bytes>
struct bytes_of_type {
    unsigned char data[bytes];
    friend bool operator==(const bytes_of_type&, const bytes_of_type&) = default;
};

template <class Element>
Element element_of(std::int64_t number)
{
    Element element;
    auto* const bytes = reinterpret_cast<unsigned char*>(&element);
    for (std::size_t i = 0; i < sizeof element; ++i)
        bytes[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(number * 2654435761 + 12345) >> (i % 4 * 8));
    return element;
}

template <class Layout>
std::int64_t tiles_of(std::int64_t total, std::int64_t intervals)
{
    return (total + Layout::weight * intervals + Layout::tile - 1) / Layout::tile;
}
// Shared memory starts with arbitrary values, and the memory after it is checked.
template <class Tile, class Run>
void run_tiles(std::int64_t total, std::int64_t intervals, unsigned order, const Run& run)
{
    using layout = typename Tile::layout;
    constexpr std::size_t bytes = static_cast<std::size_t>(layout::shape.bytes());
    std::vector<wide_word> shared(bytes / 16 + 4);
    auto* const block = reinterpret_cast<unsigned char*>(shared.data());
    const double rate = static_cast<double>(intervals) / static_cast<double>(total + layout::weight * intervals);
    gpu_on_cpu::run(
        static_cast<unsigned>(tiles_of<layout>(total, intervals)), layout::threads,
        [&] {
            if (threadIdx.x == 0) std::fill_n(block, bytes + 64, static_cast<unsigned char>(0xa5));
            __syncthreads();
            run(block, rate);
            __syncthreads();
            if (threadIdx.x == 0 &&
                std::any_of(block + bytes, block + bytes + 64, [](unsigned char byte) { return byte != 0xa5; }))
                throw gpu_on_cpu::failure("written behind shared memory");
        },
        order);
}

template <int threads, int items, class Element, class Offset = std::int64_t>
void check_expand(const workload& given, int misaligned = 0, unsigned order = 0)
{
    using tile = expand_tile<threads, items, const Element*, const Offset*, Element*>;
    const std::int64_t intervals = static_cast<std::int64_t>(given.sizes.size()), total = given.total();
    if (intervals == 0 || total == 0) return;
    std::vector<Element> values, expected;
    for (std::int64_t i = 0; i < intervals; ++i) {
        values.push_back(element_of<Element>(i));
        expected.insert(expected.end(), static_cast<std::size_t>(given.sizes[static_cast<std::size_t>(i)]),
                        values.back());
    }
    const std::vector<Offset> offsets = given.offsets<Offset>();
    const Element guard = element_of<Element>(-7);
    std::vector<Element> memory(static_cast<std::size_t>(total) + 512, guard);
    std::size_t before = (128 - reinterpret_cast<std::uintptr_t>(memory.data()) % 128) % 128 / sizeof(Element);
    before += static_cast<std::size_t>(misaligned) + 128;
    run_tiles<tile>(total, intervals, order, [&](unsigned char* block, double rate) {
        tile::run(block, values.data(), offsets.data(), intervals, memory.data() + before, total, rate, blockIdx.x);
    });
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const bool inside = i >= before && i < before + expected.size();
        ASSERT_TRUE(memory[i] == (inside ? expected[i - before] : guard))
            << "output " << static_cast<std::int64_t>(i - before) << " of " << total << ", " << intervals
            << " intervals";
    }
}

// Each interval gets its own place, in another order, with gaps in between.
std::vector<std::int64_t> places_for(const workload& given, unsigned seed, std::int64_t most_gap)
{
    std::vector<std::size_t> order(given.sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::int64_t> places(order.size());
    std::int64_t at = 0;
    for (const std::size_t i : order) {
        places[i] = at;
        at += given.sizes[i] + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most_gap + 1));
    }
    return places;
}

enum class sides { move, gather, scatter };

template <int threads, int items, sides which, class Element, class Offset = std::int64_t>
void check_move(const workload& given, int misaligned_in = 0, int misaligned_out = 0, unsigned order = 0)
{
    const std::int64_t intervals = static_cast<std::int64_t>(given.sizes.size()), total = given.total();
    if (intervals == 0 || total == 0) return;
    const std::vector<Offset> offsets = given.offsets<Offset>();
    std::vector<std::int64_t> gather = places_for(given, 3, 5), scatter = places_for(given, 4, 2);
    if (which == sides::scatter) gather.assign(offsets.begin(), offsets.end());
    if (which == sides::gather) scatter.assign(offsets.begin(), offsets.end());
    const std::size_t room = static_cast<std::size_t>(total + 6 * intervals) + 64;
    std::vector<Element> in, out(room, element_of<Element>(-7));
    for (std::size_t i = 0; i < room; ++i) in.push_back(element_of<Element>(static_cast<std::int64_t>(i)));
    std::vector<Element> expected = out;
    Element* const to = out.data() + misaligned_out;
    const Element* const from = in.data() + misaligned_in;
    for (std::size_t i = 0; i < gather.size(); ++i)
        std::copy_n(from + gather[i], given.sizes[i], expected.data() + misaligned_out + scatter[i]);

    const auto run = [&](auto gathers, auto scatters) {
        using tile =
            move_tile<threads, items, decltype(gathers), decltype(scatters), const Offset*, const Element*, Element*>;
        run_tiles<tile>(total, intervals, order, [&](unsigned char* block, double rate) {
            tile::run(block, gathers, scatters, offsets.data(), intervals, from, to, total, rate, blockIdx.x);
        });
    };
    const std::int64_t *const gathers = gather.data(), *const scatters = scatter.data();
    if constexpr (which == sides::move) run(gathers, scatters);
    if constexpr (which == sides::gather) run(gathers, side_by_side{});
    if constexpr (which == sides::scatter) run(side_by_side{}, scatters);
    ASSERT_TRUE(out == expected) << total << " outputs, " << intervals << " intervals";
}

std::vector<workload> workloads(std::int64_t about)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(about));
    const auto below = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    const auto repeat = [](std::int64_t count, std::int64_t size) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(count), size);
    };
    std::vector<workload> all{{{about}},
                              {repeat(about, 1)},
                              {repeat(about / 4 + 1, 4)},
                              {repeat(about / 25 + 1, 25)},
                              {repeat(about / 1000 + 1, 1000)}};
    workload empties_first{repeat(about, 0)}, empties_last{{about}}, around{repeat(about, 0)}, mixed, rare, grows;
    empties_first.sizes.push_back(about);
    empties_last.sizes.resize(static_cast<std::size_t>(about) + 1);
    around.sizes.push_back(5);
    around.sizes.resize(around.sizes.size() + static_cast<std::size_t>(about));
    around.sizes.push_back(about);
    for (std::int64_t sum = 0; sum < about;) sum += mixed.sizes.emplace_back(below(3) == 0 ? below(200) : below(4));
    for (std::int64_t i = 0; i < about; ++i) rare.sizes.push_back(below(100) == 0 ? below(50) : 0);
    for (std::int64_t sum = 0; sum < about;)
        sum += grows.sizes.emplace_back(static_cast<std::int64_t>(grows.sizes.size()));
    for (workload& input : std::vector<workload>{empties_first, empties_last, around, mixed, rare, grows})
        all.push_back(input);
    return all;
}

TEST(interval_expand, any_intervals)
{
    for (const std::int64_t about : {1, 2, 31, 700, 3000, 9001})
        for (const workload& input : workloads(about)) {
            check_expand<64, 16, int>(input, 0, 1);
            check_expand<128, 4, int, int>(input, 3);
        }
}

TEST(interval_expand, all_sizes)
{
    std::mt19937 random(5);
    for (std::int64_t total = 1; total <= 2000; total += total < 300 ? 1 : 7) {
        workload input;
        for (std::int64_t left = total; left > 0;) {
            const std::int64_t size = std::min(left, static_cast<std::int64_t>(random() % 40));
            input.sizes.push_back(size);
            left -= size;
        }
        check_expand<64, 8, int, unsigned>(input, static_cast<int>(total % 32));
    }
}

TEST(interval_expand, any_type)
{
    for (const workload& input : workloads(2500)) {
        for (const int misaligned : {0, 5, 127}) check_expand<64, 32, std::uint8_t>(input, misaligned);
        check_expand<64, 16, std::uint16_t>(input, 63);
        check_expand<64, 9, bytes_of_type<3>>(input, 1);
        check_expand<64, 7, std::uint64_t>(input, 15);
        check_expand<64, 5, bytes_of_type<12>>(input, 1);
        check_expand<64, 3, bytes_of_type<16>>(input, 0);
        check_expand<64, 1, bytes_of_type<32>>(input, 0);
        check_expand<64, 3, bytes_of_type<24>>(input, 1);
    }
}

TEST(interval_move, any_intervals)
{
    for (const std::int64_t about : {1, 2, 31, 700, 3000, 9001})
        for (const workload& input : workloads(about)) {
            check_move<64, 16, sides::move, int>(input, 1, 2, 1);
            check_move<128, 4, sides::gather, int, int>(input, 3, 3);
            check_move<64, 9, sides::scatter, std::uint64_t, unsigned>(input, 0, 1);
        }
}

TEST(interval_move, any_type)
{
    for (const workload& input : workloads(2500)) {
        check_move<64, 32, sides::move, std::uint8_t>(input, 1, 5);
        check_move<64, 16, sides::gather, std::uint16_t>(input, 3, 3);
        check_move<64, 9, sides::scatter, bytes_of_type<3>>(input, 1, 0);
        check_move<64, 5, sides::move, bytes_of_type<12>>(input, 1, 1);
        check_move<64, 3, sides::gather, bytes_of_type<16>>(input, 0, 1);
        check_move<64, 1, sides::move, bytes_of_type<32>>(input, 2, 1);
    }
}

TEST(interval_cut, the_search_finds_what_a_loop_finds_with_any_guess)
{
    for (const workload& input : workloads(1500)) {
        const std::vector<int> offsets = input.offsets<int>();
        const auto intervals = static_cast<std::int64_t>(offsets.size());
        const std::int64_t total = input.total(), end = total + 2 * intervals;
        std::vector<interval_cut> found(static_cast<std::size_t>(end) + 1);
        for (const std::int64_t guess : {std::int64_t{-5}, std::int64_t{0}, intervals / 3, intervals, intervals + 99}) {
            gpu_on_cpu::run(1, 32, [&] {
                for (std::int64_t place = 0; place <= end; place += 1 + end / 300)
                    found[static_cast<std::size_t>(place)] = cut_at<2>(place, offsets.data(), intervals, total, guess);
            });
            for (std::int64_t place = 0; place <= end; place += 1 + end / 300) {
                std::int64_t before = 0;
                while (before < intervals && offsets[static_cast<std::size_t>(before)] + 2 * before < place) ++before;
                const std::int64_t begun = before == 0 ? 0 : offsets[static_cast<std::size_t>(before) - 1];
                const interval_cut& cut = found[static_cast<std::size_t>(place)];
                ASSERT_EQ(cut.interval, before) << place;
                ASSERT_EQ(cut.output, std::min(std::max(begun, place - 2 * before), total)) << place;
            }
        }
    }
}

}  // namespace
}  // namespace launchbox::detail
