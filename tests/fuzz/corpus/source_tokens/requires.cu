template <class T>
requires requires(T t) { t + 1; }
__global__ void merge(T* p) {}
