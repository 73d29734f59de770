#define T 512
void f() { merge<int><<<dim3(1), T>>>(0); }
__global__ void ::a::merge(int);
