#if A
#ifdef B
extern "C"
#else
static
#endif
#elif 1
__global__
#endif
void merge(int)
#else
{}
#endif
#endif
