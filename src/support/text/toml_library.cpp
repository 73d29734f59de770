// toml++, compiled once, with the settings of src/CMakeLists.txt.
// SPDX-License-Identifier: Apache-2.0
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
