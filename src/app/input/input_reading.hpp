// What the readers of the kinds of input share: what is asked for, and what was found so far.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/input/asked_architectures.hpp"
#include "app/input/kernel_input.hpp"
#include "app/input/triton_metadata.hpp"
#include "image/kernel_memory.hpp"

namespace launchbox {

struct input_reading {
    const kernel_request& request;
    const listener& news;
    const asked_architectures asked{request.architectures};
    kernel_memory memory{};
    kernel_input found = {};
    /// Code for architectures that nobody asked for, of the input that is being read.
    std::vector<other_code> others = {};
    /// What Triton says of kernels, by the name of the file that they are in up to its ending: "a.whl: cache/k.".
    std::map<std::string, metadata_reading> metadata_of = {};

    /// A kernel of the input that is added next.
    void add(kernel_info kernel) { found.kernels.push_back({std::move(kernel), found.inputs.size()}); }

    /// Takes out inputs from number `first` on, with their kernels.
    void erase_inputs(std::size_t first, const std::function<bool(const input_summary&)>& is_unwanted);
};

}  // namespace launchbox
