// SPDX-License-Identifier: Apache-2.0
#include "image/launch_attribute.hpp"

namespace launchbox {

std::string attribute_source(const launch_attribute& attribute)
{
    if (attribute.max_registers > 0) return "__maxnreg__(" + std::to_string(attribute.max_registers) + ")";
    if (attribute.threads <= 0) return {};
    std::string text = "__launch_bounds__(" + std::to_string(attribute.threads);
    if (attribute.min_blocks > 0 || attribute.max_cluster_blocks > 0)
        text += ", " + std::to_string(attribute.min_blocks);
    if (attribute.max_cluster_blocks > 0) text += ", " + std::to_string(attribute.max_cluster_blocks);
    return text + ")";
}

}  // namespace launchbox
