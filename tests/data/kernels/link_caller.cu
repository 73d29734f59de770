// Together with link_callee.cu: what only the linker knows about a kernel.
__device__ float external(float* data);

extern "C" __global__ void calls_external(float* data)
{
    __shared__ float values[25];
    values[threadIdx.x % 25] = data[threadIdx.x];
    __syncthreads();
    data[0] = external(values);
}

extern "C" __global__ void __launch_bounds__(1024) calls_external_bounded(float* data)
{
    data[0] = external(data);
}
