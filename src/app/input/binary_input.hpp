// Files with compiled CUDA code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/files/mapped_file.hpp"

namespace launchbox {

struct input_reading;

/// Whether the user named the file, or it was found in a folder or packed file: what holds no kernel there is no input,
/// unless its name says that it does.
enum class given { by_name, found };

/// A file, mapped or in memory.
struct file_content {
    std::string_view bytes;
    std::vector<byte_range> data = {};  ///< where not all of it is there
};

void read_binary_file(input_reading& reading, const std::string& file, const file_content& content, given how);

/// By its name: .cubin and the like.
bool promises_kernels(std::string_view file);

}  // namespace launchbox
