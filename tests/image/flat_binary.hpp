// What read_binary returns with the kernels of all images in one list.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/binary.hpp"
#include "image/min_blocks.hpp"

namespace launchbox {

struct flat_contents {
    std::string kind;
    std::vector<binary_image> images;
    std::vector<kernel_info> kernels;
    std::vector<image_diagnostic> diagnostics;
};

inline flat_contents read_flat(std::string_view bytes, const std::string& file, const binary_options& options = {})
{
    binary_contents contents = read_binary(bytes, file, options);
    EXPECT_EQ(contents.images.size(), contents.kernels.size());
    flat_contents flat{std::move(contents.kind), std::move(contents.images), {}, std::move(contents.diagnostics)};
    for (std::vector<kernel_info>& kernels : contents.kernels)
        for (kernel_info& kernel : kernels) flat.kernels.push_back(std::move(kernel));
    return flat;
}

/// Diagnostics of a reader about its input, one per line: "byte: what".
template <class Contents>
std::string diagnostics_of(const Contents& contents)
{
    std::string all;
    for (const image_diagnostic& diagnostic : contents.diagnostics)
        all += std::to_string(diagnostic.offset) + ": " + diagnostic.what + "\n";
    return all;
}

/// add_min_blocks for kernels that each have their own image.
inline void add_min_blocks_flat(std::vector<kernel_info>& kernels, const std::vector<std::size_t>& container_of)
{
    std::vector<std::vector<kernel_info>> images;
    for (kernel_info& kernel : kernels) images.push_back({std::move(kernel)});
    add_min_blocks(images, container_of);
    kernels.clear();
    for (std::vector<kernel_info>& image : images)
        for (kernel_info& kernel : image) kernels.push_back(std::move(kernel));
}

}  // namespace launchbox
