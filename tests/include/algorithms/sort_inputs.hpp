// Inputs of sorts, each a function of the index: host and device can both compute them, so a check needs no copy.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#ifdef __CUDACC__
#define SORT_INPUTS_HD __host__ __device__
#else
#define SORT_INPUTS_HD
#endif

namespace sort_inputs {

enum class kind { random, sorted, reversed, equal, few, sawtooth, organ_pipe, nearly_sorted, appended, nearby };
constexpr kind kinds[] = {kind::random, kind::sorted,   kind::reversed,   kind::equal,
                          kind::few,    kind::sawtooth, kind::organ_pipe, kind::nearly_sorted};
/// Only for benchmarks: sorted except for the last hundredth; each key less than 64 positions from its final one.
constexpr kind more_kinds[] = {kind::appended, kind::nearby};
constexpr const char* names[] = {"random",   "sorted",     "reversed",      "equal",    "few",
                                 "sawtooth", "organ pipe", "nearly sorted", "appended", "nearby"};
inline const char* name(kind of)
{
    return names[static_cast<int>(of)];
}

SORT_INPUTS_HD constexpr std::uint64_t hash(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// Element i of n, as a number with significant upper bits; `key` turns it into a key in the same order.
SORT_INPUTS_HD constexpr std::uint64_t element(kind of, std::uint64_t i, std::uint64_t n, std::uint64_t seed = 0)
{
    const std::uint64_t step = ~std::uint64_t{0} / (n == 0 ? 1 : n);
    const std::uint64_t tooth = n < 1000 ? 7 : 1000, near = i / 64 * 64 + hash(i + (seed << 40)) % 64;
    switch (of) {
        case kind::sorted:
            return i * step;
        case kind::reversed:
            return (n - 1 - i) * step;
        case kind::equal:
            return std::uint64_t{1} << 62;
        case kind::few:
            return hash(i + (seed << 40)) % 5 << 60;
        case kind::sawtooth:
            return i % tooth * (~std::uint64_t{0} / tooth);
        case kind::organ_pipe:
            return (i < n / 2 ? i : n - 1 - i) * step;
        case kind::nearly_sorted:
            return (hash(i + (seed << 40)) % 64 == 0 ? hash(i) % n : i) * step;
        case kind::appended:
            return i < n - n / 100 ? i * step : hash(i + (seed << 40));
        case kind::nearby:
            return (near < n ? near : i) * step;
        default:
            return hash(i + (seed << 40));
    }
}

/// A key from the upper bits, in the same order: any integer type, and integer-valued floating-point numbers.
template <class Key>
SORT_INPUTS_HD constexpr Key key(std::uint64_t of)
{
    if constexpr (std::is_same_v<Key, float>)
        return static_cast<float>(static_cast<std::int32_t>(of >> 40) - (1 << 23));
    else if constexpr (std::is_same_v<Key, double>)
        return static_cast<double>(static_cast<std::int64_t>(of >> 11) - (std::int64_t{1} << 52));
    else if constexpr (sizeof(Key) > 8)  // __int128
        return static_cast<Key>(static_cast<std::int64_t>(of ^ std::uint64_t{1} << 63)) *
               static_cast<Key>(std::uint64_t{1} << 50);
    else if constexpr (Key(-1) < Key(0))
        return static_cast<Key>(static_cast<std::int64_t>(of ^ std::uint64_t{1} << 63) >> (64 - 8 * sizeof(Key)));
    else
        return static_cast<Key>(of >> (64 - 8 * sizeof(Key)));
}

/// The adversary of Berney and Sitchinava (IPDPS 2020) for pairwise merge sorts whose threads merge `grain` elements
/// each from shared memory with 32 banks of one element, and whose blocks have a power of two of warps: element i of n
/// is a rank, 0 to n - 1. Each merge is undone, starting from the sorted sequence, so that in every step as many
/// threads of a warp as possible read the same bank. For CUB's 4-byte keys the grain is 17.
class conflicts {
public:
    static constexpr int most_grain = 32;

    conflicts(int grain, std::int64_t n) : half_(std::int64_t{16} * grain), n_(n)
    {
        // If a warp merges alone, the second run starts half a warp's output after the first, otherwise at bank 0.
        plan(grain, 16 * grain % 32, patterns_[0]);
        plan(grain, 0, patterns_[1]);
    }

    SORT_INPUTS_HD std::int64_t operator()(std::int64_t i) const
    {
        std::int64_t begin = i / half_ * half_, at = i - begin;  // of the sorted run with the element
        for (std::int64_t run = half_; run < n_; run *= 2) {     // merges runs of this size
            const std::int64_t pair = begin / (2 * run) * (2 * run), middle = pair + run;
            if (middle >= n_) continue;  // a run without a partner
            const std::int64_t end = middle + run < n_ ? middle + run : n_;
            const bool second = begin >= middle;
            const pattern& chosen = patterns_[run == half_ ? 0 : 1];
            const std::int64_t place = at / half_ * (2 * half_) + chosen.place[second ? 1 : 0][at % half_];
            const std::int64_t before = place - at, others = second ? run : end - middle;  // in the other run
            at += before < others ? before : others;
            begin = pair;
        }
        return begin + at;
    }

private:
    struct pattern {
        std::uint16_t place[2][16 * most_grain];  // in a warp's output, of the j-th element of the first, second run
    };

    static void plan(int grain, int second_bank, pattern& made)
    {
        const auto half = 16 * static_cast<std::size_t>(grain);
        struct choice {
            int score = -1, from_first = 0;
            bool first_begins = true;
        };
        // After each thread, for each number of elements that the threads so far took from the first run.
        std::vector<std::vector<choice>> best(33, std::vector<choice>(half + 1));
        best[0][0].score = 0;
        for (int thread = 0; thread < 32; ++thread)
            for (int first = 0; first <= thread * grain && first <= 16 * grain; ++first) {
                const int score = best[static_cast<std::size_t>(thread)][static_cast<std::size_t>(first)].score;
                const int second = thread * grain - first;
                if (score < 0) continue;
                for (int x = 0; x <= grain; ++x) {
                    if (first + x > 16 * grain || second + grain - x > 16 * grain) continue;
                    choice& to = best[static_cast<std::size_t>(thread) + 1]
                                     [static_cast<std::size_t>(first) + static_cast<std::size_t>(x)];
                    for (const bool first_begins : {true, false}) {
                        const int more = aligned(first, second + second_bank, x, grain - x, first_begins);
                        if (score + more > to.score) to = {score + more, x, first_begins};
                    }
                }
            }
        int first = 16 * grain, second = first;
        for (int thread = 31; thread >= 0; --thread) {
            const choice& each = best[static_cast<std::size_t>(thread) + 1][static_cast<std::size_t>(first)];
            const int x = each.from_first, y = grain - x, begin = thread * grain;
            first -= x;
            second -= y;
            for (int j = 0; j < x; ++j)
                made.place[0][first + j] = static_cast<std::uint16_t>(begin + j + (each.first_begins ? 0 : y));
            for (int j = 0; j < y; ++j)
                made.place[1][second + j] = static_cast<std::uint16_t>(begin + j + (each.first_begins ? x : 0));
        }
    }

    /// Elements that a thread reads from bank `step` in its step: these collide across threads.
    static int aligned(int first, int second, int x, int y, bool first_begins)
    {
        const int first_step = first_begins ? 0 : y, second_step = first_begins ? x : 0;
        return (first % 32 == first_step % 32 ? x : 0) + (second % 32 == second_step % 32 ? y : 0);
    }

    std::int64_t half_, n_;
    pattern patterns_[2];
};

}  // namespace sort_inputs
