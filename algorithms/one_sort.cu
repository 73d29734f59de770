// One sort with all its rows, to see how long it compiles and how large its machine code is: for the tests and
// docs/algorithms.md. KEY is the type of its keys.
//
//     nvcc -std=c++20 -arch=sm_90 -cubin -I ../include -DKEY=unsigned one_sort.cu -o one_sort.cubin
#include <launchbox/algorithms/merge_sort.cuh>

template void launchbox::merge_sort<void, KEY, launchbox::less>(cudaStream_t, KEY*, std::int64_t, launchbox::less,
                                                                launchbox::workspace);
