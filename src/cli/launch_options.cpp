// SPDX-License-Identifier: Apache-2.0
#include "cli/launch_options.hpp"

#include "advice/model/launch_words.hpp"
#include "app/sizes.hpp"

namespace launchbox::cli {

namespace {

CLI::Range within(number_range range)
{
    return CLI::Range(range.least, range.most);
}

}  // namespace

void launch_options::add_to(CLI::App& app)
{
    app.add_option("-r,--registers", typed.registers, "Registers per thread")
        ->check(within(launch_ranges::registers))
        ->type_name("N");
    app.add_option("-s,--shared", shared, "Static shared memory per block, bytes (or 48K)")->type_name("BYTES");
    app.add_option("-d,--dynamic-shared", dynamic_shared,
                   "Dynamic shared memory per block: bytes, or an expression of threads, such as 4*threads")
        ->type_name("EXPR");
    app.add_option("-b,--barriers", typed.barriers, "Named barriers, as ptxas counts them (highest used + 1)")
        ->check(within(launch_ranges::barriers))
        ->type_name("N");
    app.add_option("--max-threads", typed.max_threads, "The kernel's launch bound")
        ->check(within(launch_ranges::max_threads))
        ->type_name("N");
    app.add_option(
           "--max-dynamic-shared", max_dynamic_shared,
           "Dynamic shared memory that cudaFuncSetAttribute allows: bytes, max or default (48 KB); default: max")
        ->type_name("BYTES");
    app.add_option("--carveout", typed.carveout_percent, "Preferred shared memory carveout, percent; -1: no preference")
        ->check(within(launch_ranges::carveout))
        ->type_name("PERCENT");
    app.add_option("--cache", cache, "Cache preference: none, shared, l1 or equal")
        ->check(CLI::IsMember(cache_preference_words()))
        ->type_name("WORD");
    app.add_option("--caching", caching, "Partitioned global caching on 5.2, 5.3, 6.1, 6.2: off, preferred or strict")
        ->check(CLI::IsMember(global_caching_words()))
        ->type_name("WORD");
    app.add_option("--mode", mode, "Calculate as the GPU (driver), or as NVIDIA's occupancy spreadsheet")
        ->check(CLI::IsMember(model_mode_words()))
        ->type_name("WORD");
}

launch_inputs launch_options::figures() const
{
    launch_inputs figures = typed;
    if (shared) figures.static_shared_bytes = parse_bytes(*shared, "--shared");
    if (dynamic_shared) figures.dynamic_shared.emplace(*dynamic_shared);
    if (max_dynamic_shared)
        figures.max_dynamic_shared = dynamic_shared_limit::named(*max_dynamic_shared, "--max-dynamic-shared");
    figures.cache = cache_preference_named(cache);
    figures.caching = global_caching_named(caching);
    figures.mode = mode == "driver" ? model_mode::driver : model_mode::spreadsheet;
    return figures;
}

}  // namespace launchbox::cli
