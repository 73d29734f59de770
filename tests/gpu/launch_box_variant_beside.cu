// Does not use launch_box; its object is linked with others, for another architecture.
__global__ void beside(int* data)
{
    data[threadIdx.x] = 1;
}

void launch_beside(int* data)
{
    beside<<<1, 32>>>(data);
}
