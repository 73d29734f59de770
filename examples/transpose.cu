// Transposes a matrix through tiles in shared memory. docs/tutorial.md tunes its constants.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <vector>

#define TILE 32
#define ROWS 8
constexpr int padding = 1;  // against bank conflicts

__global__ void transpose(float* out, const float* in, int width, int height)
{
    __shared__ float tile[TILE][TILE + padding];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < width && y + row < height) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        if (x < height && y + row < width) out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

int main()
{
    const int width = 4096, height = 2048;
    const size_t bytes = size_t{width} * height * sizeof(float);
    float *in = nullptr, *out = nullptr;
    if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess) {
        std::printf("no GPU here: nothing is transposed\n");
        return 77;
    }
    std::vector<float> numbers(size_t{width} * height);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 9973);
    cudaMemcpy(in, numbers.data(), bytes, cudaMemcpyHostToDevice);
    const dim3 block(TILE, ROWS);
    const dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    transpose<<<grid, block>>>(out, in, width, height);
    std::vector<float> turned(numbers.size());
    if (cudaMemcpy(turned.data(), out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x)
            if (turned[x * height + y] != numbers[y * width + x]) {
                std::printf("wrong at row %zu, column %zu\n", y, x);
                return 1;
            }
    std::printf("%d x %d elements are transposed\n", width, height);
    return 0;
}
