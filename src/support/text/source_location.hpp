// A place in source text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

struct source_location {
    std::string file;
    int line = 0;  ///< from 1

    friend bool operator==(const source_location&, const source_location&) = default;
};

}  // namespace launchbox
