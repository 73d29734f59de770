// A CUDA runtime that launches nothing and says what an H200 says: so that what happens around a launch can be tested
// where there is no GPU. It has any number of kernels and GPUs, the errors of the real one, and counts what it is
// asked.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace launchbox {

/// A kernel on a GPU.
struct fake_code {
    int registers = 40;
    int max_threads = 1024;
    std::size_t static_shared = 0;
    std::size_t local = 0;
    int binary_version = 90;
    int ptx_version = 90;
    int max_dynamic_shared = 49152;
    bool large_clusters = false;
    cudaError_t attributes_status = cudaSuccess;
};

/// What a GPU says of itself.
struct fake_figures {
    int sms = 132, l2_bytes = 62914560;
    std::size_t memory_bytes = 150109945856;
    int memory_clock_khz = 3201000, memory_bus_bits = 6016;
};

/// What is the same for all threads. The members that it inherits are those of every kernel that is not in `codes`.
struct fake_runtime : fake_code {
    std::map<std::pair<const void*, int>, fake_code> codes;  ///< by kernel and device
    const char* symbol = "_Z5mergeIiEvPT_";                  ///< of kernels that nobody registered
    int runtime_blocks = 32;                                 ///< for the smallest block

    int major = 9;  ///< of GPUs that are not in `gpus`
    int visible_gpus = 1000;
    int driver = 13000;                        ///< its CUDA
    std::map<int, std::pair<int, int> > gpus;  ///< major and minor, by device
    std::map<int, fake_figures> figures;       ///< by device
    bool capturing = true;                     ///< a stream is, in the global mode
    cudaError_t device_status = cudaSuccess;   ///< cudaGetDevice
    cudaError_t lasting = cudaSuccess;         ///< every call fails with it
    cudaError_t refuse_with = cudaSuccess;     ///< every launch does

    // What was asked.
    int tried = 0, launched = 0, raised = 0, allowed = 0, questions = 0, cleared = 0;
    int in_the_way = 0;                                ///< questions that a capture would have been ended by
    std::map<std::pair<const void*, int>, int> asked;  ///< cudaFuncGetAttributes, by kernel and device
    std::vector<int> raised_to;
    std::vector<const void*> arguments;  ///< of the last launch that succeeded
    std::function<void(const cudaLaunchConfig_t&, const void* kernel, void** arguments)> on_launch;
};

/// What each thread has of its own.
struct fake_thread {
    int device = 0;
    cudaError_t last_error = cudaSuccess;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};

/// The one that answers now. Calls may come from many threads; what is set here is set while there is one.
extern fake_runtime fake;
extern thread_local fake_thread here;

/// The kernels of linked objects that were compiled by nvcc, by their symbols.
const std::map<std::string, const void*>& registered_kernels();

}  // namespace launchbox
