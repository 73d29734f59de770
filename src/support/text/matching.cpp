// SPDX-License-Identifier: Apache-2.0
#include "support/text/matching.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>

namespace launchbox {

bool matches_architecture(const compute_capability& wanted, std::string_view name)
{
    constexpr std::string_view of_ptx = "compute_";
    const auto is = parse_compute_capability(name.starts_with(of_ptx) ? "sm_" + std::string(name.substr(of_ptx.size()))
                                                                      : std::string(name));
    return is && wanted.major == is->major && wanted.minor == is->minor &&
           (wanted.variant == architecture_variant::plain || wanted.variant == is->variant);
}

bool matches_kernel(const std::string& pattern, const std::string& name, const std::string& demangled,
                    const std::string& short_form)
{
    for (const std::string* candidate : {&name, &demangled, &short_form})
        if (*candidate == pattern || ::fnmatch(pattern.c_str(), candidate->c_str(), 0) == 0) return true;
    return false;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates)
{
    std::string best;
    std::size_t best_distance = 3;  // a larger distance is not a misspelling
    for (const std::string& candidate : candidates) {
        std::vector<std::size_t> row(candidate.size() + 1);
        for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
        for (std::size_t i = 1; i <= word.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j < row.size(); ++j) {
                const std::size_t replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = candidate;
        }
    }
    return best;
}

}  // namespace launchbox
