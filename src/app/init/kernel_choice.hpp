// The kernel that a spec is to be written for, compiled and as text, with its launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "advice/lint/launched_kernels.hpp"
#include "advice/lint/source_view.hpp"
#include "app/architectures.hpp"
#include "app/input/kernel_input.hpp"
#include "app/listener.hpp"
#include "source/source_kernels.hpp"

namespace launchbox {

struct init_request {
    std::string file;
    std::string kernel;                       ///< a pattern; empty: the only one
    std::optional<target> architecture = {};  ///< nullopt: that of the GPU here, else one that all compilers know
    std::string nvcc = {};
    std::vector<std::string> compiler_flags = {};
    bool no_cache = false;
    std::string written_to = {};  ///< the spec's file; empty or "-": its folder is the current one
};

/// A file of the source, read.
struct read_source_view {
    std::string file;
    bool is_preprocessed = false;  ///< no file: what the compiler sees, whose lines are elsewhere
    std::string text;
    std::optional<source_view> view = {};
};

struct kernel_choice {
    kernel_input input;
    std::deque<read_source_view> views;  ///< the source, its headers, and what the preprocessor makes of them
    bool is_made = false;                ///< an instance that the source does not have, and the user names
    const kernel_info* info = nullptr;
    const read_source_view* defined_in = nullptr;  ///< nullptr: the text does not show the kernel
    kernel_in_text text;
    const read_source_view* launched_in = nullptr;  ///< nullptr: no launch was found
    std::optional<kernel_launch> launch;
    std::vector<std::string> other_instances;  ///< of the same template, short
    std::size_t other_launches = 0;            ///< of the same kernel or template, behind this one
};

/// Compiles the source once. Throws `error`: one line that says what is missing.
kernel_choice choose_kernel(const init_request& request, const listener& news);

}  // namespace launchbox
