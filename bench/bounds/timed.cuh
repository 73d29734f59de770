// Common parts of the programs in this folder: arrays, checked calls, and timing that prints what `launchbox bounds
// --measure` reads.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

inline void check(cudaError_t code, const char* what)
{
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    std::exit(1);
}

template <class T>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count)
    {
        check(cudaMalloc(&data_, count * sizeof(T)), "cudaMalloc");
    }
    explicit device_array(const std::vector<T>& values) : device_array(values.size())
    {
        check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    ~device_array() { cudaFree(data_); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    T* data() { return data_; }
    std::vector<T> values() const
    {
        std::vector<T> result(count_);
        check(cudaMemcpy(result.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return result;
    }

private:
    T* data_ = nullptr;
    std::size_t count_ = 0;
};

// Times `call(temporary, bytes)` of a CUB algorithm with events, after `prepare`, and prints all samples. Checks every
// status: an algorithm whose kernel fails to launch must not appear to be the fastest.
inline void time_algorithm(
    const std::function<cudaError_t(void*, std::size_t&)>& call, const std::function<void()>& prepare = [] {})
{
    std::size_t bytes = 0;
    check(call(nullptr, bytes), "asking for temporary storage");
    device_array<char> temporary(bytes + 1);
    cudaEvent_t start = nullptr, stop = nullptr;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");
    constexpr int warm_up = 5, runs = 40;
    std::vector<double> samples;
    for (int run = 0; run < warm_up + runs; ++run) {
        prepare();
        check(cudaDeviceSynchronize(), "preparing");
        check(cudaEventRecord(start), "cudaEventRecord");
        check(call(temporary.data(), bytes), "the algorithm");
        check(cudaEventRecord(stop), "cudaEventRecord");
        check(cudaDeviceSynchronize(), "the kernel");
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");
        if (run >= warm_up) samples.push_back(milliseconds * 1e6);
    }
    std::printf("{\"samples_ns\": [");
    for (std::size_t i = 0; i < samples.size(); ++i) std::printf("%s%.0f", i > 0 ? ", " : "", samples[i]);
    std::puts("]}");
}

inline void require(bool right, const char* what)
{
    if (right) return;
    std::fprintf(stderr, "%s: wrong result\n", what);
    std::exit(1);
}

// Pseudo-random and the same on every machine (the generator of Numerical Recipes).
template <class T>
std::vector<T> random_values(std::size_t count)
{
    std::vector<T> values(count);
    unsigned long long state = 42;
    for (T& value : values) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        value = static_cast<T>(state >> 33);
    }
    return values;
}
