// The energy of one launch: that of rounds with the launch, less that of the same rounds without it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/nvml.hpp"

namespace launchbox {

/// A round fills the outputs and launches; or does all of it but the launch. Now and then, at random, it also compares
/// what is there. False: there is no need to go on.
using measured_round = std::function<bool(bool launches)>;

struct launch_energy {
    std::vector<double> joules;  ///< of one launch, a sample a window of the counter; empty: nothing can be said
    double seconds = 0;          ///< by how much a round with the launch is longer
    std::string why_none = {};
};

class energy_meter {
public:
    explicit energy_meter(const nvml_device& gpu) : gpu_(gpu) {}

    /// What the GPU draws when nothing runs on it: asked the first time, before anything was launched. 0: not known.
    double idle_watts();
    /// `max_seconds` for the rounds with the launch. Rounds without it are measured once for each `surroundings`, a
    /// text that says what they do; empty: they are like no others.
    launch_energy measure(const measured_round& round, const std::string& surroundings, double max_seconds);
    /// Rounds without the launch are measured anew the next time.
    void forget_surroundings() { surroundings_.clear(); }

private:
    struct steady_draw {
        std::vector<double> watts;   // of windows
        double seconds_a_round = 0;  // 0: stopped
        [[nodiscard]] double joules_a_round() const;
    };
    /// Rounds until `enough` of the windows is true, or it takes too long.
    steady_draw draw(const std::function<bool()>& round, double max_seconds,
                     const std::function<bool(const steady_draw&)>& enough) const;

    const nvml_device& gpu_;
    std::optional<double> idle_watts_;
    std::string surroundings_;  // of `around_`
    steady_draw around_;
};

}  // namespace launchbox
