// A CUDA runtime that launches nothing and answers like an H200, to test the code around a launch without a GPU. It has
// any number of kernels and GPUs, returns the errors of the real one, and counts the calls.
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

/// Attributes of a GPU.
struct fake_figures {
    int sms = 132, l2_bytes = 62914560;
    std::size_t memory_bytes = 150109945856;
    int memory_clock_khz = 3201000, memory_bus_bits = 6016;
};

/// State shared by all threads. The inherited members are those of every kernel that is not in `codes`.
struct fake_runtime : fake_code {
    std::map<std::pair<const void*, int>, fake_code> codes;  ///< by kernel and device
    const char* symbol = "_Z5mergeIiEvPT_";                  ///< of unregistered kernels
    int runtime_blocks = 32;                                 ///< for the smallest block

    int major = 9;  ///< of GPUs that are not in `gpus`
    int visible_gpus = 1000;
    int driver = 13000;                        ///< CUDA version of the driver
    std::map<int, std::pair<int, int> > gpus;  ///< major and minor, by device
    std::map<int, fake_figures> figures;       ///< by device
    bool capturing = true;                     ///< whether a stream is captured, in the global mode
    cudaError_t device_status = cudaSuccess;   ///< cudaGetDevice
    cudaError_t lasting = cudaSuccess;         ///< every call returns this error
    cudaError_t refuse_with = cudaSuccess;     ///< every launch returns it

    // Counts of calls.
    int tried = 0, launched = 0, raised = 0, allowed = 0, questions = 0, cleared = 0;
    int in_the_way = 0;                                ///< queries that would have ended a capture
    std::map<std::pair<const void*, int>, int> asked;  ///< cudaFuncGetAttributes, by kernel and device
    std::vector<int> raised_to;
    std::vector<const void*> arguments;  ///< of the last launch that succeeded
    std::function<void(const cudaLaunchConfig_t&, const void* kernel, void** arguments)> on_launch;
};

/// State of each thread.
struct fake_thread {
    int device = 0;
    cudaError_t last_error = cudaSuccess;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};

/// The current one. Calls may come from many threads; settings change while only one thread runs.
extern fake_runtime fake;
extern thread_local fake_thread here;

/// The kernels of linked objects compiled by nvcc, by symbol.
const std::map<std::string, const void*>& registered_kernels();

}  // namespace launchbox
