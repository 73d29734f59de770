// A kernel that needs more registers than a tight launch bound leaves. With SPILL=1 it spills to shared memory instead
// of local memory (CUDA 13): docs/tune.md, "Compiler options as parameters".

constexpr int terms = 48;

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS) powers(const float* in, float* out, int n)
{
#if SPILL
    asm volatile(".pragma \"enable_smem_spilling\";");
#endif
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    float value[terms];
#pragma unroll
    for (int k = 0; k < terms; ++k) value[k] = in[(i + k * 97) % n];
    float sum = 0;
    // Backwards, so that all values are live at once.
#pragma unroll
    for (int round = 0; round < 4; ++round)
#pragma unroll
        for (int k = terms - 1; k >= 0; --k) {
            sum = sum * 0.5f + value[k];
            value[k] = value[k] * value[(k + 7) % terms] + sum;
        }
    out[i] = sum;
}
