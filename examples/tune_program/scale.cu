// A program that tune builds once for each row and runs for each size: y = a * x over n numbers, timed by measure.cuh,
// checked, and reported in one line that tune reads.
//
//     launchbox tune tune_program.toml
//     nvcc -std=c++20 -arch=sm_90 -I ../../include '-DLAUNCHBOX_ROW={256\,4}' scale.cu -o scale && ./scale 1000000
#include <launchbox/measure.cuh>

#include <cstdio>
#include <cstdlib>
#include <vector>

struct row {
    int threads, items;
};
constexpr row chosen = LAUNCHBOX_ROW;

__global__ __launch_bounds__(chosen.threads) void scale(const float* x, float* y, float a, int n)
{
    const int first = blockIdx.x * chosen.threads * chosen.items + threadIdx.x;
#pragma unroll
    for (int i = 0; i < chosen.items; ++i)
        if (const int at = first + i * chosen.threads; at < n) y[at] = a * x[at];
}

int main(int count, char** arguments)
{
    const int n = count == 2 ? std::atoi(arguments[1]) : 0;
    if (n < 1) {
        std::fputs("usage: scale N\n", stderr);
        return 2;
    }
    std::vector<float> x(static_cast<std::size_t>(n)), y(x.size());
    for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 1000);
    const std::size_t bytes = x.size() * sizeof(float);
    float *in = nullptr, *out = nullptr;
    if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) {
        std::fputs("no GPU here, or not enough memory on it\n", stderr);
        return 77;
    }
    cudaMemcpy(in, x.data(), bytes, cudaMemcpyHostToDevice);

    const int tile = chosen.threads * chosen.items;
    const launchbox::measurement_result result = launchbox::measure(
        [&](cudaStream_t stream) { scale<<<(n + tile - 1) / tile, chosen.threads, 0, stream>>>(in, out, 2.0f, n); });
    launchbox::print_measurement(result);

    cudaMemcpy(y.data(), out, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i)
        if (y[i] != 2 * x[i]) {
            std::fprintf(stderr, "y[%d] is %g, not %g\n", i, y[i], 2 * x[i]);
            return 1;  // to tune this means a wrong result
        }
    return result.measured() ? 0 : 1;
}
