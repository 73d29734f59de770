// The kernel of blur.json: the mean of `width` neighbours.
__constant__ float weights[3];

extern "C" __global__ void blur(float* out, const float* in, float scale)
{
    const int first = (blockIdx.x * threads_x + threadIdx.x) * per_thread;
#pragma unroll unroll
    for (int i = 0; i < per_thread; ++i) {
        const int at = first + i;
        if (at >= length) return;
        float sum = 0;
        for (int j = 0; j < width; ++j) sum += in[at + j];
        out[at] = scale * sum + weights[0];
    }
}
