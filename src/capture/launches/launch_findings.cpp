// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "capture/launches/launch_account.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// A smaller share of a launch is within the model's error, and no reason to act.
constexpr double small_share = 0.05;

std::string options_of(const observed_launches& launches)
{
    const kernel_resources& resources = launches.account->question.resources;
    std::string text =
        fmt::format("--arch {} --registers {}", architecture_name(launches.account->question.architecture).view(),
                    resources.registers);
    if (resources.static_shared_bytes > 0) text += fmt::format(" --shared {}", resources.static_shared_bytes);
    if (launches.key.dynamic_shared_bytes > 0)
        text += fmt::format(" --dynamic-shared {}", launches.key.dynamic_shared_bytes);
    return text;
}

std::string bounds_step(const observed_launches& launches)
{
    return fmt::format("launchbox bounds SOURCE -k '{}' --threads {} --arch {}",
                       escape_for_terminal(launches.short_form), launches.account->question.shape.threads,
                       architecture_name(launches.account->question.architecture).view());
}

class finder {
public:
    explicit finder(const observed_launches& launches) : launches_(launches) {}

    std::vector<launch_finding> all(int sms)
    {
        check_grid(sms);
        check_tail();
        check_lanes();
        if (is_debug_build(launches_.kernel)) {
            add_debug_build();
        } else {
            check_occupancy();
            check_spills();
        }
        std::stable_sort(found_.begin(), found_.end(),
                         [](const auto& one, const auto& other) { return one.max_gain_ns > other.max_gain_ns; });
        return std::move(found_);
    }

private:
    void add(std::string id, double share, std::string text, std::string verb, std::string step)
    {
        found_.push_back({.id = std::move(id),
                          .text = std::move(text),
                          .verb = std::move(verb),
                          .step = std::move(step),
                          .max_gain_ns = share * launches_.total_ns});
    }

    [[nodiscard]] const occupancy_account& account() const { return *launches_.account; }
    [[nodiscard]] bool fills_the_gpu() const { return account().waves && account().waves->waves >= 1; }

    void check_grid(int sms)
    {
        if (!launches_.sms_used || launches_.sms_used == sms) return;
        const std::int64_t grid = *launches_.sms_used;
        add("small_grid", 1 - static_cast<double>(grid) / sms,
            fmt::format("{} on {}: {} nothing to do", counted(grid, "block", "blocks"), counted(sms, "SM", "SMs"),
                        counted(sms - grid, "SM has", "SMs have")),
            "tune", "tune it with smaller blocks, or give it more work; other streams can use the idle SMs");
    }

    void check_tail()
    {
        if (!fills_the_gpu() || account().waves->tail_blocks == 0) return;
        const wave_account& waves = *account().waves;
        const double empty = 1 - waves.efficiency;
        if (empty < small_share) return;
        add("tail", empty,
            fmt::format("{:.2f} waves: the last has {} of {} blocks", waves.waves, with_commas(waves.tail_blocks),
                        with_commas(waves.blocks_per_wave)),
            "tune", "tune block size and grid together");
    }

    void check_lanes()
    {
        const int threads = account().question.shape.threads;
        const int lanes = (threads + 31) / 32 * 32;
        if (threads == lanes) return;
        add("partial_warp", 1 - static_cast<double>(threads) / lanes,
            fmt::format("{} in a block: {} of its last warp {} idle", counted(threads, "thread", "threads"),
                        counted(lanes - threads, "lane", "lanes"), lanes - threads == 1 ? "is" : "are"),
            "suggest", "launchbox suggest " + options_of(launches_));
    }

    // Only if the grid could use more room, and the kernel's shape or resources deny it.
    void check_occupancy()
    {
        const occupancy_result& result = account().result;
        if (!fills_the_gpu() || result.resident_blocks == 0 || result.occupancy() > 0.5) return;
        const std::string figure = fmt::format("{} of {} warps resident, limited by {}", result.resident_warps,
                                               result.warp_slots, limiter_names(result));
        const double empty = 1 - result.occupancy();
        if (result.limiters.contains(resource::blocks) || result.limiters.contains(resource::warps))
            add("block_slots", empty, figure, "suggest", "launchbox suggest " + options_of(launches_));
        else if (result.limiters.contains(resource::registers))
            add("low_occupancy", empty, figure, "bounds", bounds_step(launches_));
        else
            add("low_occupancy", empty, figure, "tune", "tune its block size and shared memory");
    }

    void check_spills()
    {
        const std::int64_t local = spill_bytes(launches_.kernel).value_or(0),
                           shared = shared_spill_bytes(launches_.kernel).value_or(0);
        if (local + shared == 0) return;
        std::string text;
        if (local > 0) text = fmt::format("{} B of spills for each thread", with_commas(local));
        if (shared > 0)
            text += fmt::format("{}{} B of spills to shared memory for each thread", local > 0 ? " and " : "",
                                with_commas(shared));
        add("spills", 0, std::move(text), "bounds", bounds_step(launches_));
    }

    // The times of a debug build say nothing about the release build.
    void add_debug_build()
    {
        add("debug_build", 0,
            fmt::format("a debug build ({}): its time, registers and spills are not those of a release build",
                        debug_flag_of(launches_.kernel)),
            "inspect", "compile it without that flag, and capture again");
    }

    const observed_launches& launches_;
    std::vector<launch_finding> found_;
};

}  // namespace

std::vector<launch_finding> findings_of(const observed_launches& launches, const observed_gpu& gpu)
{
    return launches.account ? finder(launches).all(gpu.sms) : std::vector<launch_finding>();
}

}  // namespace launchbox
