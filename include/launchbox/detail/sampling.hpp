// When there are enough samples of a time. Plain C++: the same decisions in measure.cuh and in the tool.
#pragma once

#include <cstddef>
#include <vector>

namespace launchbox::detail {

struct sampling_rules {
    int min_samples = 10;  ///< 3 or more
    int max_samples = 1000;
    double relative_error = 0.005;  ///< standard error of the mean over the mean at which it is enough
    double max_seconds = 2;         ///< of wall time for all samples
    double best_ns = 0;             ///< what the samples are compared with to give up early; 0: nothing
    double give_up_ratio = 1.5;     ///< given up when the first 3 or more samples all take this many times as long
};

enum class sampling_state { more, enough, out_of_time, given_up };

/// The samples so far, and whether there is need for another.
class sample_series {
public:
    explicit sample_series(const sampling_rules& rules);
    void add(double sample_ns);
    void drop();  ///< one was taken and is not kept
    /// `seconds`: wall time since the first sample was begun.
    [[nodiscard]] sampling_state state(double seconds) const;
    [[nodiscard]] const std::vector<double>& samples_ns() const;
    [[nodiscard]] int dropped() const;
};

}  // namespace launchbox::detail
