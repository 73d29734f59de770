// interval_expand and interval_move on the CPU, thread by thread, against loops.
#include "gpu_on_cpu.hpp"

#include <gtest/gtest.h>

#include <launchbox/algorithms/detail/interval_expand.cuh>
#include <numeric>
#include <random>
#include <vector>

namespace launchbox::detail {
namespace {

struct problem {
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

unsigned char* aligned(std::vector<unsigned char>& memory)
{
    return memory.data() + (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16;
}

template <int threads, int items, class Element, class Offset = std::int64_t>
void check_expand(const problem& given, int misaligned = 0, unsigned order = 0)
{
    using tile = expand_tile<threads, items, const Element*, const Offset*, Element*>;
    const std::int64_t intervals = static_cast<std::int64_t>(given.sizes.size()), total = given.total();
    if (intervals == 0 || total == 0) return;
    std::vector<Element> values, expected;
    for (std::int64_t i = 0; i < intervals; ++i) {
        values.push_back(element_of<Element>(i));
        expected.insert(expected.end(), static_cast<std::size_t>(given.sizes[static_cast<std::size_t>(i)]), values.back());
    }
    const std::vector<Offset> offsets = given.offsets<Offset>();
    const Element guard = element_of<Element>(-7);
    std::vector<Element> memory(static_cast<std::size_t>(total) + 64, guard);
    std::size_t before = (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16 / sizeof(Element);
    before += static_cast<std::size_t>(misaligned) + 16;
    std::vector<unsigned char> shared(static_cast<std::size_t>(tile::layout::shape.bytes()) + 16 + 64);
    unsigned char* const block = aligned(shared);
    const double rate = static_cast<double>(intervals) / static_cast<double>(total + tile::layout::weight * intervals);
    gpu_on_cpu::run(
        static_cast<unsigned>(tiles_of<typename tile::layout>(total, intervals)), threads,
        [&] {
            if (threadIdx.x == 0) std::fill(block, block + tile::layout::shape.bytes() + 64 - 16, 0xa5);
            __syncthreads();
            tile::run(block, values.data(), offsets.data(), intervals, memory.data() + before, total, rate, blockIdx.x);
            __syncthreads();
            if (threadIdx.x == 0)
                for (int i = 0; i < 48; ++i)
                    if (block[tile::layout::shape.bytes() + i] != 0xa5) throw gpu_on_cpu::failure("beyond shared memory");
        },
        order);
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const bool inside = i >= before && i < before + expected.size();
        ASSERT_TRUE(memory[i] == (inside ? expected[i - before] : guard))
            << "output " << static_cast<std::int64_t>(i - before) << " of " << total << ", " << intervals << " intervals";
    }
}

std::vector<problem> problems(std::int64_t about)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(about));
    const auto below = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)); };
    const auto repeat = [](std::int64_t count, std::int64_t size) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(count), size);
    };
    std::vector<problem> all{{{about}}, {repeat(about, 1)}, {repeat(about / 4 + 1, 4)}, {repeat(about / 25 + 1, 25)},
                             {repeat(about / 1000 + 1, 1000)}};
    problem empties_first{repeat(about, 0)}, empties_last{{about}}, around{repeat(about, 0)}, mixed, rare, grows;
    empties_first.sizes.push_back(about);
    empties_last.sizes.resize(static_cast<std::size_t>(about) + 1);
    around.sizes.push_back(5);
    around.sizes.resize(around.sizes.size() + static_cast<std::size_t>(about));
    around.sizes.push_back(about);
    for (std::int64_t sum = 0; sum < about;) sum += mixed.sizes.emplace_back(below(3) == 0 ? below(200) : below(4));
    for (std::int64_t i = 0; i < about; ++i) rare.sizes.push_back(below(100) == 0 ? below(50) : 0);
    for (std::int64_t sum = 0; sum < about;) sum += grows.sizes.emplace_back(static_cast<std::int64_t>(grows.sizes.size()));
    for (problem& each : std::vector<problem>{empties_first, empties_last, around, mixed, rare, grows}) all.push_back(each);
    return all;
}

TEST(interval_expand, any_intervals)
{
    for (const std::int64_t about : {1, 2, 31, 700, 3000, 9001})
        for (const problem& each : problems(about)) {
            check_expand<64, 16, int>(each, 0, 1);
            check_expand<128, 4, int, int>(each, 3);
        }
}

TEST(interval_expand, all_sizes)
{
    std::mt19937 random(5);
    for (std::int64_t total = 1; total <= 2000; total += total < 300 ? 1 : 7) {
        problem each;
        for (std::int64_t left = total; left > 0;) {
            const std::int64_t size = std::min<std::int64_t>(left, random() % 40);
            each.sizes.push_back(size);
            left -= size;
        }
        check_expand<64, 8, int, unsigned>(each, static_cast<int>(total % 4));
    }
}

TEST(interval_expand, any_type)
{
    for (const problem& each : problems(2500)) {
        check_expand<64, 32, std::uint8_t>(each, 5);
        check_expand<64, 16, std::uint16_t>(each, 3);
        check_expand<64, 9, bytes_of_type<3>>(each, 1);
        check_expand<64, 7, std::uint64_t>(each, 1);
        check_expand<64, 5, bytes_of_type<12>>(each, 1);
        check_expand<64, 3, bytes_of_type<16>>(each, 0);
        check_expand<64, 1, bytes_of_type<32>>(each, 0);
        check_expand<64, 3, bytes_of_type<24>>(each, 1);
    }
}

}  // namespace
}  // namespace launchbox::detail
