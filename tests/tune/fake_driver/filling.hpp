// What launchbox's own filling kernels do, written again for the double.
#pragma once

#include <string>

namespace fake {

/// `type`: what stands behind "launchbox_fill_".
void fill(const std::string& type, void** parameters);

}  // namespace fake
