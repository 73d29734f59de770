#ifndef W
#define W 16384
#endif
#define F 7
#define H (F / 2)
__constant__ float filter[F * F];
extern "C" __global__ void convolution(const float* in, float* out)
{
    __shared__ float tile[TY * BY + F - 1][TX * BX + F - 1 + PAD];
    const int x0 = blockIdx.x * TX * BX, y0 = blockIdx.y * TY * BY;
    for (int y = threadIdx.y; y < TY * BY + F - 1; y += BY)
        for (int x = threadIdx.x; x < TX * BX + F - 1; x += BX) {
            const int gx = min(max(x0 + x - H, 0), W - 1), gy = min(max(y0 + y - H, 0), W - 1);
#if LDG
            tile[y][x] = __ldg(in + gy * W + gx);
#else
            tile[y][x] = in[gy * W + gx];
#endif
        }
    __syncthreads();
    float sum[TY][TX] = {};
    for (int fy = 0; fy < F; ++fy)
        for (int fx = 0; fx < F; ++fx)
            for (int ty = 0; ty < TY; ++ty)
                for (int tx = 0; tx < TX; ++tx)
                    sum[ty][tx] += tile[threadIdx.y + ty * BY + fy][threadIdx.x + tx * BX + fx] * filter[fy * F + fx];
    for (int ty = 0; ty < TY; ++ty)
        for (int tx = 0; tx < TX; ++tx) {
            const int x = x0 + threadIdx.x + tx * BX, y = y0 + threadIdx.y + ty * BY;
            if (x < W && y < W) out[y * W + x] = sum[ty][tx];
        }
}
