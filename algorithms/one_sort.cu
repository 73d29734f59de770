// One sort with all its rows: what it costs to compile and how much machine code it is, for the tests and for
// docs/algorithms.md. KEY: the type of its keys.
//
//     nvcc -std=c++20 -arch=sm_90 -cubin -I ../include -DKEY=unsigned one_sort.cu -o one_sort.cubin
#include <launchbox/algorithms/merge_sort.cuh>

template void launchbox::merge_sort<void, KEY, launchbox::less>(cudaStream_t, KEY*, std::int64_t, launchbox::less,
                                                                launchbox::workspace);
