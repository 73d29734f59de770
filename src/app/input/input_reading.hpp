// The readers of each kind of input, and their shared state: what is asked for, and what was found so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/input/asked_architectures.hpp"
#include "app/input/kernel_input.hpp"
#include "app/input/triton_metadata.hpp"
#include "compiler/log/resource_log.hpp"
#include "image/kernel_memory.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {

struct input_reading {
    const kernel_request& request;
    const listener& news;
    const asked_architectures asked{request.architectures};
    kernel_memory memory{};
    kernel_input found = {};
    /// Code of the current input for architectures that are not in --arch.
    std::vector<other_code> others = {};
    /// Triton's metadata of kernels, by the file's name without its ending: "a.whl: cache/k.".
    std::map<std::string, metadata_reading> metadata_of = {};

    /// A kernel of the input that is added next.
    void add(kernel_info kernel) { found.kernels.push_back({std::move(kernel), found.inputs.size()}); }

    /// Takes out inputs from number `first` on, with their kernels.
    void erase_inputs(std::size_t first, const std::function<bool(const input_summary&)>& is_unwanted);
};

/// Whether the user named the file, or it was found in a folder or packed file. There, a file without kernels is no
/// input, unless its name promises some.
enum class given { by_name, found };

/// A file, mapped or in memory.
struct file_content {
    std::string_view bytes;
    std::vector<byte_range> data = {};  ///< where not all of it is there
};

/// Whether `bytes` may have compiled CUDA code: themselves, or packed as records.
bool may_hold_code(std::string_view bytes);

void read_source(input_reading& reading, const std::string& file, given how = given::by_name);
void read_log(input_reading& reading, const std::string& file, std::string_view text);
void read_binary_file(input_reading& reading, const std::string& file, const file_content& content, given how);
void read_folder(input_reading& reading, const std::string& folder);

/// A file that is neither a source nor a folder, recognised by its bytes: packed files, binaries, and logs if the user
/// named them. False: not a kind that launchbox reads.
bool read_content(input_reading& reading, const std::string& file, const file_content& content, given how);

/// By its name: .cubin and the like.
bool promises_kernels(std::string_view file);

/// A file of a container that has no code for the requested architectures is no input.
bool is_idle_member(const input_summary& file);

/// For a file that changes while it is read.
inline constexpr const char* was_changed = "was changed by another program while it was read";

/// A loop that is not unrolled can leave an array in local memory. The front end's warning names no kernel, so it is
/// attached to the kernels that have local memory and no spills.
void hand_on_unroll_warnings(const resource_log& log, std::vector<kernel_info>& kernels);

/// Adds launch figures, which no image contains: from Triton's metadata beside a cubin, and the dynamic shared memory
/// that the user names.
void add_launches(input_reading& reading);

/// Adds figures of the launches in the source. A launch with another block size than the user asks about does not
/// determine its dynamic shared memory.
void add_source_launches(const kernel_request& request, kernel_input& input);

/// Findings around the kernels of sources. Call it before kernels are filtered: whether a launch is wrong can depend on
/// all instantiations.
void lint_sources(const kernel_request& request, kernel_input& input);

}  // namespace launchbox
