// Functions that the compiler does not inline into their kernels.
__device__ __noinline__ float pick(float x, int n)
{
    float values[64];
    for (int i = 0; i < 64; ++i) values[i] = x * i;
    return values[n & 63];
}

__device__ __noinline__ float scale(float x)
{
    return x * 3 + 1;
}

__device__ __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void calls_two(float* out, int n)
{
    out[threadIdx.x] = pick(out[threadIdx.x], n) + scale(out[n]);
}

extern "C" __global__ void calls_scale(float* out)
{
    out[threadIdx.x] = scale(out[1]);
}

extern "C" __global__ void recursive(int* out)
{
    out[0] = fibonacci(out[1]);
}
