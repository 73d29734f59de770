// cub:NAME: the specs of CUB's algorithms and what they are built of, the files of cub/ embedded into the tool.
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

/// The text of one of them; empty: there is none of that name.
std::string_view cub_file_named(std::string_view name);

/// "scan" of "cub:scan", which has to be one of the algorithms: otherwise an `error` lists them. `where` begins it.
std::string cub_algorithm(std::string_view name, const std::string& where);

}  // namespace launchbox
