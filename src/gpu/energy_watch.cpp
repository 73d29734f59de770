// SPDX-License-Identifier: Apache-2.0
#include "gpu/energy_watch.hpp"

#include <optional>

#include "support/process/clock.hpp"

namespace launchbox {

energy_watch::energy_watch(const nvml_device& gpu) : gpu_(gpu), thread_([this] { follow(); }) {}

energy_watch::~energy_watch()
{
    stop_ = true;
    thread_.join();
}

std::vector<energy_step> energy_watch::steps() const
{
    const std::lock_guard guard(lock_);
    return steps_;
}

double energy_watch::seconds() const
{
    return seconds_since(begin_);
}

// A step is dated between the midpoints of two queries. If the driver answers at once, it is queried every millisecond.
void energy_watch::follow()
{
    std::optional<double> last;
    double asked_before = 0;
    while (!stop_) {
        const double from = seconds();
        const std::optional<double> joules = gpu_.energy_joules();
        const double asked = (from + seconds()) / 2;
        if (joules && last && *joules != *last) {
            const std::lock_guard guard(lock_);
            steps_.push_back({.seconds = (asked_before + asked) / 2, .joules = *joules});
        }
        last = joules;
        asked_before = asked;
        if (seconds() - from < 1e-3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

std::vector<double> watts_of_windows(const std::vector<energy_step>& steps, std::size_t first, std::size_t size)
{
    std::vector<double> watts;
    for (std::size_t from = first; from + size < steps.size(); from += size) {
        const energy_step &begin = steps[from], &end = steps[from + size];
        if (end.seconds > begin.seconds) watts.push_back((end.joules - begin.joules) / (end.seconds - begin.seconds));
    }
    return watts;
}

}  // namespace launchbox
