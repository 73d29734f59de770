// The energy of one launch: that of rounds with the launch, minus that of the same rounds without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/nvml.hpp"

namespace launchbox {

/// A round fills the outputs and launches; or does everything except the launch. Occasionally, at random, it also
/// compares the result. Returns false if further rounds are useless.
using measured_round = std::function<bool(bool launches)>;

struct launch_energy {
    std::vector<double> joules;  ///< of one launch, a sample a window of the counter; empty: nothing can be said
    double seconds = 0;          ///< by how much a round with the launch is longer
    std::string why_none = {};
};

class energy_meter {
public:
    explicit energy_meter(const nvml_device& gpu) : gpu_(gpu) {}

    /// The power of the idle GPU: measured at the first call, before anything was launched. 0: not known.
    double idle_watts();
    /// `max_seconds` limits the rounds with the launch. Rounds without it are measured once for each `surroundings`, a
    /// text that describes them; empty: they are never shared.
    launch_energy measure(const measured_round& round, const std::string& surroundings, double max_seconds);
    /// Forces a new measurement of the rounds without the launch.
    void forget_surroundings() { surroundings_.clear(); }

private:
    struct steady_draw {
        std::vector<double> watts;   // of windows
        double seconds_a_round = 0;  // 0: stopped
        [[nodiscard]] double joules_a_round() const;
    };
    /// Runs rounds until `enough` returns true for the windows, or the time limit is reached.
    steady_draw draw(const std::function<bool()>& round, double max_seconds,
                     const std::function<bool(const steady_draw&)>& enough) const;

    const nvml_device& gpu_;
    std::optional<double> idle_watts_;
    std::string surroundings_;  // of `around_`
    steady_draw around_;
};

}  // namespace launchbox
