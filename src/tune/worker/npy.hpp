// NumPy's .npy files, versions 1 to 3, C order, little endian: the format of kernel data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

struct npy_array {
    std::string type;                 ///< NumPy's text without the order: "i4", "f8", "b1", "V2"
    std::vector<std::int64_t> shape;  ///< empty for a single value
    std::int64_t count = 1;           ///< elements in all
    int element_bytes = 0;
    std::string_view data;  ///< count * element_bytes bytes of what was read
};

/// Whether bytes begin as an .npy file.
bool is_npy(std::string_view bytes);

/// Throws `error` unless it is exactly one complete file of that format. `name` is used in messages.
npy_array read_npy(std::string_view bytes, const std::string& name);

/// The header of an array with one dimension; bfloat16, which NumPy does not have, is stored as its bytes.
std::string npy_header(const element_type& type, std::int64_t count);

/// Whether an array holds elements of a type: the same size, and the same kind if NumPy has it.
bool holds(const npy_array& array, const element_type& type);

}  // namespace launchbox
