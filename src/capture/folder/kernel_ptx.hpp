// Finds the PTX of a captured kernel, in the files of the program and in what it passed to the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "capture/folder/raw_launch.hpp"

namespace launchbox {

/// The newest PTX module with this kernel and these parameters that the GPU of the launch can run. Empty if there is
/// none, or if several differ.
std::string ptx_of(const raw_launch& raw, const std::filesystem::path& observed);

}  // namespace launchbox
