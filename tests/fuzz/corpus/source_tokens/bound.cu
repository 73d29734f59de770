// x
__global__ void
__launch_bounds__(256,
 2) merge(int* p) { *p = 1; }
