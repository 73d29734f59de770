// Decides when there are enough samples of a time. Plain C++: measure.cuh and the tool share it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace launchbox::detail {

struct sampling_rules {
    int min_samples = 10;  ///< 3 or more
    int max_samples = 1000;
    double relative_error = 0.005;  ///< standard error of the mean over the mean, at which sampling ends; 0: never
    double max_seconds = 2;         ///< of wall time for all samples
    double best_ns = 0;             ///< compared with the samples to give up early; 0: never give up
    double give_up_ratio = 1.5;     ///< give up if the first 3 or more samples all take this many times as long
    double certain_ratio = 0;       ///< give up if the first sample takes this many times as long; 0: never
};

enum class sampling_state { more, enough, out_of_time, given_up };

/// The samples so far, and whether another one is needed.
class sample_series {
public:
    explicit sample_series(const sampling_rules& rules);
    void add(double sample_ns);
    void drop();  ///< a sample was taken, but is not kept
    /// `seconds`: wall time since the first sample began. While no sample has been kept, more are needed, until
    /// `max_samples` have been dropped: then `out_of_time`.
    [[nodiscard]] sampling_state state(double seconds) const;
    [[nodiscard]] const std::vector<double>& samples_ns() const;
    [[nodiscard]] int dropped() const;

private:
    [[nodiscard]] bool mean_is_known() const;
    [[nodiscard]] bool drifts(double standard_error) const;
    [[nodiscard]] bool entropy_is_level() const;
    void note_entropy(double sample_ns);

    sampling_rules rules_;
    std::vector<double> samples_;
    std::vector<double> sums_;  // prefix sums of the samples: two of them give the mean of any range
    double mean_ = 0, squares_ = 0, least_ = 0;
    std::unordered_map<long long, int> bins_;
    double counts_ = 0;  // sum over the bins of count * log2(count)
    std::vector<double> entropies_;
    int dropped_ = 0;
};

inline sample_series::sample_series(const sampling_rules& rules) : rules_(rules) {}

inline void sample_series::add(double sample_ns)
{
    least_ = samples_.empty() ? sample_ns : std::min(least_, sample_ns);
    samples_.push_back(sample_ns);
    sums_.push_back((sums_.empty() ? 0 : sums_.back()) + sample_ns);
    // Welford's algorithm: the difference of two large squares would keep few digits of a small deviation.
    const double distance = sample_ns - mean_;
    mean_ += distance / static_cast<double>(samples_.size());
    squares_ += distance * (sample_ns - mean_);
    note_entropy(sample_ns);
}

inline void sample_series::drop()
{
    ++dropped_;
}

inline sampling_state sample_series::state(double seconds) const
{
    const int count = static_cast<int>(samples_.size());
    if (count == 0) return dropped_ < rules_.max_samples ? sampling_state::more : sampling_state::out_of_time;
    if (count >= rules_.max_samples) return sampling_state::enough;
    if (count >= std::max(rules_.min_samples, 3) && rules_.relative_error > 0 &&
        (mean_is_known() || entropy_is_level()))
        return sampling_state::enough;
    if (rules_.best_ns > 0) {
        if (count >= 3 && least_ >= rules_.give_up_ratio * rules_.best_ns) return sampling_state::given_up;
        if (rules_.certain_ratio > 0 && least_ >= rules_.certain_ratio * rules_.best_ns)
            return sampling_state::given_up;
    }
    return seconds >= rules_.max_seconds ? sampling_state::out_of_time : sampling_state::more;
}

inline const std::vector<double>& sample_series::samples_ns() const
{
    return samples_;
}

inline int sample_series::dropped() const
{
    return dropped_;
}

inline bool sample_series::mean_is_known() const
{
    const double count = static_cast<double>(samples_.size());
    const double standard_error = std::sqrt(squares_ / (count - 1) / count);
    return standard_error <= rules_.relative_error * mean_ && !drifts(standard_error);
}

// The standard error assumes independent samples. While the GPU warms up they are not, and ten samples on a slope have
// a small standard error. For independent samples the difference between the means of the two halves is normal with
// deviation 2 * standard_error. If it exceeds two deviations (5 %), and matters, it is a slope.
inline bool sample_series::drifts(double standard_error) const
{
    const std::size_t count = samples_.size(), half = count / 2;
    const double first = sums_[half - 1] / static_cast<double>(half);
    const double second = (sums_[count - 1] - sums_[count - half - 1]) / static_cast<double>(half);
    const double difference = std::abs(second - first);
    return difference > rules_.relative_error * mean_ && difference > 4 * standard_error;
}

// The times of some kernels scatter so much that their standard error never gets small. Then sampling ends when new
// samples no longer change the known distribution: a line through the recent entropies must be level, and R^2
// distinguishes a line from scattered values. The limits and the number of entropies are those of nvbench.
inline bool sample_series::entropy_is_level() const
{
    constexpr std::size_t longest = 299;
    constexpr double steepest = 8.3776e-4;  // the tangent of 0.048 degrees: bits per sample
    constexpr double min_r2 = 0.36;

    const std::size_t length = std::min(longest, entropies_.size());
    const double* recent = entropies_.data() + (entropies_.size() - length);
    const double middle = static_cast<double>(length - 1) / 2;
    double mean = 0;
    for (std::size_t i = 0; i < length; ++i) mean += recent[i];
    mean /= static_cast<double>(length);
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < length; ++i) {
        const double x = static_cast<double>(i) - middle, y = recent[i] - mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    const double slope = xy / xx;
    // Equal entropies are level: a line cannot be fitted to rounding errors.
    if (yy < 1e-20) return true;
    return std::abs(slope) <= steepest && slope * xy / yy >= min_r2;
}

// Samples count as equal within relative_error. nvbench leaves this to the resolution of the GPU's clock, but then
// every sample of a long kernel is a different value, and the entropy grows forever.
inline void sample_series::note_entropy(double sample_ns)
{
    if (!(rules_.relative_error > 0)) return;
    const double logarithm = std::log(std::clamp(sample_ns, 1.0, 1e18));
    const double width = std::log1p(std::max(rules_.relative_error, 1e-6));
    int& same = bins_[static_cast<long long>(logarithm / width)];
    const auto term = [](int count) { return count == 0 ? 0 : count * std::log2(static_cast<double>(count)); };
    counts_ -= term(same);
    counts_ += term(++same);
    const double count = static_cast<double>(samples_.size());
    entropies_.push_back(std::log2(count) - counts_ / count);
}

}  // namespace launchbox::detail
