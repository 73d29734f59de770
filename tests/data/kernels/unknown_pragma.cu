extern "C" __global__ void unrolled(float* out)
{
#pragma unroll 0
    for (int i = 0; i < 4; ++i) out[i] = 1;
#pragma nonsense
}
