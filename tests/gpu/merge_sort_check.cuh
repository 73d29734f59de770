// Sorts on the device, checked there (keys are made from indices, so that a check needs no copy) or by
// std::stable_sort.
#pragma once

#include <gtest/gtest.h>
#include <launchbox/algorithms/merge_sort.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "include/algorithms/sort_inputs.hpp"
#include "include/algorithms/sort_types.hpp"

namespace merge_sort_check {

using sort_inputs::kind;

/// True under compute-sanitizer: use little data.
inline bool is_reduced()
{
    const char* set = std::getenv("LAUNCHBOX_REDUCED");
    return set != nullptr && std::strcmp(set, "1") == 0;
}

inline void ok(cudaError_t status, const char* what = "")
{
    ASSERT_EQ(status, cudaSuccess) << what << ' ' << cudaGetErrorString(status);
}

/// Device memory, freed in the destructor; empty, with a failed test, if the allocation failed.
template <class Type>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count)
    {
        ok(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<std::size_t>(count, 1) * sizeof(Type)), "cudaMalloc");
    }
    explicit device_array(const std::vector<Type>& from) : device_array(from.size())
    {
        ok(cudaMemcpy(data_, from.data(), count_ * sizeof(Type), cudaMemcpyHostToDevice));
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }

    Type* get() const { return data_; }
    void copy_to(std::vector<Type>& to) const
    {
        ok(cudaMemcpy(to.data(), data_, to.size() * sizeof(Type), cudaMemcpyDeviceToHost));
    }

private:
    Type* data_ = nullptr;
    std::size_t count_;
};

/// The indices of the first mistakes, in host memory that the device can write.
struct findings {
    unsigned long long wrong = 0, first = ~0ull;
};

template <class Key, class Value>
__global__ void make_elements(Key* keys, Value* values, std::int64_t n, kind input, std::uint64_t seed)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const auto at = static_cast<std::uint64_t>(i);
        keys[i] = sort_inputs::key<Key>(sort_inputs::element(input, at, static_cast<std::uint64_t>(n), seed));
        if (values != nullptr) values[i] = static_cast<Value>(i);
    }
}

/// For keys made by make_elements and sorted with their indices as values: each value must be an index whose key is
/// here, and every element must come after its neighbour by key, then by index. Then all indices differ, so none is
/// missing, and the sort was stable.
template <class Key, class Value, class Compare>
__global__ void check_elements(const Key* keys, const Value* values, std::int64_t n, kind input, std::uint64_t seed,
                               Compare compare, findings* found)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const auto index = static_cast<std::uint64_t>(values[i]);
        bool right =
            index < static_cast<std::uint64_t>(n) &&
            keys[i] == sort_inputs::key<Key>(sort_inputs::element(input, index, static_cast<std::uint64_t>(n), seed));
        if (i > 0 && !compare(keys[i - 1], keys[i]))
            right = right && !compare(keys[i], keys[i - 1]) && values[i - 1] < values[i];
        if (right) continue;
        atomicAdd(&found->wrong, 1ull);
        atomicMin(&found->first, static_cast<unsigned long long>(i));
    }
}

/// For 1-byte keys: how often each occurs, and how many elements are followed by a smaller one.
template <class Key>
__global__ void count_bytes(const Key* keys, std::int64_t n, unsigned long long* counts, findings* found)
{
    __shared__ unsigned of_block[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) of_block[i] = 0;
    __syncthreads();
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&of_block[keys[i]], 1u);
        if (found != nullptr && i > 0 && keys[i] < keys[i - 1]) {
            atomicAdd(&found->wrong, 1ull);
            atomicMin(&found->first, static_cast<unsigned long long>(i));
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&counts[i], of_block[i]);
}

/// Makes, sorts and checks keys with their indices; one `result` can check several calls.
template <class Key, class Value, class Compare = launchbox::less>
class checked_sorts {
public:
    explicit checked_sorts(std::int64_t most, Compare compare = {})
        : keys_(static_cast<std::size_t>(most)), values_(static_cast<std::size_t>(most)), found_(1), compare_(compare)
    {
        const findings none;
        ok(cudaMemcpy(found_.get(), &none, sizeof none, cudaMemcpyHostToDevice));
    }

    /// Starts at element `offset` of the memory. `in_parts`: sorts the first two thirds first, and then the last two.
    template <class Tuning = void>
    void sort(std::int64_t n, kind input, std::int64_t offset = 0, launchbox::workspace space = {},
              cudaStream_t stream = nullptr, bool in_parts = false)
    {
        Key* const keys = keys_.get() + offset;
        Value* const values = values_.get() + offset;
        const auto seed = static_cast<std::uint64_t>(n);
        const int blocks = static_cast<int>(std::min<std::int64_t>((n + 255) / 256, 4096));
        if (blocks > 0) make_elements<<<blocks, 256, 0, stream>>>(keys, values, n, input, seed);
        const std::int64_t third = n / 3;
        if (in_parts) {
            launchbox::merge_sort<Tuning>(stream, keys, values, n - third, compare_, space);
            launchbox::merge_sort<Tuning>(stream, keys + third, values + third, n - third, compare_, space);
        }
        launchbox::merge_sort<Tuning>(stream, keys, values, n, compare_, space);
        if (blocks > 0)
            check_elements<<<blocks, 256, 0, stream>>>(keys, values, n, input, seed, compare_, found_.get());
    }

    void expect_right(const std::string& what)
    {
        findings found;
        ok(cudaDeviceSynchronize(), what.c_str());
        ok(cudaMemcpy(&found, found_.get(), sizeof found, cudaMemcpyDeviceToHost));
        EXPECT_EQ(found.wrong, 0u) << what << ": the first at " << found.first;
    }

    Key* keys() const { return keys_.get(); }
    Value* values() const { return values_.get(); }

private:
    device_array<Key> keys_;
    device_array<Value> values_;
    device_array<findings> found_;
    Compare compare_;
};

struct none {};

/// Sorts the host's keys and values on the device and with std::stable_sort; every bit must match. The device arrays
/// start `offset` elements after an aligned address, with guards on both sides.
template <class Tuning = void, class Key, class Value, class Compare>
void expect_as_stable_sort(const std::vector<Key>& keys, const std::vector<Value>& values, const Compare& compare,
                           const std::string& what, std::size_t offset = 0)
{
    const std::size_t n = keys.size();
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });

    constexpr std::size_t guard = 64;
    const auto guarded = [&]<class Type>(const std::vector<Type>& all) {
        std::vector<unsigned char> made((all.size() + offset) * sizeof(Type) + guard, 0x5a);
        if (!all.empty()) std::memcpy(made.data() + offset * sizeof(Type), all.data(), all.size() * sizeof(Type));
        return made;
    };
    std::vector<unsigned char> key_bytes = guarded(keys), value_bytes = guarded(values);
    const device_array<unsigned char> key_memory(key_bytes), value_memory(value_bytes);
    Key* const device_keys = reinterpret_cast<Key*>(key_memory.get()) + offset;
    if constexpr (std::is_same_v<Value, none>)
        launchbox::merge_sort<Tuning>(nullptr, device_keys, static_cast<std::int64_t>(n), compare);
    else
        launchbox::merge_sort<Tuning>(nullptr, device_keys, reinterpret_cast<Value*>(value_memory.get()) + offset,
                                      static_cast<std::int64_t>(n), compare);
    ok(cudaDeviceSynchronize(), what.c_str());

    const auto expect = [&]<class Type>(const std::vector<Type>& all, std::vector<unsigned char> expected,
                                        const device_array<unsigned char>& memory, const char* which) {
        for (std::size_t i = 0; i < all.size(); ++i)
            std::memcpy(expected.data() + (offset + i) * sizeof(Type), &all[order[i]], sizeof(Type));
        std::vector<unsigned char> sorted(expected.size());
        memory.copy_to(sorted);
        const auto [at, there] = std::mismatch(sorted.begin(), sorted.end(), expected.begin());
        const auto element =
            static_cast<std::ptrdiff_t>((at - sorted.begin()) / static_cast<std::ptrdiff_t>(sizeof(Type)));
        EXPECT_TRUE(at == sorted.end()) << what << ", n " << n << ", offset " << offset << ": " << which << ' '
                                        << element - static_cast<std::ptrdiff_t>(offset) << " is another";
    };
    expect(keys, key_bytes, key_memory, "key");
    if constexpr (!std::is_same_v<Value, none>) expect(values, value_bytes, value_memory, "value");
}

/// The same for elements of sort_types.hpp. `Make` makes keys.
template <class Make, class Value = none, class Tuning = void, class Compare = launchbox::less>
void expect_as_stable_sort(kind input, std::size_t n, const Compare& compare = {}, std::size_t offset = 0)
{
    using key = decltype(Make::key(0, 0));
    std::vector<key> keys;
    std::vector<Value> values;
    keys.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys.push_back(Make::key(sort_inputs::element(input, i, n, n), i));
        if constexpr (!std::is_same_v<Value, none>) values.push_back(sort_types::make<Value>::value(i));
    }
    expect_as_stable_sort<Tuning>(keys, values, compare,
                                  std::string(sort_inputs::name(input)) + ", keys of " + std::to_string(sizeof(key)) +
                                      " bytes, values of " + std::to_string(sizeof(Value)),
                                  offset);
}

/// The same for several sizes and inputs, aligned and not.
template <class Make, class Value = none, class Compare = launchbox::less>
void check(const Compare& compare = {})
{
    const std::vector<std::size_t> sizes =
        is_reduced() ? std::vector<std::size_t>{1, 3000, 20011} : std::vector<std::size_t>{1, 2, 777, 4097, 150011};
    for (const std::size_t n : sizes)
        for (const kind input : {kind::random, kind::few, kind::organ_pipe})
            for (const std::size_t offset : {std::size_t{0}, std::size_t{1}}) {
                if (is_reduced() && (input == kind::organ_pipe) != (offset == 1)) continue;
                expect_as_stable_sort<Make, Value>(input, n, compare, offset);
            }
}

/// Skips visibly without a GPU.
class merge_sort_on_gpu : public testing::Test {
protected:
    void SetUp() override
    {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU here";
        cudaGetLastError();
    }
};

}  // namespace merge_sort_check
