// Kernels that share a device function which the compiler keeps apart; see kernels.cu.

template <int N>
__device__ __noinline__ float shared_work(const float* in)
{
    float a[N];
#pragma unroll
    for (int i = 0; i < N; ++i) a[i] = in[threadIdx.x * N + i];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) sum += a[i] * a[(i * 7 + 3) % N] / a[(i * 5 + 1) % N];
    return sum;
}

extern "C" __global__ void /*tight*/ __launch_bounds__(1024, 2) /*end*/ tight(const float* in, float* out)
{
    out[threadIdx.x] = shared_work<40>(in);
}

extern "C" __global__ void /*loose*/ /*end*/ loose(const float* in, float* out)
{
    out[threadIdx.x] = shared_work<40>(in) + shared_work<40>(in + 1);
}
