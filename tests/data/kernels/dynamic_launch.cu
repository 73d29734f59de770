// A launch whose size is given by expressions, and which needs an attribute that nothing sets.
__global__ void blur(const float* in, float* out)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

template <int Threads> __global__ void fill(float* out)
{
    out[blockIdx.x * Threads + threadIdx.x] = 1;
}

constexpr int rows = 40, columns = 384;

void run(const float* in, float* out, int n)
{
    const dim3 block(columns / 2);
    fill<256><<<n / 256, 256>>>(out);
    blur<<<n / block.x, block, rows * columns * sizeof(float)>>>(in, out);
}
