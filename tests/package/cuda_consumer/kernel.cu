#include <launchbox/launch.cuh>

#if __cplusplus < 202002L
#error "launchbox::launchbox asks for C++20 in CUDA sources too"
#endif

__global__ void twice(int* data)
{
    data[threadIdx.x] *= 2;
}

void twice_all(int* data)
{
    launchbox::launch(twice, {.grid = 1, .threads = 256}, data);
}
