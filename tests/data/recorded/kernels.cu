// The kernels whose spaces are recorded here; make.py defines the parameters.
#ifdef CONVOLUTION
__constant__ float weights[(2 * HFS + 1) * (2 * HFS + 1)];

extern "C" __global__ void convolution(const float* in, float* out, int width)
{
    constexpr int wide = TILE_SIZE_X * BLOCK_SIZE_X, high = TILE_SIZE_Y * BLOCK_SIZE_Y;
    const int left = blockIdx.x * wide, top = blockIdx.y * high, pitch = width + 2 * HFS;
#if USE_SHMEM
    __shared__ float tile[high + 2 * HFS][wide + 2 * HFS + PADDING];
    for (int y = threadIdx.y; y < high + 2 * HFS; y += BLOCK_SIZE_Y)
        for (int x = threadIdx.x; x < wide + 2 * HFS; x += BLOCK_SIZE_X)
            if (top + y < pitch && left + x < pitch) tile[y][x] = in[(top + y) * pitch + left + x];
    __syncthreads();
#endif
    float sums[TILE_SIZE_Y][TILE_SIZE_X] = {};
#pragma unroll 1
    for (int i = 0; i < 2 * HFS + 1; ++i)
#pragma unroll 1
        for (int j = 0; j < 2 * HFS + 1; ++j)
#pragma unroll
            for (int ty = 0; ty < TILE_SIZE_Y; ++ty)
#pragma unroll
                for (int tx = 0; tx < TILE_SIZE_X; ++tx) {
                    const int x = threadIdx.x + tx * BLOCK_SIZE_X + j, y = threadIdx.y + ty * BLOCK_SIZE_Y + i;
#if USE_SHMEM
                    const float value = tile[y][x];
#else
                    const float value =
                        top + y < pitch && left + x < pitch ? in[(top + y) * pitch + left + x] : 0.0f;
#endif
                    sums[ty][tx] += value * weights[i * (2 * HFS + 1) + j];
                }
    for (int ty = 0; ty < TILE_SIZE_Y; ++ty)
        for (int tx = 0; tx < TILE_SIZE_X; ++tx) {
            const int x = left + threadIdx.x + tx * BLOCK_SIZE_X, y = top + threadIdx.y + ty * BLOCK_SIZE_Y;
            if (x < width && y < width) out[y * width + x] = sums[ty][tx];
        }
}
#else
__constant__ float2 corners[VERTICES];

__device__ bool is_between(float a, float b, float y)
{
    if (BETWEEN_METHOD == 0) return (a > y) != (b > y);
    return ((a - y) * (b - y) < 0) || (a > y && b == y);
}

// How many corners' edges each point is left of, odd or even: whether it is inside of the polygon.
extern "C" __global__ void pnpoly(const float2* points, int* inside, int count)
{
    const int first = blockIdx.x * blockDim.x * TILE_SIZE + threadIdx.x;
    float2 mine[TILE_SIZE];
    int crossed[TILE_SIZE] = {};
#pragma unroll
    for (int t = 0; t < TILE_SIZE; ++t) mine[t] = points[min(first + t * int(blockDim.x), count - 1)];
    int last = VERTICES - 1;
#pragma unroll 1
    for (int k = 0; k < VERTICES; last = k++) {
        const float2 a = corners[k], b = corners[last];
        const float slope = (b.x - a.x) / (b.y - a.y);
#pragma unroll
        for (int t = 0; t < TILE_SIZE; ++t) {
            const bool crosses = is_between(a.y, b.y, mine[t].y) && mine[t].x < slope * (mine[t].y - a.y) + a.x;
            if (USE_METHOD == 0)
                crossed[t] ^= crosses;
            else
                crossed[t] += crosses ? 1 : 0;
        }
    }
#pragma unroll
    for (int t = 0; t < TILE_SIZE; ++t)
        if (first + t * int(blockDim.x) < count) inside[first + t * int(blockDim.x)] = crossed[t] & 1;
}
#endif
