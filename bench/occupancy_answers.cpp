// Answers questions on standard input, one per line: compute capability such as 90, threads, registers, shared memory
// per block in bytes, carveout in percent (-1: the driver chooses), barriers. Prints the resident blocks, one number
// per line.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <launchbox/occupancy.hpp>

int main()
{
    int capability = 0, threads = 0, registers = 0, shared = 0, carveout = 0, barriers = 0;
    while (std::scanf("%d %d %d %d %d %d", &capability, &threads, &registers, &shared, &carveout, &barriers) == 6) {
        const launchbox::sm_limits* limits =
            launchbox::find_sm_limits({.major = capability / 10, .minor = capability % 10});
        if (limits == nullptr) {
            std::puts("unknown");
            continue;
        }
        launchbox::launch_settings settings;
        settings.carveout_percent = carveout;
        settings.max_dynamic_shared_bytes = limits->shared_per_block_opt_in;
        std::printf("%d\n", launchbox::resident_blocks(*limits, {.registers = registers, .barriers = barriers},
                                                       {.threads = threads, .dynamic_shared_bytes = shared}, settings));
    }
}
