// merge_tiles of examples/merge.cu merges two sorted arrays of 2^24 keys. Registers limit it: a cap between two
// multiples of 8 causes no spills.
#define main main_of_the_example
#include "../../examples/merge.cu"
#undef main

#include "timed.cuh"

int main()
{
    constexpr int threads = 256, items = 23, count = 1 << 24;
    std::vector<int> a(count), b(count), expected(2 * count);
    std::mt19937 random(1);
    const auto rising = [&, key = 0]() mutable { return key += static_cast<int>(random() % 100); };
    std::generate(a.begin(), a.end(), rising);
    std::generate(b.begin(), b.end(), rising);
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
    device_array<int> first(a), second(b), merged(expected.size());
    const int blocks = (2 * count + threads * items - 1) / (threads * items);
    time_algorithm([&](void* temporary, std::size_t& bytes) {
        bytes = 0;
        if (temporary == nullptr) return cudaSuccess;
        merge_tiles<int, threads, items><<<blocks, threads>>>(first.data(), count, second.data(), count, merged.data());
        return cudaGetLastError();
    });
    require(merged.values() == expected, "merge");
}
