// Kernels whose launch attribute stands between comments, where the test writes others by hand.

// Many live values: every bound changes something.
extern "C" __global__ void /*wide*/ /*end*/ wide(const float* in, float* out)
{
    float a[48];
#pragma unroll
    for (int i = 0; i < 48; ++i) a[i] = in[threadIdx.x * 48 + i];
    for (int round = 0; round < 4; ++round)
#pragma unroll
        for (int i = 0; i < 48; ++i) a[i] = a[i] * a[(i + 7) % 48] + a[(i + 13) % 48];
#pragma unroll
    for (int i = 0; i < 48; ++i) out[threadIdx.x * 48 + i] = a[i];
}

template <int N>
struct policy {
    static constexpr unsigned threads = N;
    enum { blocks = 2 };
};

template <class T, class Policy>
__global__ void /*bounded*/ __launch_bounds__(Policy::threads, Policy::blocks) /*end*/ bounded(T* data, int count)
{
    __shared__ T part[256];
    T sum[24] = {};
    for (int i = threadIdx.x; i < count; i += blockDim.x)
#pragma unroll
        for (int j = 0; j < 24; ++j) sum[j] += data[i + j] * sum[(j + 5) % 24];
    part[threadIdx.x % 256] = sum[0];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 24; ++j) data[threadIdx.x + j] = sum[j] + part[(threadIdx.x + j) % 256];
}
template __global__ void bounded<float, policy<256>>(float*, int);
template __global__ void bounded<double, policy<128>>(double*, int);

namespace {

/*hidden*/ __launch_bounds__(128) /*end*/
__global__ void hidden(int* data);

__global__ void hidden(int* data)
{
    int a[20];
#pragma unroll
    for (int i = 0; i < 20; ++i) a[i] = data[i * threadIdx.x];
#pragma unroll
    for (int i = 0; i < 20; ++i) data[i * blockDim.x + threadIdx.x] = a[i] * a[(i + 3) % 20];
}

}  // namespace

__global__ void /*limited*/ __maxnreg__(40) /*end*/ limited(const double* in, double* out)
{
    double a[24];
#pragma unroll
    for (int i = 0; i < 24; ++i) a[i] = in[threadIdx.x * 24 + i];
#pragma unroll
    for (int i = 0; i < 24; ++i) out[threadIdx.x * 24 + i] = a[i] * a[(i + 7) % 24];
}

#define MAKE_SCALE(name) \
    __global__ void name(float* data) { data[threadIdx.x] *= 2; }
MAKE_SCALE(made)

void use(int* data)
{
    hidden<<<1, 128>>>(data);
}
