// SPDX-License-Identifier: Apache-2.0
#include "tune/run/final_race.hpp"

#include <algorithm>
#include <barrier>
#include <exception>
#include <numeric>

#include "support/process/thread_group.hpp"
#include "support/sample_statistics.hpp"
#include "tune/ranking/tie_rule.hpp"

namespace launchbox {

namespace {

// The contestants still in the race, by median.
std::vector<std::size_t> by_median(std::vector<std::size_t> who, const std::vector<sample_summary>& now)
{
    std::ranges::stable_sort(who, {}, [&](std::size_t i) { return now[i].median; });
    return who;
}

// The largest difference from the first that the samples allow.
double widest_difference(const std::vector<std::size_t>& in_race, const std::vector<sample_summary>& now)
{
    const sample_summary& first = now[in_race.front()];
    double widest = 0;
    for (const std::size_t i : in_race)
        if (i != in_race.front()) widest = std::max({widest, now[i].high / first.low - 1, first.high / now[i].low - 1});
    return widest;
}

using round_times = std::vector<std::optional<double>>;  // by contestant

// Rounds on several devices at once, each in a thread that lasts as long as the race: a worker that it has to restart
// ends with that thread.
class round_timer {
public:
    round_timer(std::size_t devices, std::size_t contestants, const race_clock& time)
        : time_(time),
          begin_(static_cast<std::ptrdiff_t>(devices)),
          end_(static_cast<std::ptrdiff_t>(devices)),
          times_(devices, round_times(contestants)),
          failures_(devices)
    {
        std::size_t device = 1;
        while (device < devices && others_.start([this, device] { follow(device); })) ++device;
        devices_ = device;
        for (; device < devices; ++device) {
            begin_.arrive_and_drop();
            end_.arrive_and_drop();
        }
    }
    ~round_timer()
    {
        stop_ = true;
        begin_.arrive_and_wait();
    }
    round_timer(const round_timer&) = delete;
    round_timer& operator=(const round_timer&) = delete;

    [[nodiscard]] std::size_t devices() const { return devices_; }

    /// One round on each of the first `some` devices; `round` is the number of the first. Each round begins with
    /// another contestant, so that the effects of one on clocks and caches meet all alike.
    const std::vector<round_times>& time(const std::vector<std::size_t>& in_race, int round, std::size_t some)
    {
        in_race_ = &in_race;
        round_ = static_cast<std::size_t>(round);
        some_ = some;
        begin_.arrive_and_wait();
        time_round(0);
        end_.arrive_and_wait();
        for (const std::exception_ptr& failure : failures_)
            if (failure) std::rethrow_exception(failure);
        return times_;
    }

private:
    void follow(std::size_t device)
    {
        for (;;) {
            begin_.arrive_and_wait();
            if (stop_) return;
            time_round(device);
            end_.arrive_and_wait();
        }
    }
    void time_round(std::size_t device)
    {
        times_[device].assign(times_[device].size(), std::nullopt);
        if (device >= some_) return;
        try {
            for (std::size_t turn = 0; turn < in_race_->size(); ++turn) {
                const std::size_t who = (*in_race_)[(turn + round_ + device) % in_race_->size()];
                times_[device][who] = time_(device, who);
            }
        } catch (...) {
            failures_[device] = std::current_exception();
        }
    }

    const race_clock& time_;
    std::barrier<> begin_, end_;
    std::size_t devices_ = 1;
    bool stop_ = false;
    const std::vector<std::size_t>* in_race_ = nullptr;
    std::size_t round_ = 0, some_ = 0;
    std::vector<round_times> times_;  // by device
    std::vector<std::exception_ptr> failures_;
    thread_group others_;  // last: they use all of the above
};

// The factor for the times of a device: the median of the contestants' ratios.
double scale_of(const round_times& device, const round_times& first)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < device.size(); ++i)
        if (device[i] && first[i]) ratios.push_back(*first[i] / *device[i]);
    return ratios.empty() ? 1 : summarise(ratios).median;
}

}  // namespace

race_outcome run_final_race(std::size_t contestants, const race_rules& rules, std::size_t devices,
                            const race_clock& time)
{
    race_outcome result;
    result.rounds_ns.resize(contestants);
    std::vector<std::size_t> in_race(contestants), out;  // `out`: the last one to drop out comes first
    std::iota(in_race.begin(), in_race.end(), std::size_t{0});
    std::vector<sample_summary> now(contestants);
    std::vector<double> scales;
    // Only so many devices that each gets at least two of the minimum of rounds.
    round_timer timer(
        std::clamp<std::size_t>(devices, 1, static_cast<std::size_t>(std::max(rules.fewest_rounds / 2, 1))),
        contestants, time);

    for (int round = 0; round < rules.max_rounds && in_race.size() > 1;) {
        const auto some = std::min(timer.devices(), static_cast<std::size_t>(rules.max_rounds - round));
        const std::vector<round_times>& times = timer.time(in_race, round, some);
        round += static_cast<int>(some);
        for (std::size_t device = scales.size(); device < some; ++device)
            scales.push_back(scale_of(times[device], times.front()));
        std::vector<std::size_t> failed;
        for (const std::size_t who : in_race) {
            for (std::size_t device = 0; device < some; ++device)
                if (times[device][who]) result.rounds_ns[who].push_back(*times[device][who] * scales[device]);
            if (std::any_of(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(some),
                            [&](const round_times& one) { return !one[who]; }))
                failed.push_back(who);
        }
        for (const std::size_t who : failed) {
            std::erase(in_race, who);
            out.insert(out.begin(), who);
        }
        for (const std::size_t who : in_race) now[who] = summarise(result.rounds_ns[who]);
        if (round < rules.fewest_rounds || in_race.empty()) continue;
        in_race = by_median(in_race, now);
        while (in_race.size() > 1 && differs(now[in_race.front()], now[in_race.back()])) {
            out.insert(out.begin(), in_race.back());
            in_race.pop_back();
        }
        if (in_race.size() > 1 && widest_difference(in_race, now) <= close_enough) break;
    }

    in_race = by_median(in_race, now);
    result.equal = in_race.size() > 1;
    if (result.equal) result.equal_within = widest_difference(in_race, now);
    result.order = in_race;
    result.order.insert(result.order.end(), out.begin(), out.end());
    return result;
}

}  // namespace launchbox
