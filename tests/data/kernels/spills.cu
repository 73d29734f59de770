// More live values than the second launch bound allows registers.
extern "C" __global__ void __launch_bounds__(1024, 2) spilling(float* data)
{
    float values[100];
    for (int i = 0; i < 100; ++i) values[i] = data[i * threadIdx.x];
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 100; ++i) values[i] = values[i] * values[(i + 1) % 100] + 1;
        __syncthreads();
    }
    for (int i = 0; i < 100; ++i) data[i * threadIdx.x] = values[i];
}
