__global__ void \
__launch_bounds__(1) \
merge(int) {}
