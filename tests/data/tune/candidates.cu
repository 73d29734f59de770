// Candidates for tests with a double of the driver, which computes for them: what it does depends on the name alone.
template <int fault, int threads, int items>
__global__ void __launch_bounds__(threads < 1024 ? threads : 1024) candidate(const int* in, int* out, int n)
{
    static_assert(fault != 20, "this one does not compile");
    if (n == -1 - fault) out[0] = fault;  // never: but identical code would be measured once
    for (int i = 0; i < items; ++i)
        if (const int at = (blockIdx.x * items + i) * threads + threadIdx.x; at < n) out[at] = in[at];
}
