// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/energy_meter.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "gpu/energy_watch.hpp"

namespace launchbox {

namespace {

// Left out are the step in which the rounds began, which includes energy from before, and the next one, because the
// counter lags.
constexpr std::size_t steps_left_out = 2, steps_a_window = 2, min_windows = 3, idle_steps = 2;
// A counter that has not moved for this long does not work.
constexpr double longest_step = 2;
constexpr double good_error = 0.01;  // of the mean over the windows

double mean_of(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double error_of_mean(const std::vector<double>& values)
{
    const double mean = mean_of(values), count = static_cast<double>(values.size());
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::sqrt(squares / (count - 1) / count);
}

}  // namespace

double energy_meter::steady_draw::joules_a_round() const
{
    return watts.empty() ? 0 : mean_of(watts) * seconds_a_round;
}

double energy_meter::idle_watts()
{
    if (idle_watts_) return *idle_watts_;
    const energy_watch watch(gpu_);
    while (watch.steps().size() <= 1 + idle_steps && watch.seconds() < longest_step)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::vector<double> watts = watts_of_windows(watch.steps(), 1, idle_steps);
    return idle_watts_.emplace(watts.empty() ? 0 : watts.front());
}

energy_meter::steady_draw energy_meter::draw(const std::function<bool()>& round, double max_seconds,
                                             const std::function<bool(const steady_draw&)>& enough) const
{
    steady_draw found;
    const energy_watch watch(gpu_);
    std::size_t rounds = 0, seen = 0;
    double begin = 0;  // of the first counted round
    for (;;) {
        if (!round()) return {};
        const double now = watch.seconds();
        const std::vector<energy_step> steps = watch.steps();
        if (steps.empty() && now > std::max(longest_step, max_seconds)) return found;
        if (steps.size() < steps_left_out) continue;
        if (begin == 0)
            begin = now;
        else
            ++rounds;
        if (steps.size() == seen || rounds == 0) continue;
        seen = steps.size();
        found.watts = watts_of_windows(steps, steps_left_out - 1, steps_a_window);
        found.seconds_a_round = (now - begin) / static_cast<double>(rounds);
        if (found.watts.size() >= min_windows && (enough(found) || now > max_seconds)) return found;
        if (now > std::max(max_seconds, longest_step) + static_cast<double>(min_windows) * longest_step) return found;
    }
}

launch_energy energy_meter::measure(const measured_round& round, const std::string& surroundings, double max_seconds)
{
    if (surroundings.empty() || surroundings != surroundings_) {
        surroundings_.clear();
        around_ = draw([&] { return round(false); }, max_seconds, [](const steady_draw&) { return true; });
        if (around_.watts.size() < min_windows) return {{}, 0, "the energy counter of the GPU does not move"};
        surroundings_ = surroundings;
    }
    const double around = around_.joules_a_round();
    const steady_draw with =
        draw([&] { return round(true); }, max_seconds,
             [&](const steady_draw& so_far) {
                 const double of_launch = so_far.joules_a_round() - around;
                 return error_of_mean(so_far.watts) * so_far.seconds_a_round <= good_error * of_launch;
             });
    if (with.seconds_a_round == 0) return {};  // wrong, or interrupted: reported elsewhere
    if (with.watts.size() < min_windows) return {{}, 0, "the energy counter of the GPU does not move"};
    launch_energy energy;
    energy.seconds = with.seconds_a_round - around_.seconds_a_round;
    for (std::size_t i = 0; i < with.watts.size(); ++i)
        energy.joules.push_back(with.watts[i] * with.seconds_a_round -
                                around_.watts[i % around_.watts.size()] * around_.seconds_a_round);
    if (std::ranges::all_of(energy.joules, [](double joules) { return joules > 0; })) return energy;
    return {{}, 0, "its launches are too short: their energy does not stand out from that of the rest of a round"};
}

}  // namespace launchbox
