// Captures one launch completely: the kernel's arguments, and the memory that it can reach, before and after.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/observer/loaded_images.hpp"
#include "capture/observer/tracked_memory.hpp"
#include "capture/record/record_format.hpp"
#include "support/loaded_library.hpp"

namespace launchbox {

/// The driver functions that are called for a launch to be captured.
struct driver_calls {
    loaded_library driver;                                                        ///< loaded by the program
    decltype(&cuFuncGetParamInfo) parameter = driver.need("cuFuncGetParamInfo");  ///< since 12.4
    decltype(&cuKernelGetFunction) function_of_kernel = driver.need("cuKernelGetFunction");
    decltype(&cuKernelGetLibrary) library_of =
        driver.find("cuKernelGetLibrary");  ///< since 12.5; null: the driver is older
    decltype(&cuFuncGetModule) module_of = driver.need("cuFuncGetModule");
    decltype(&cuFuncGetAttribute) attribute = driver.need("cuFuncGetAttribute");
    decltype(&cuModuleGetGlobal) variable = driver.need("cuModuleGetGlobal_v2");
    decltype(&cuCtxSynchronize) synchronize = driver.need("cuCtxSynchronize");
    decltype(&cuMemcpyDtoH) copy_to_host = driver.need("cuMemcpyDtoH_v2");
    decltype(&cuPointerGetAttribute) pointer_attribute = driver.need("cuPointerGetAttribute");
    decltype(&cuStreamIsCapturing) is_capturing = driver.need("cuStreamIsCapturing");
    decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode =
        driver.need("cuThreadExchangeStreamCaptureMode");
};

/// The wanted launch, in the form that `launch_format.hpp` describes for the environment.
struct wanted_launch {
    std::string pattern;
    std::uint64_t nth = 1;
    bool has_shape = false;
    std::array<unsigned, 6> shape{};
    std::uint64_t limit = 0;
    bool all_memory = false;

    /// From this process's environment; if the pattern is empty, no launch is wanted.
    static wanted_launch of_environment();
};

class launch_capture {
public:
    launch_capture(std::string folder, wanted_launch wanted, const driver_calls& driver)
        : folder_(std::move(folder)), wanted_(std::move(wanted)), driver_(driver), images_(folder_)
    {
    }

    /// The driver functions for which `called` must be called.
    static std::vector<CUpti_CallbackId> calls();

    /// Called before and after each of these calls, on the calling thread.
    void called(CUpti_CallbackId id, const CUpti_CallbackData& call);

    /// A module was loaded.
    void loaded(std::string_view image, const record::module_block& module);

    /// No further calls are needed: the launch is kept, or cannot be.
    [[nodiscard]] bool is_over() const { return over_; }

    /// Why no launch was captured, as a sentence for the user; empty if one was, or if none matched.
    std::string failure();

private:
    struct launch;
    struct kept_memory {
        std::string group;  ///< "memory" or "variable"
        std::size_t number = 0;
        CUdeviceptr address = 0;
        std::size_t bytes = 0;
        std::string kind, name;  ///< `name`: of a variable
        bool referenced = false;
        bool is_changed = false;  ///< by the launch; if not, only the "before" file exists
    };
    struct known_module {
        record::module_block module{};
        std::set<std::string, std::less<>> kernels, variables;
    };

    bool is_wanted(const launch& current);
    bool fits(CUfunction function, const char* name);
    bool claim();
    void before(const launch& current);
    void after(const launch& current);
    void take_arguments(const launch& current);
    void find_library(CUfunction function);
    void take_variables();
    void take_memory();
    void look_for_pointers(std::span<const unsigned char> bytes);
    void look_up(CUdeviceptr address);
    void look_up_pinned(CUdeviceptr address);
    bool is_tracked(CUdeviceptr address);
    bool is_texture(std::uint64_t word);
    void refuse_foreign_pointers();
    template <class Use>
    void read_memory(const kept_memory& memory, const Use& use);
    void copy_before(const kept_memory& memory);
    bool copy_after(const kept_memory& memory);
    void write_text(const launch& current);
    void fail(const std::string& why);
    template <class Step>
    void capture(const Step& step);
    void remove_files();
    [[nodiscard]] std::string path(const std::string& file) const { return folder_ + "/" + file; }

    const std::string folder_;
    const wanted_launch wanted_;
    const driver_calls driver_;

    std::mutex lock_;  // guards memory_, images_, modules_, failure_, fits_
    tracked_memory memory_;
    loaded_images images_;
    std::vector<known_module> modules_;
    std::unordered_map<CUfunction, std::pair<const char*, bool>> fits_;
    std::string failure_;
    std::uint64_t seen_ = 0, in_stream_capture_ = 0;
    std::atomic<bool> over_ = false;

    // State of the launch being captured, used by one thread.
    CUfunction function_ = nullptr;
    CUlibrary library_ = nullptr;  // if the driver knows it
    CUmodule module_ = nullptr;
    std::vector<unsigned char> arguments_;
    std::vector<std::pair<std::size_t, std::size_t>> parameters_;  // offset, bytes
    std::vector<kept_memory> kept_;
    std::set<CUdeviceptr> known_ranges_;
    std::map<CUdeviceptr, std::size_t> variables_at_;  // index in kept_
    std::uint64_t total_ = 0, pinned_pointers_ = 0;
    std::set<std::size_t> textures_;  // parameters that may be texture handles
    std::array<int, 6> attributes_{};
    std::array<std::vector<unsigned char>, 2> pieces_;
};

}  // namespace launchbox
