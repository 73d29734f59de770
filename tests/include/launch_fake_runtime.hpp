// A CUDA runtime that launches nothing and says what an H200 says: so that what happens around a launch can be tested
// where there is no GPU. It has one kernel on one device, the errors of the real one, and counts what it is asked.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

namespace launchbox {

struct fake_runtime {
    // The kernel.
    int registers = 40;
    int max_threads = 1024;
    std::size_t static_shared = 0;
    int ptx_version = 90;
    int max_dynamic_shared = 49152;
    bool large_clusters = false;
    cudaError_t attributes_status = cudaSuccess;
    const char* symbol = "_Z5mergeIiEvPT_";
    int runtime_blocks = 32;  ///< for the smallest block

    // The GPU.
    int major = 9;
    int device = 0;
    bool capturing = true;                  ///< a stream is, in the global mode
    cudaError_t lasting = cudaSuccess;      ///< every call fails with it
    cudaError_t refuse_with = cudaSuccess;  ///< every launch does
    cudaError_t last_error = cudaSuccess;

    // What was asked.
    int tried = 0, launched = 0, raised = 0, allowed = 0, questions = 0, cleared = 0;
    std::vector<int> raised_to;
    std::vector<const void*> arguments;  ///< of the last launch that succeeded
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
};

/// The one that answers now.
extern fake_runtime fake;

}  // namespace launchbox
