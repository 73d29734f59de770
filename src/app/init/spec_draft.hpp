// A spec that launchbox writes for a kernel: the known parts, and comments where the user has to fill something in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// One line of a spec: `comment` is put behind it, or above it if it is long.
struct draft_line {
    std::string text, comment = {};
};

struct draft_parameter {
    std::string name;
    std::vector<std::string> values;  ///< as TOML writes them, rising
    std::string baseline;
    std::string comment = {};
};

struct draft_workload_value {
    std::string name, value;
    std::string comment = {};
};

struct draft_argument {
    std::string name, type;
    std::string count = {};  ///< of an array
    std::string value = {};  ///< of a scalar
    std::string fill = {};
    std::string role = {};
    std::string comment = {};
};

struct spec_draft {
    std::vector<std::string> head;  ///< comments that it begins with
    std::string name;
    std::vector<draft_parameter> parameters;
    bool baseline_is_known = true;  ///< it is what the source has
    std::vector<std::string> constraints;
    std::vector<draft_workload_value> workload;
    std::string source, kernel;
    std::vector<std::string> threads, blocks;  ///< expressions, one to three
    std::string threads_comment = {}, blocks_comment = {};
    std::string dynamic_shared = {}, dynamic_shared_comment = {};
    std::vector<std::string> cluster = {};
    std::vector<std::string> constants = {};  ///< parameters that are macros or constants of the source
    std::vector<std::string> flags = {};
    std::string compiler = {};
    std::vector<draft_argument> arguments;
    std::vector<draft_line> variables = {};
    std::vector<draft_line> verify = {};
};

/// As TOML; parse_tune_spec reads it.
std::string text_of(const spec_draft& draft);

}  // namespace launchbox
