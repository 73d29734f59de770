// Tracks where the program's modules come from: only there is the PTX of a kernel looked for. A cubin has none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace launchbox {

/// Not thread-safe.
class loaded_images {
public:
    explicit loaded_images(std::string folder) : folder_(std::move(folder)) {}

    /// The driver functions for which `called` must be called after they have returned.
    static std::span<const CUpti_CallbackId> calls();

    /// For a call that succeeded.
    void called(CUpti_CallbackId id, const void* parameters);

    /// The kernel that this function belongs to; null if unknown.
    [[nodiscard]] CUkernel kernel_of(CUfunction function) const;

    /// Lines of `launch_format.hpp`: where the PTX of a kernel in this library or module may be.
    std::string ptx_sources(CUlibrary library, CUmodule module);

private:
    // What the program passed to the driver. If neither is set, a cubin.
    struct origin {
        std::optional<std::size_t> copy;  // the number of the copy's file
        const void* in_library = nullptr;
        std::string library;  // the file from which the process has mapped it
    };

    origin origin_at(const void* image);
    origin origin_in(const char* file);
    [[nodiscard]] const origin* find(CUlibrary library, CUmodule module) const;
    std::optional<std::size_t> keep(std::string_view image);

    const std::string folder_;
    std::unordered_map<CUmodule, origin> modules_;
    std::unordered_map<CUlibrary, origin> libraries_;
    std::unordered_map<CUmodule, CUlibrary> library_of_module_;
    std::unordered_map<CUfunction, CUkernel> kernel_of_function_;
    std::vector<std::size_t> linked_;  // copies of inputs to the driver's linker
    std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace launchbox
