// The double's GPU: memory, modules, a stream with a virtual clock, and the faults of the plan.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "image/kernel_info.hpp"
#include "plan.hpp"

namespace fake {

struct module;

struct function {
    module* owner = nullptr;
    std::string name;
    launchbox::kernel_info kernel;
    long launches = 0;
    int allowed_dynamic_shared = 48 << 10;
    bool large_clusters = false;
    int carveout = -1;  ///< preferred by the program, in percent; -1: none
};

struct module {
    std::map<std::string, function> functions;
    std::map<std::string, std::vector<char>> variables;
};

struct event {
    double at_ns = 0;
};

struct machine {
    CUresult dead = CUDA_SUCCESS;     ///< from now on every call returns this
    CUresult pending = CUDA_SUCCESS;  ///< what the next check of the stream finds
    bool hung = false;
    double clock_ns = 0;
    const volatile std::uint32_t* blocked_by = nullptr;
    std::map<CUdeviceptr, std::pair<std::unique_ptr<char[]>, std::size_t>> memory;
    std::map<CUdeviceptr, std::size_t> host;
    std::size_t used = 0;
    std::vector<char>* variable = nullptr;  ///< the last requested one
    std::string kernel;                     ///< of the last loaded module, for stages without a kernel
};

machine& gpu();
const json& device_plan(int device);

/// The plan's fault for this stage: an error to return, or something that never returns.
CUresult fault(const std::string& stage, const std::string& kernel);

struct shape {
    std::uint64_t blocks = 1, threads = 1, cluster = 1;
    unsigned dynamic_shared = 0;
};
CUresult launch(function& what, const shape& how, void** parameters);

}  // namespace fake
