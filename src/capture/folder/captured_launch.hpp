// A captured launch in its folder: capture.json, the module, and the memory that the kernel can reach.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "image/module_symbols.hpp"

namespace launchbox {

/// A piece of memory: its address, and the files with its content. File names are relative to the folder, and files are
/// compressed with zstd.
struct captured_memory {
    std::uint64_t address = 0, bytes = 0;
    std::string kind;                               ///< device, pool, mapped, managed; "variable": of the module
    std::string name;                               ///< of a variable
    std::string before, after;                      ///< `after` is empty if the launch did not change it
    std::uint64_t before_hash = 0, after_hash = 0;  ///< XXH3 of the bytes, not of the files
    std::uint64_t changed_bytes = 0;
    bool referenced = false;  ///< of a variable: other captured memory points to it

    [[nodiscard]] bool is_variable() const;

    friend bool operator==(const captured_memory&, const captured_memory&) = default;
};

struct captured_launch {
    std::string kernel;  ///< as the driver knows it
    std::string module;  ///< the file of the cubin
    std::uint64_t module_hash = 0;
    std::string architecture;  ///< of the module, "sm_90"
    std::string ptx;           ///< the file with PTX of the kernel; empty if none was found
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
    std::uint32_t dynamic_shared_bytes = 0, max_threads = 1024;
    bool cooperative = false;
    int carveout_percent = -1;                ///< -1: not requested
    std::string arguments;                    ///< the argument block, bytes
    std::vector<parameter_place> parameters;  ///< where each is in `arguments`
    std::vector<captured_memory> memory, variables;
    std::vector<std::string> command;
    std::uint64_t number = 1;           ///< among the launches that matched
    std::vector<std::string> warnings;  ///< what a replay lacks

    [[nodiscard]] std::uint64_t changed_bytes() const;

    friend bool operator==(const captured_launch&, const captured_launch&) = default;
};

/// The files of a capture folder.
inline constexpr const char* capture_file = "capture.json";

/// In the form of launchbox.capture/1.
std::string capture_json(const captured_launch& launch);

/// Throws `error` for malformed text, impossible sizes and addresses, overlapping memory or parameters, file names that
/// lead out of the folder, and memory that is listed as changed but is not.
captured_launch parse_capture(std::string_view text, const std::string& file);

/// Reads "folder/capture.json". Throws `error`.
captured_launch read_capture(const std::filesystem::path& file);

/// The module, after checking its hash. Throws `error`.
std::string read_captured_module(const captured_launch& launch, const std::filesystem::path& folder);

std::uint64_t hash_of_bytes(std::string_view bytes);

}  // namespace launchbox
