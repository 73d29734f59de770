// Recorded spaces of other tuners: those in tests/data/recorded, which always exist, and larger ones measured by
// others, if they are in a folder next to the repository.
#pragma once

#include <launchbox/sm_limits.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/files/files.hpp"

namespace launchbox {

struct recorded_spaces {
    std::filesystem::path kt_convolution, ktt_convolution, ktt_pnpoly;  ///< gzipped
    compute_capability gpu;
    nlohmann::json counts;  ///< of their contents, from an independent source
};

inline std::vector<recorded_spaces> all_recorded_spaces()
{
    const std::filesystem::path source = LAUNCHBOX_SOURCE_DIR, own = source / "tests/data/recorded",
                                others = source / "../shared/reference/data";
    std::vector<recorded_spaces> all{{own / "kt_convolution.json.gz",
                                      own / "ktt_convolution.json.gz",
                                      own / "ktt_pnpoly.json.gz",
                                      {9, 0},
                                      nlohmann::json::parse(read_input((own / "counts.json").string()))}};
    if (std::filesystem::exists(others))
        all.push_back({others / "kt_convolution_milo_A4000.json.gz",
                       others / "ktt_convolution_RTX_3090.json.gz",
                       others / "ktt_pnpoly_RTX_3090.json.gz",
                       {8, 6},
                       nlohmann::json::parse(R"({
                 "kt_convolution": {"candidates": 4362, "measured": 4201, "compile_errors": 6,
                                    "best_mean_ns": 1.0212e6, "compile_seconds": 11958},
                 "ktt_convolution": {"candidates": 6768, "measured": 5240, "best_mean_ns": 526624, "with_stack": 596},
                 "ktt_pnpoly": {"candidates": 4092, "measured": 3818, "best_mean_ns": 7224192, "with_stack": 0}})")});
    return all;
}

}  // namespace launchbox
