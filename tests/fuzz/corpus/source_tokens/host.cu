void f(dim3 g) {
 int t;
#if __CUDA_ARCH__ >= 900
 t = 1 << 9;
#else
 t = 2000;
#endif
 k<int><<<g, t, 0, s>>>();
 constexpr int u{3}; const dim3 b = dim3(u, 2000); k<<<1, b>>>();
}
