// Which of several words is meant: patterns and misspellings.
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// Whether a shell pattern (* ? [...]) or plain text names this kernel: by its mangled, full or short name.
bool matches_kernel(const std::string& pattern, const std::string& name, const std::string& demangled,
                    const std::string& short_form);

/// The candidate nearest to a misspelt word, when one is near; else empty.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace launchbox
