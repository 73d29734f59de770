// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/observed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "capture/launches/launch_account.hpp"
#include "capture/launches/loaded_kernels.hpp"
#include "image/names/readable_names.hpp"
#include "support/files/mapped_file.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

class record_warnings {
public:
    void add(const seen_process& process);

    [[nodiscard]] std::vector<std::string> all() const;

private:
    std::map<std::string, std::size_t> processes_;
    std::uint64_t dropped_ = 0, untimed_ = 0, beyond_rows_ = 0, modules_not_kept_ = 0, buffers_lost_ = 0;
};

std::string sentence_of(const seen_note& note)
{
    using record::note_kind;
    switch (note.kind) {
        case note_kind::no_cupti:
            return fmt::format(
                "CUPTI was not found ({}): set {} to it, or install it with the CUDA toolkit or as nvidia-cuda-cupti",
                note.text, record::cupti_variable);
        case note_kind::cupti_too_old:
            return fmt::format("{} is older than CUDA 12.0: set {} to a later one", note.text, record::cupti_variable);
        case note_kind::other_profiler:
            return "another profiler is attached to the program: CUPTI supports one at a time; run it without the "
                   "other";
        case note_kind::cupti_failed:
            return fmt::format("CUPTI refused: {}", note.text);
        case note_kind::not_captured:
            return note.text;
    }
    return "an unknown note";
}

void record_warnings::add(const seen_process& process)
{
    for (const seen_note& note : process.notes) ++processes_[sentence_of(note)];
    if (!process.damage.empty())
        ++processes_[process.process != 0
                         ? fmt::format("the record of process {} is truncated: {}", process.process, process.damage)
                         : "the record of a process cannot be read: " + process.damage];
    dropped_ += process.dropped;
    untimed_ += process.untimed;
    beyond_rows_ += process.beyond_rows;
    modules_not_kept_ += process.modules_not_kept;
    buffers_lost_ += process.buffers_lost;
    if (!process.ended && process.damage.empty())
        ++processes_[fmt::format("process {} did not end normally: its last launches may be missing", process.process)];
}

std::vector<std::string> record_warnings::all() const
{
    std::vector<std::string> lines;
    for (const auto& [sentence, processes] : processes_)
        lines.push_back(processes > 1 ? fmt::format("{} ({} processes)", sentence, processes) : sentence);
    const auto counted_line = [&](std::uint64_t count, const char* what) {
        if (count > 0) lines.push_back(with_commas(static_cast<std::int64_t>(count)) + what);
    };
    counted_line(dropped_, " launches are missing: CUPTI dropped their records");
    counted_line(untimed_, " launches had not ended when their process did: they are not counted");
    counted_line(beyond_rows_, " launches are missing: more kernels and shapes than a record holds, or a full disk");
    counted_line(modules_not_kept_, " modules could not be written to the temporary folder: is the disk full?");
    counted_line(buffers_lost_, " buffers of CUPTI's records were not read completely: the program had no memory left");
    return lines;
}

namespace fs = std::filesystem;

// Equal launches of several processes become one; times are weighted by the number of launches that they stand for.
struct merged_launches {
    observed_launches launches;
    std::vector<std::pair<float, double>> weighted_ns;
};

using merge_key = std::tuple<std::string, std::size_t, std::array<std::uint32_t, sizeof(record::launch_key) / 4>>;

struct run_reader {
    observed_run run;
    std::map<merge_key, merged_launches> rows;
    std::set<std::pair<std::uint64_t, std::uint64_t>> modules;
};

std::optional<std::size_t> gpu_of(observed_run& run, const seen_process& process, std::uint32_t number)
{
    for (const record::device_block& device : process.devices) {
        constexpr int max_major = 999, max_minor = 9, max_sms = 1 << 14;  // larger values are damage
        if (device.number != number || device.sms <= 0 || device.sms > max_sms || device.major < 0 ||
            device.minor < 0 || device.major > max_major || device.minor > max_minor)
            continue;
        const observed_gpu gpu{
            .name = device.name.data(), .capability = {device.major, device.minor}, .sms = device.sms};
        const auto known = std::find(run.gpus.begin(), run.gpus.end(), gpu);
        if (known != run.gpus.end()) return static_cast<std::size_t>(known - run.gpus.begin());
        run.gpus.push_back(gpu);
        return run.gpus.size() - 1;
    }
    return std::nullopt;
}

void merge(run_reader& reader, const seen_process& process, const seen_launches& seen)
{
    const std::optional<std::size_t> gpu = gpu_of(reader.run, process, seen.key.device);
    merge_key key{seen.name, gpu.value_or(~std::size_t{0}), {}};
    record::launch_key shape = seen.key;
    shape.device = 0;
    std::memcpy(std::get<2>(key).data(), &shape, sizeof(shape));
    merged_launches& row = reader.rows[key];
    observed_launches& to = row.launches;
    to.name = seen.name;
    to.gpu = gpu;
    to.key = shape;
    to.min_ns = to.count == 0 ? seen.min_ns : std::min(to.min_ns, seen.min_ns);
    to.max_ns = std::max(to.max_ns, seen.max_ns);
    to.count += seen.count;
    to.total_ns += seen.total_ns;
    to.median_of_sample |= seen.sample_ns.size() < seen.count;
    ++to.processes;
    for (const float ns : seen.sample_ns)
        row.weighted_ns.emplace_back(ns, static_cast<double>(seen.count) / static_cast<double>(seen.sample_ns.size()));
}

void add_process(run_reader& reader, const seen_process& seen)
{
    observed_run& run = reader.run;
    observed_process process{.process = seen.process, .command = seen.command, .ended = seen.ended};
    std::uint64_t first = ~std::uint64_t{0}, last = 0;
    for (const seen_launches& launches : seen.launches) {
        merge(reader, seen, launches);
        process.launches += launches.count;
        process.kernel_ns += launches.total_ns;
        first = std::min(first, launches.first_ns);
        last = std::max(last, launches.last_ns);
    }
    for (const record::module_block& module : seen.modules) reader.modules.emplace(module.hash, module.bytes);
    if (last > first) run.span_ns = std::max(run.span_ns, static_cast<double>(last - first));
    run.count += process.launches;
    run.kernel_ns += process.kernel_ns;
    run.untimed += seen.untimed;
    if (seen.cupti_version != 0) run.cupti_version = seen.cupti_version;
    if (seen.driver_version != 0) run.driver_version = seen.driver_version;
    run.processes.push_back(std::move(process));
}

double weighted_median(std::vector<std::pair<float, double>>& values)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    double whole = 0;
    for (const auto& value : values) whole += value.second;
    double below = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        below += values[i].second;
        // Equal weight on both sides: the median lies between two values.
        if (below * 2 == whole && i + 1 < values.size())
            return (static_cast<double>(values[i].first) + static_cast<double>(values[i + 1].first)) / 2;
        if (below * 2 >= whole) return static_cast<double>(values[i].first);
    }
    return static_cast<double>(values.back().first);
}

void complete(run_reader& reader, const fs::path& folder)
{
    observed_run& run = reader.run;
    std::vector<std::string_view> names;
    for (auto& [key, row] : reader.rows) {
        row.launches.median_ns = weighted_median(row.weighted_ns);
        run.launches.push_back(std::move(row.launches));
    }
    std::stable_sort(run.launches.begin(), run.launches.end(),
                     [](const auto& one, const auto& other) { return one.total_ns > other.total_ns; });
    for (const observed_launches& launches : run.launches) names.push_back(launches.name);
    const loaded_kernels loaded(folder, reader.modules, {names.begin(), names.end()});
    const std::vector<readable_name> readable = readable_names(names);
    for (std::size_t i = 0; i < run.launches.size(); ++i) {
        observed_launches& launches = run.launches[i];
        launches.demangled = readable[i].demangled;
        launches.short_form = readable[i].short_form;
        launches.kernel = loaded.find(launches.name, launches.key, launches.image_unknown);
        const std::optional<observed_gpu> gpu = launches.gpu ? std::optional(run.gpus[*launches.gpu]) : std::nullopt;
        if (gpu) calculate(launches, *gpu);
    }
    if (loaded.unreadable() > 0)
        run.warnings.push_back(fmt::format("{} modules that were loaded could not be read", loaded.unreadable()));
}

}  // namespace

observed_run observed_run_of(const std::vector<seen_process>& processes, const fs::path& folder)
{
    run_reader reader;
    record_warnings warnings;
    for (const seen_process& process : processes) {
        warnings.add(process);
        add_process(reader, process);
    }
    complete(reader, folder);
    for (std::string& warning : warnings.all()) reader.run.warnings.push_back(std::move(warning));
    return std::move(reader.run);
}

observed_run read_observed(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::size_t unobserved = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.starts_with(record::unobserved_prefix)) ++unobserved;
        if (name.starts_with(record::process_prefix)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<seen_process> processes;
    for (const fs::path& file : files) processes.push_back(read_record(mapped_file(file).bytes()));
    observed_run run = observed_run_of(processes, folder);
    run.unobserved = unobserved;
    return run;
}

}  // namespace launchbox
