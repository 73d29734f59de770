// One kernel for each field of ptxas's "Used" line.
extern "C" __global__ void nothing(float* out)
{
    out[threadIdx.x] = 1;
}

extern "C" __global__ void static_shared(float* out)
{
    __shared__ float values[128];
    values[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[127 - threadIdx.x];
}

extern "C" __global__ void named_barrier(float* out)
{
    asm volatile("bar.sync 5, 64;");
    out[threadIdx.x] = 1;
}

// The barrier's number is not known at compile time, so the compiler reserves all 16.
extern "C" __global__ void computed_barrier(float* out, int barrier)
{
    asm volatile("bar.sync %0, 64;" ::"r"(barrier));
    out[threadIdx.x] = 1;
}

extern "C" __global__ void indexed_local_array(float* out, int n)
{
    float values[100];
    for (int i = 0; i < 100; ++i) values[i] = out[i];
    out[0] = values[out[n] > 1 ? n : 2];
}

__constant__ int table[20];
__device__ int counters[30];
extern "C" __global__ void constant_and_global(int* out)
{
    out[0] = table[out[1]] + counters[out[2]];
}

template <class T>
__global__ void templated(T* out)
{
    out[0] = T(1);
}
template __global__ void templated<float>(float*);
template __global__ void templated<double>(double*);
