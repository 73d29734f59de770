// SPDX-License-Identifier: Apache-2.0
#include "app/input/input_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advice/lint/block_size_use.hpp"
#include "support/text/matching.hpp"

namespace launchbox {

namespace {

void add_triton_launch(kernel_info& kernel, const triton_metadata& metadata)
{
    kernel.launches.dynamic_shared_bytes = metadata.shared_bytes;
    kernel.launches.launch_threads = metadata.threads;
    if (metadata.threads) kernel.launches.triton_warps = *metadata.threads / warp_size;
    kernel.launches.launched_early = metadata.launched_early;
    if (!metadata.max_registers) return;
    kernel.bounds.requested_max_registers = metadata.max_registers;
    if (kernel.bounds.min_blocks_inferred) kernel.bounds.min_blocks.reset();  // the cap does not come from a bound
    kernel.bounds.min_blocks_inferred = false;
}

// `which`: the indices of its kernels in the input.
lint_request request_for(std::size_t number, const compiled_unit& unit, const kernel_input& input,
                         const std::string& pattern, std::vector<std::size_t>& which)
{
    const input_summary& summary = input.inputs[number];
    lint_request request{.file = summary.file,
                         .text = summary.text,
                         .kernels = {},
                         .flags = unit.flags,
                         .unit = unit.seen ? &*unit.seen : nullptr};
    which.clear();
    for (std::size_t i = 0; i < input.kernels.size(); ++i) {
        const found_kernel& kernel = input.kernels[i];
        if (kernel.input != number || kernel.info.source.container != unit.container) continue;
        request.kernels.push_back({kernel.info.short_form, &kernel.info,
                                   pattern.empty() || matches_kernel(pattern, kernel.info.name, kernel.info.demangled,
                                                                     kernel.info.short_form)});
        which.push_back(i);
    }
    return request;
}

}  // namespace

void add_launches(input_reading& reading)
{
    kernel_input& input = reading.found;
    std::map<std::string, metadata_reading>& metadata_of = reading.metadata_of;
    for (found_kernel& kernel : input.kernels) {
        const std::optional<std::string> stem = stem_of_compiled(kernel.info.source.file);
        if (!stem) continue;
        auto place = metadata_of.find(*stem);
        if (place == metadata_of.end()) place = metadata_of.emplace(*stem, metadata_beside(*stem)).first;
        metadata_reading& found = place->second;
        if (found.value && found.value->is_of(kernel.info.name)) add_triton_launch(kernel.info, *found.value);
        if (std::string problem = std::exchange(found.problem, {}); !problem.empty())
            input.inputs[kernel.input].errors.push_back(std::move(problem));
    }
    const std::optional<dynamic_shared_size>& size = reading.request.dynamic_shared;
    if (!size) return;
    (void)size->bytes(max_threads_per_block);  // reports an invalid expression whatever the input holds
    for (found_kernel& kernel : input.kernels) {
        const std::optional<int> threads = launched_threads(kernel.info, reading.request.threads);
        if (threads) kernel.info.launches.dynamic_shared_bytes = size->bytes(*threads);
    }
}

void add_source_launches(const kernel_request& request, kernel_input& input)
{
    std::vector<std::size_t> which;
    for (std::size_t number = 0; number < input.inputs.size(); ++number)
        for (const compiled_unit& unit : input.inputs[number].units) {
            if (!unit.seen) continue;
            const std::vector<block_size_use> uses =
                block_size_uses(request_for(number, unit, input, request.kernel, which));
            for (std::size_t i = 0; i < uses.size(); ++i) {
                kernel_info& kernel = input.kernels[which[i]].info;
                // A block size that may be tied to a constant of the kernel is not ranked, like one that is.
                if (uses[i].freedom != block_size_freedom::free && kernel.launches.reads_block_size)
                    kernel.launches.fixed_block_size =
                        uses[i].reason +
                        (uses[i].threads ? fmt::format(", and is launched with {} threads", *uses[i].threads) : "");
                if (request.sizes_vary) continue;
                kernel.launches.launch_threads = uses[i].threads;
                if (request.threads && uses[i].threads && request.threads != uses[i].threads) continue;
                kernel.launches.passes_unknown_shared = uses[i].passes_unknown_shared();
                kernel.launches.dynamic_shared_bytes = uses[i].dynamic_shared_bytes;
                if (const auto threads = launched_threads(kernel, request.threads))
                    kernel.launches.dynamic_shared_bytes = uses[i].dynamic_shared_for(*threads);
            }
        }
}

void lint_sources(const kernel_request& request, kernel_input& input)
{
    std::vector<std::size_t> which;
    for (std::size_t number = 0; number < input.inputs.size(); ++number) {
        input_summary& summary = input.inputs[number];
        std::vector<diagnosis> all;
        for (const compiled_unit& unit : summary.units)
            for (diagnosis& one : lint_source(request_for(number, unit, input, request.kernel, which)))
                if (std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
        summary.diagnoses.insert(summary.diagnoses.end(), all.begin(), all.end());
        sort_by_place(summary.diagnoses, summary.file);
    }
}

}  // namespace launchbox
