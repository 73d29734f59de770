// An independent implementation of launchbox's own filling kernels, for the double.
#pragma once

#include <string>

namespace fake {

/// `type`: the rest of the name after "launchbox_fill_".
void fill(const std::string& type, void** parameters);

}  // namespace fake
