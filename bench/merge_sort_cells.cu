// launchbox::merge_sort against cub::DeviceMergeSort::StableSortKeys and StableSortPairs, cell by cell: one type of
// keys and values per program, sizes of 2^10 to 2^28, ten inputs. Each cell is timed in three ways: by CUDA events with
// the L2 flushed, by events with the L2 as copying the keys left it, and by the host's clock from the call until the
// stream is synchronised. Every result is compared with CUB's, byte for byte. bench/measure_merge_sort_cells compiles
// and runs the programs and makes tables of their output, a line of JSON for each cell:
//
//     nvcc -std=c++20 -O3 -arch=native -Iinclude -Itests -DKEY=u32 -DVALUE=u32 -DORDER=less bench/merge_sort_cells.cu
//     ./a.out [--log2 10,20,28] [--inputs random,equal]
//
// KEY: u32 u64 i16 f32 f64 f64_i32 u64_i32; VALUE: none or one of them; ORDER: less, falling, own_order. Exits with 1
// if a result differs or was not measured, and with 77 without a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_merge_sort.cuh>
#include <cub/version.cuh>
#include <launchbox/algorithms/merge_sort.cuh>
#include <launchbox/measure.cuh>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "include/algorithms/sort_inputs.hpp"
#include "sort_bench.cuh"

#ifndef KEY
#define KEY u32
#endif
#ifndef VALUE
#define VALUE none
#endif
#ifndef ORDER
#define ORDER less
#endif

namespace {

using namespace sort_bench;

using f64 = double;
using launchbox::less;
struct none {};
using key = KEY;
using value = VALUE;
using order = ORDER;
constexpr bool has_values = !std::is_same_v<value, none>;
// Above this, the L2 holds so little of the data that warm and cold no longer differ.
constexpr std::int64_t most_warm = std::int64_t{1} << 24;

template <class Key>
__device__ Key key_of(std::uint64_t number)
{
    if constexpr (std::is_same_v<Key, f64_i32>)  // doubles that are often equal
        return {sort_inputs::key<double>(number >> 44 << 44), sort_inputs::key<std::int32_t>(number << 20), 0};
    else if constexpr (std::is_same_v<Key, u64_i32>)
        return {number, sort_inputs::key<std::int32_t>(number << 20), 0};
    else
        return sort_inputs::key<Key>(number);
}

template <class Value>
__global__ void make_input(key* keys, Value* values, std::int64_t n, sort_inputs::kind input)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        keys[i] =
            key_of<key>(sort_inputs::element(input, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(n)));
        if constexpr (!std::is_same_v<Value, none>) values[i] = static_cast<Value>(i);
    }
}

void sort_ours(key* keys, value* values, std::int64_t n, cudaStream_t stream, launchbox::workspace space)
{
    if constexpr (has_values)
        launchbox::merge_sort(stream, keys, values, n, order{}, space);
    else
        launchbox::merge_sort(stream, keys, n, order{}, space);
}

cudaError_t sort_cubs(key* keys, value* values, std::int64_t n, cudaStream_t stream, void* memory, std::size_t& bytes)
{
    if constexpr (has_values)
        return cub::DeviceMergeSort::StableSortPairs(memory, bytes, keys, values, n, order{}, stream);
    else
        return cub::DeviceMergeSort::StableSortKeys(memory, bytes, keys, n, order{}, stream);
}

/// Microseconds; 0: not measured.
struct times {
    double cold = 0, warm = 0, host = 0;
};

class cells {
public:
    explicit cells(std::int64_t most)
        : in_(most),
          keys_(most),
          cubs_keys_(most),
          values_in_(values_of(most)),
          values_(values_of(most)),
          cubs_values_(values_of(most)),
          memory_(bytes_for(most)),
          differences_(1)
    {
    }

    [[nodiscard]] bool is_wrong() const { return is_wrong_; }

    void measure(std::int64_t n, sort_inputs::kind input)
    {
        make_input<<<2048, 256>>>(in_.data, values_in_.data, n, input);
        check(cudaMemset(differences_.data, 0, sizeof(unsigned long long)), "count");
        std::size_t ours_bytes = 0, cubs_bytes = 0;
        sort_ours(nullptr, nullptr, n, nullptr, launchbox::workspace::query(ours_bytes));
        check(sort_cubs(nullptr, nullptr, n, nullptr, nullptr, cubs_bytes), "CUB");
        if (failed) return;
        std::string problem;
        const times ours = times_of(
            n, keys_.data, values_.data,
            [&](cudaStream_t stream) {
                sort_ours(keys_.data, values_.data, n, stream, {memory_.data, ours_bytes});
            },
            problem);
        const times cubs = times_of(
            n, cubs_keys_.data, cubs_values_.data,
            [&](cudaStream_t stream) {
                sort_cubs(cubs_keys_.data, cubs_values_.data, n, stream, memory_.data, cubs_bytes);
            },
            problem);
        count_in(keys_.data, cubs_keys_.data, n);
        if constexpr (has_values) count_in(values_.data, cubs_values_.data, n);
        unsigned long long different = 0;
        check(cudaMemcpy(&different, differences_.data, sizeof different, cudaMemcpyDeviceToHost), "count");
        is_wrong_ |= different > 0 || !problem.empty();
        std::printf("{\"key\":\"" TEXT(KEY) "\",\"value\":\"" TEXT(VALUE) "\",\"order\":\"" TEXT(ORDER)
                    "\",\"input\":\"%s\",\"n\":%lld,\"cold_us\":[%.3f,%.3f],\"warm_us\":[%.3f,%.3f],"
                    "\"host_us\":[%.3f,%.3f],\"differences\":%llu,\"problem\":\"%s\",\"cub\":%d}\n",
                    sort_inputs::name(input), static_cast<long long>(n), ours.cold, cubs.cold, ours.warm, cubs.warm,
                    ours.host, cubs.host, different, problem.c_str(), CUB_VERSION);
        std::fflush(stdout);
    }

private:
    static std::size_t values_of(std::int64_t n) { return has_values ? static_cast<std::size_t>(n) : 0; }

    static std::size_t bytes_for(std::int64_t n)
    {
        std::size_t ours = 0, cubs = 0;
        sort_ours(nullptr, nullptr, n, nullptr, launchbox::workspace::query(ours));
        check(sort_cubs(nullptr, nullptr, n, nullptr, nullptr, cubs), "CUB");
        return std::max(ours, cubs);
    }

    void restore(key* keys, value* values, std::int64_t n, cudaStream_t stream) const
    {
        const auto count = static_cast<std::size_t>(n);
        cudaMemcpyAsync(keys, in_.data, count * sizeof(key), cudaMemcpyDeviceToDevice, stream);
        if (has_values)
            cudaMemcpyAsync(values, values_in_.data, count * sizeof(value), cudaMemcpyDeviceToDevice, stream);
    }

    template <class Sort>
    times times_of(std::int64_t n, key* keys, value* values, const Sort& sort, std::string& problem) const
    {
        launchbox::measurement_options options;
        options.min_samples = 3;
        options.max_samples = n > most_warm ? 3 : n > most_warm / 16 ? 7 : 15;
        options.max_seconds = 0.5;
        options.prepare = [&](cudaStream_t stream) { restore(keys, values, n, stream); };
        times found;
        const auto median_us = [&] {
            const launchbox::measurement_result result = launchbox::measure(sort, options);
            if (!result.measured()) problem = result.failure;
            return result.median_ns / 1e3;
        };
        found.cold = median_us();
        found.host = host_us(keys, values, n, sort, options.max_samples);
        if (n > most_warm) return found;
        options.l2 = launchbox::l2_state::hot;
        found.warm = median_us();
        return found;
    }

    template <class Sort>
    double host_us(key* keys, value* values, std::int64_t n, const Sort& sort, int samples) const
    {
        using clock = std::chrono::steady_clock;
        std::vector<double> all;
        for (int i = 0; i < samples; ++i) {
            restore(keys, values, n, nullptr);
            check(cudaStreamSynchronize(nullptr), "keys");
            const clock::time_point begin = clock::now();
            sort(nullptr);
            check(cudaStreamSynchronize(nullptr), "sort");
            all.push_back(std::chrono::duration<double, std::micro>(clock::now() - begin).count());
        }
        std::sort(all.begin(), all.end());
        return all[all.size() / 2];
    }

    template <class Type>
    void count_in(const Type* a, const Type* b, std::int64_t n)
    {
        count_differences<<<2048, 256>>>(reinterpret_cast<const unsigned char*>(a),
                                         reinterpret_cast<const unsigned char*>(b),
                                         n * static_cast<std::int64_t>(sizeof(Type)), differences_.data);
    }

    device_array<key> in_, keys_, cubs_keys_;
    device_array<value> values_in_, values_, cubs_values_;
    device_array<unsigned char> memory_;
    device_array<unsigned long long> differences_;
    bool is_wrong_ = false;
};

std::vector<std::string> words_of(const std::string& list)
{
    std::vector<std::string> words(1);
    for (const char c : list)
        if (c == ',')
            words.emplace_back();
        else
            words.back() += c;
    return words;
}

int usage()
{
    std::fputs("usage: merge_sort_cells [--log2 10,20,28] [--inputs random,equal]; the inputs:", stderr);
    for (const char* const each : sort_inputs::names) std::fprintf(stderr, " '%s'", each);
    std::fputs("\n", stderr);
    return 2;
}

}  // namespace

int main(int count, char** arguments)
{
    std::vector<int> sizes{10, 12, 13, 14, 16, 18, 20, 22, 24, 26};
    std::vector<sort_inputs::kind> inputs;
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) return usage();
        const std::vector<std::string> words = words_of(arguments[i + 1]);
        if (std::strcmp(arguments[i], "--log2") == 0) {
            sizes.clear();
            for (const std::string& each : words) sizes.push_back(std::atoi(each.c_str()));
        } else if (std::strcmp(arguments[i], "--inputs") == 0) {
            for (const std::string& each : words) {
                const auto* const found = std::find(std::begin(sort_inputs::names), std::end(sort_inputs::names), each);
                if (found == std::end(sort_inputs::names)) return usage();
                inputs.push_back(static_cast<sort_inputs::kind>(found - std::begin(sort_inputs::names)));
            }
        } else {
            return usage();
        }
    }
    for (const int log2 : sizes)
        if (log2 < 1 || log2 > 32) return usage();
    if (inputs.empty()) {
        inputs.assign(std::begin(sort_inputs::kinds), std::end(sort_inputs::kinds));
        inputs.insert(inputs.end(), std::begin(sort_inputs::more_kinds), std::end(sort_inputs::more_kinds));
    }
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fputs("no GPU here\n", stderr);
        return 77;
    }
    cells all(std::int64_t{1} << *std::max_element(sizes.begin(), sizes.end()));
    for (const int log2 : sizes)
        for (const sort_inputs::kind input : inputs)
            if (!failed) all.measure(std::int64_t{1} << log2, input);
    return failed || all.is_wrong() ? 1 : 0;
}
