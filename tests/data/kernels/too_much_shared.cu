extern "C" __global__ void too_much_shared(float* out)
{
    __shared__ float values[13000];
    values[threadIdx.x] = 1;
    __syncthreads();
    out[0] = values[out[1] > 1];
}
