// How the bytes of a file with CUDA code are used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "image/binary.hpp"

namespace launchbox {

/// The images for one architecture.
struct architecture_size {
    std::string architecture, kind;  ///< "sm_90", "cubin"; the architecture is empty if unknown
    std::size_t images = 0, kernels = 0;
    std::uint64_t stored_bytes = 0;  ///< in the file: removing them would save this much
    std::uint64_t bytes = 0;         ///< decompressed
};

/// Kernels that are instantiations of one template, or one kernel.
struct template_size {
    std::string name;  ///< without template arguments
    std::size_t kernels = 0;
    std::int64_t code_bytes = 0;
    std::int64_t repeated_bytes = 0;  ///< of these, duplicates of code for the same architecture
};

struct code_size {
    std::string file;
    std::optional<std::uint64_t> file_bytes;          ///< `nullopt` for a member of a packed file
    std::uint64_t image_bytes = 0;                    ///< of all images, as stored
    std::vector<architecture_size> architectures;     ///< most bytes first
    std::vector<template_size> templates;             ///< most code first
    std::int64_t code_bytes = 0, repeated_bytes = 0;  ///< of all kernels: machine code, and its copies

    /// Host code and data, headers of images, padding: everything in the file but images.
    [[nodiscard]] std::optional<std::uint64_t> other_bytes() const
    {
        return file_bytes && *file_bytes >= image_bytes ? std::optional(*file_bytes - image_bytes) : std::nullopt;
    }
};

/// `kernels`: those of this file, with `code_hash`.
code_size size_of(const std::string& file, std::optional<std::uint64_t> file_bytes,
                  const std::vector<binary_image>& images, const std::vector<const inspected_kernel*>& kernels);

}  // namespace launchbox
