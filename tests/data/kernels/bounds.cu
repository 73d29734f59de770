// Launch bounds that the compiler honours, and some that it does not.
extern "C" __global__ void no_bounds(float* out)
{
    out[0] = 1;
}

extern "C" __global__ void __launch_bounds__(256) one_bound(float* out)
{
    out[0] = 1;
}

extern "C" __global__ void __launch_bounds__(256, 2) two_bounds(float* out)
{
    out[0] = 1;
}

extern "C" __global__ void __launch_bounds__(1024, 4) too_many_threads(float* out)
{
    out[0] = 1;
}

extern "C" __global__ void __launch_bounds__(64, 99) too_many_blocks(float* out)
{
    out[0] = 1;
}

extern "C" __global__ void __maxnreg__(40) limited(float* out)
{
    out[0] = 1;
}

extern "C" __global__ void __maxnreg__(8) limited_below_range(float* out)
{
    out[0] = 1;
}
