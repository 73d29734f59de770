// Kernels for the tests of the observer. The driver's double reads their names and resources and computes what the plan
// says. With OTHER, the module has a kernel of the same name with other resources.
extern "C" __global__ void plain(const int* in, int* out, int n)
{
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (at < n) out[at] = in[at];
}

extern "C" __global__ void plain_that_waits(const int* in, int* out, int n)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (at < n) out[at] = in[at];
}

extern "C" __global__ void shared_by_launch(const int* in, int* out, int n)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = static_cast<int>(threadIdx.x) < n ? in[threadIdx.x] : 0;
    __syncthreads();
    out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// 32 values live across a loop, in few registers, so that they spill.
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(const int* in, int* out, int n)
{
    int kept[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) kept[i] = in[i + threadIdx.x];
    for (int round = 0; round < n; ++round)
#pragma unroll
        for (int i = 0; i < 64; ++i) kept[i] = kept[i] * kept[(i + 7) % 64] + round;
#pragma unroll
    for (int i = 0; i < 64; ++i) out[i * 1024 + threadIdx.x] = kept[i];
}

template <int Items>
__global__ void copy(const int* in, int* out, int n)
{
    for (int i = 0; i < Items; ++i)
        if (i < n) out[i] = in[i];
}
template __global__ void copy<4>(const int*, int*, int);

#ifdef OTHER
extern "C" __global__ void in_two_modules(const double* in, double* out, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += in[i] * in[n - i] / (in[i] + 1);
    out[threadIdx.x] = sum;
}
#else
extern "C" __global__ void in_two_modules(const int* in, int* out, int n)
{
    if (n > 0) out[threadIdx.x] = in[threadIdx.x];
}
#endif
