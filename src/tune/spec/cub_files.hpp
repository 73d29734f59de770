// cub:NAME: the specs of CUB's algorithms and their sources, the files of cub/ embedded into the tool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace launchbox {

struct cub_file {
    std::string_view name;  ///< "scan.toml", "launchbox/measure.cuh"
    std::string_view text;
};
std::span<const cub_file> cub_files();

/// The text of one of them; empty if there is no file of that name.
std::string_view cub_file_named(std::string_view name);

/// "scan" of "cub:scan". Throws `error`, beginning with `where`, and lists the algorithms if it is not one of them.
std::string cub_algorithm(std::string_view name, const std::string& where);

}  // namespace launchbox
