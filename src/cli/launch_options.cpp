// SPDX-License-Identifier: Apache-2.0
#include "cli/launch_options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <mutex>

#include "advice/model/kernel_question.hpp"
#include "advice/model/launch_words.hpp"
#include "support/error.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox::cli {

namespace {

// Far above what any GPU has, so that the answer comes from the model and not from the command line.
constexpr int largest_count = 1'000'000;

}  // namespace

void launch_options::add_to(CLI::App& app)
{
    const CLI::Range count(0, largest_count);
    app.add_option("-r,--registers", registers, "Registers per thread")->check(count)->type_name("N");
    app.add_option("-s,--shared", shared, "Static shared memory per block, bytes (or 48K)")->type_name("BYTES");
    app.add_option("-d,--dynamic-shared", dynamic_shared,
                   "Dynamic shared memory per block: bytes, or an expression of threads, such as 4*threads")
        ->type_name("EXPR");
    app.add_option("-b,--barriers", barriers, "Named barriers, as ptxas counts them (highest used + 1)")
        ->check(CLI::Range(0, largest_count))
        ->type_name("N");
    app.add_option("--max-threads", max_threads, "The kernel's launch bound")
        ->check(CLI::Range(1, largest_count))
        ->type_name("N");
    app.add_option(
           "--max-dynamic-shared", max_dynamic_shared,
           "Dynamic shared memory that cudaFuncSetAttribute allows: bytes, max or default (48 KB); default: max")
        ->type_name("BYTES");
    app.add_option("--carveout", carveout, "Preferred shared memory carveout, percent; -1: no preference")
        ->check(CLI::Range(-1, 100))
        ->type_name("PERCENT");
    app.add_option("--cache", cache, "Cache preference: none, shared, l1 or equal")
        ->check(CLI::IsMember({"none", "shared", "l1", "equal"}))
        ->type_name("WORD");
    app.add_option("--caching", caching, "Partitioned global caching on 5.2, 5.3, 6.1, 6.2: off, preferred or strict")
        ->check(CLI::IsMember({"off", "preferred", "strict"}))
        ->type_name("WORD");
    app.add_option("--mode", mode, "driver: what the GPU does; spreadsheet: what NVIDIA's occupancy spreadsheet says")
        ->check(CLI::IsMember({"driver", "spreadsheet"}))
        ->type_name("WORD");
}

kernel_resources launch_options::resources(const kernel_resources& found) const
{
    kernel_resources kernel = found;
    if (registers) kernel.registers = *registers;
    if (barriers) kernel.barriers = *barriers;
    if (max_threads) kernel.max_threads = *max_threads;
    if (shared) kernel.static_shared_bytes = parse_bytes(*shared, "--shared");
    return kernel;
}

std::string launch_options::dynamic_expression() const
{
    return dynamic_shared ? dynamic_shared_expression(*dynamic_shared) : "0";
}

std::string dynamic_shared_expression(const std::string& text)
{
    const bool has_unit = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
                          text.find_first_not_of("0123456789KMBik") == std::string::npos &&
                          std::isalpha(static_cast<unsigned char>(text.back())) != 0;
    return has_unit ? std::to_string(parse_bytes(text, "--dynamic-shared")) : text;
}

std::function<std::int64_t(int threads)> dynamic_shared_function(const std::string& text)
{
    struct shared_expression {
        value_expression bytes;
        std::mutex lock;  // an expression serves one thread at a time
    };
    const auto shared = std::make_shared<shared_expression>(value_expression(dynamic_shared_expression(text)));
    return [shared](int threads) {
        const std::lock_guard guard(shared->lock);
        const std::int64_t bytes = shared->bytes.integer({{{"threads", std::int64_t{threads}}}});
        check_bytes(bytes, "--dynamic-shared for " + std::to_string(threads) + " threads");
        return bytes;
    };
}

launch_settings launch_options::settings(const target& where, const kernel_resources& kernel,
                                         std::int64_t dynamic_bytes) const
{
    launch_settings settings;
    settings.mode = mode == "driver" ? model_mode::driver : model_mode::spreadsheet;
    if (settings.mode == model_mode::spreadsheet && !where.limits->spreadsheet)
        throw error(fmt::format("NVIDIA's spreadsheet has no row for compute capability {}",
                                compute_capability_name(where.architecture).view()),
                    "it ends at 8.6 and leaves out 7.2; use --mode driver");
    settings.carveout_percent = carveout;
    settings.cache = cache_preference_named(cache);
    settings.caching = global_caching_named(caching);
    settings.non_portable_clusters = true;  // as for shared memory: what a program that needs them would have allowed
    // Figures that are typed may be of any kind of shared memory; those of a kernel are what they are.
    if (!shared && !links(*where.limits, kernel)) return settings;
    // Left to itself, the limit is what a program that needs more than 48 KB would have set it to: all there is.
    if (!max_dynamic_shared)
        settings.max_dynamic_shared_bytes = raised_shared_limit(*where.limits, kernel, dynamic_bytes);
    else if (max_dynamic_shared == "max")
        settings.max_dynamic_shared_bytes = raised_shared_limit(*where.limits, kernel, 0);
    else if (max_dynamic_shared != "default")
        settings.max_dynamic_shared_bytes = parse_bytes(*max_dynamic_shared, "--max-dynamic-shared");
    return settings;
}

}  // namespace launchbox::cli
