// SPDX-License-Identifier: Apache-2.0
#include "app/results/used_rows.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "support/error.hpp"
#include "tune/emit/emit_tables.hpp"
#include "tune/emit/row_use.hpp"

namespace launchbox {

namespace {

// A GPU, or any GPU of an architecture if its figures are not given.
struct asked_gpu {
    std::string name;
    compute_capability architecture;
    std::optional<detail::gpu_properties> says = {};
};

bool is_same(const asked_gpu& one, const asked_gpu& other)
{
    return one.name == other.name && one.architecture == other.architecture && one.says->sms == other.says->sms &&
           one.says->memory_bytes == other.says->memory_bytes;
}

asked_gpu asked(const gpu_device& gpu)
{
    detail::gpu_properties says{.sms = gpu.sms, .memory_bytes = gpu.memory_bytes};
    says.l2_bytes = gpu.hardware.l2_bytes.value_or(0);
    says.memory_gb_per_second = static_cast<std::int64_t>(memory_gb_per_second(gpu.hardware).value_or(0));
    return {gpu.name, gpu.capability, says};
}

void add(std::vector<asked_gpu>& all, asked_gpu one)
{
    if (std::ranges::none_of(all, [&](const asked_gpu& known) { return is_same(known, one); }))
        all.push_back(std::move(one));
}

std::vector<used_row> uses_in(const emitted_table& made, const std::vector<asked_gpu>& all)
{
    std::vector<used_row> uses;
    for (const asked_gpu& one : all) {
        used_row& use = uses.emplace_back(used_row{.gpu = one.name, .architecture = one.architecture});
        const std::optional<std::size_t> place = place_of_row(made.table, one.architecture, one.says);
        if (!place) continue;
        use.parameters = made.values[*place];
        use.origin = origin_of_row(made.table, *place, one.architecture, one.says);
    }
    return uses;
}

}  // namespace

void add_used_rows(results_report& report, const std::vector<compute_capability>& architectures,
                   const std::vector<gpu_device>& gpus)
{
    std::vector<std::string> tunables;
    for (const shown_run& shown : report.runs)
        if (std::ranges::find(tunables, shown.run.info.name) == tunables.end()) tunables.push_back(shown.run.info.name);
    for (const std::string& tunable : tunables) {
        emit_records records;
        std::vector<asked_gpu> all;
        for (const shown_run& shown : report.runs) {
            const run_info& info = shown.run.info;
            const auto code = parse_compute_capability(info.environment.architecture);
            if (info.name != tunable || !code) continue;  // without a GPU, there is no row for it
            records.all.push_back({shown.file, {}, shown.run});
            add(all, {info.environment.gpu, *code, properties_of(info.environment, shown.run.devices)});
        }
        if (records.all.empty() || (all.size() < 2 && architectures.empty() && gpus.empty())) continue;
        for (const gpu_device& gpu : gpus) add(all, asked(gpu));
        for (const compute_capability& architecture : architectures) all.push_back({{}, architecture});
        try {
            if (tunable.starts_with("cub."))
                throw error("rows of CUB's own algorithms are for one architecture each", "emit --format cub has them");
            run_filter wishes;
            wishes.name = tunable;
            const emit_records chosen = chosen_runs(records, wishes);
            const emit_settings settings{.box = identifier_of(tunable) + "_tuning"};
            for (const emitted_table& made : emit_tables(chosen.all, settings, {}).tables)
                report.rows.push_back({tunable, made.table.text, uses_in(made, all), {}});
        } catch (const error& failure) {
            report.rows.push_back({tunable, {}, {}, failure.what()});
        }
    }
}

}  // namespace launchbox
