// A merge sort whose runs are sorted by insertion: how long should they be, and how many should be merged at once?
// CUTOFF and WAYS come from the compiler's command line, which `launchbox tune` varies.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#ifndef CUTOFF
#define CUTOFF 16
#endif
#ifndef WAYS
#define WAYS 2
#endif

namespace {

void insertion_sort(int* begin, int* end)
{
    for (int* from = begin; from < end; ++from) {
        const int value = *from;
        int* to = from;
        for (; to > begin && to[-1] > value; --to) *to = to[-1];
        *to = value;
    }
}

// Merges up to WAYS sorted runs of `run` values.
void merge_runs(const int* from, const int* end, std::ptrdiff_t run, int* to)
{
    const int* at[WAYS];
    const int* ends[WAYS];
    int runs = 0;
    for (; runs < WAYS && from < end; ++runs, from = ends[runs - 1]) {
        at[runs] = from;
        ends[runs] = from + std::min<std::ptrdiff_t>(run, end - from);
    }
    while (runs > 1) {
        int smallest = 0;
        for (int i = 1; i < runs; ++i)
            if (*at[i] < *at[smallest]) smallest = i;
        *to++ = *at[smallest]++;
        if (at[smallest] == ends[smallest]) {
            --runs;
            at[smallest] = at[runs];
            ends[smallest] = ends[runs];
        }
    }
    if (runs == 1) std::copy(at[0], ends[0], to);
}

void hybrid_sort(std::vector<int>& values)
{
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(values.size());
    std::vector<int> other(values.size());
    for (std::ptrdiff_t i = 0; i < size; i += CUTOFF)
        insertion_sort(values.data() + i, values.data() + std::min<std::ptrdiff_t>(size, i + CUTOFF));
    for (std::ptrdiff_t run = CUTOFF; run < size; run *= WAYS) {
        for (std::ptrdiff_t i = 0; i < size; i += run * WAYS)
            merge_runs(values.data() + i, values.data() + std::min(size, i + run * WAYS), run, other.data() + i);
        std::swap(values, other);
    }
}

}  // namespace

int main(int count, char** arguments)
{
    const long size = count > 1 ? std::atol(arguments[1]) : 100000;
    if (size < 1 || size > 100000000) {
        std::fprintf(stderr, "usage: sort [values, 1 to 100000000]\n");
        return 2;
    }
    std::mt19937 random(42);
    std::vector<int> input(static_cast<std::size_t>(size));
    for (int& number : input) number = static_cast<int>(random());
    std::vector<int> right = input;
    std::sort(right.begin(), right.end());

    std::vector<double> samples;
    std::uint64_t checksum = 0;
    for (int i = 0; i < 12; ++i) {
        std::vector<int> values = input;
        const auto begin = std::chrono::steady_clock::now();
        hybrid_sort(values);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
        if (values != right) {
            std::fprintf(stderr, "the result is not sorted\n");
            return 1;
        }
        if (i >= 2) samples.push_back(time.count());  // the first two warm the caches up
        checksum = 0;
        for (const int number : values) checksum = checksum * 31 + static_cast<std::uint32_t>(number);
    }
    std::printf("{\"time_ms\": [");
    for (std::size_t i = 0; i < samples.size(); ++i) std::printf("%s%.6f", i == 0 ? "" : ", ", samples[i]);
    std::printf("], \"checksum\": \"%016llx\"}\n", static_cast<unsigned long long>(checksum));
}
