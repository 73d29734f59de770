// Random questions to the occupancy model that often hit corner cases: sizes near a limit, odd counts, opt-in.
#pragma once

#include <launchbox/occupancy.hpp>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "scale.hpp"

namespace launchbox {

struct question {
    const sm_limits* limits = nullptr;
    kernel_resources kernel;
    launch_shape shape;
    launch_settings settings;
};

class question_source {
public:
    explicit question_source(std::uint64_t seed) : engine_(seed) {}

    question next()
    {
        question q;
        do q.limits = &sm_limits_table[static_cast<std::size_t>(below(sm_limits_table.size()))];
        while (q.limits->capability.major < 3);
        // 257 and above exceed what any launch accepts; for 3.0 only up to 63, the most that its compiler can assign.
        q.kernel.registers = below(q.limits->registers_per_thread == 63 ? 64 : 258);
        q.kernel.barriers = below(4) == 0 ? below(17) : below(3);
        q.shape.threads = 1 + below(1099);
        q.kernel.max_threads = 2048;  // a block above the launch bound is a known defect of the header
        q.settings.caching = static_cast<global_caching>(below(3));
        q.settings.cache = static_cast<cache_preference>(below(4));
        q.settings.carveout_percent = below(2) == 0 ? -1 : below(101);
        q.settings.virtual_resources = below(8) == 0 ? below(140) : 0;

        q.kernel.static_shared_bytes = below(3) == 0 ? 0 : size_below(49153);
        if (below(2) == 0) q.settings.max_dynamic_shared_bytes = size_below(q.limits->shared_per_block_opt_in + 2000);
        const int dynamic_limit = static_cast<int>(q.settings.max_dynamic_shared_bytes.value_or(49152));
        q.shape.dynamic_shared_bytes = below(3) == 0 ? 0 : size_below(dynamic_limit + 600);
        return q;
    }

private:
    template <class Bound>
    int below(Bound bound)
    {
        return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound));
    }
    // Half of the sizes are small, and an eighth is exactly at an allocation unit.
    int size_below(int bound)
    {
        int size = below(2) == 0 ? below(bound) : below(std::max(1, bound / 16));
        if (below(8) == 0) size = size / 128 * 128 + below(3) - 1;
        return std::clamp(size, 0, bound - 1);
    }

    std::mt19937_64 engine_;
};

inline std::string describe(const question& q)
{
    return std::string(architecture_name(q.limits->capability).view()) + " threads " + std::to_string(q.shape.threads) +
           " registers " + std::to_string(q.kernel.registers) + " static " +
           std::to_string(q.kernel.static_shared_bytes) + " dynamic " + std::to_string(q.shape.dynamic_shared_bytes) +
           " limit " + std::to_string(q.settings.max_dynamic_shared_bytes.value_or(-1)) + " barriers " +
           std::to_string(q.kernel.barriers) + " carveout " + std::to_string(q.settings.carveout_percent) + " cache " +
           std::to_string(static_cast<int>(q.settings.cache)) + " caching " +
           std::to_string(static_cast<int>(q.settings.caching)) + " virtual " +
           std::to_string(q.settings.virtual_resources);
}

}  // namespace launchbox
