// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/fleet_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "support/error.hpp"
#include "tune/emit/row_comments.hpp"
#include "tune/ranking/fleet_rows.hpp"

namespace launchbox {

namespace {

constexpr std::string_view within_start = "// within ", within_end = " % of the best of each GPU";
constexpr std::string_view for_these_alone = ", and for these GPUs alone";

std::string within_comment(const fleet_wish& wish)
{
    return fmt::format("{}{:g}{}{}", within_start, wish.within * 100, within_end,
                       wish.only_measured ? for_these_alone : "");
}

class fleet_maker {
public:
    fleet_maker(const std::vector<emit_record>& records, const emit_settings& settings,
                const std::vector<row_field>& fields, emitted_table& into)
        : records_(records), settings_(settings), fields_(fields), into_(into), type_(into.table.row_type)
    {
        runs_.reserve(records.size());
        std::vector<landscape_source> sources;
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < records.size(); ++i) {
            recorded_run run =
                part_of(records[i].run, [&](const assignment& workload) { return into.part.holds(workload); });
            if (run.results.empty()) continue;
            runs_.push_back(std::move(run));
            sources.push_back({&runs_.back(), records[i].path});
            numbers.push_back(i);
        }
        of_ = portability_of(sources);
        if (!of_.left_out.empty()) throw error(of_.left_out.front(), "measure there again, or leave its record out");
        for (const portable_gpu& gpu : of_.gpus) {
            run_of_.push_back(gpu.sources.front());
            record_of_.push_back(numbers[gpu.sources.front()]);
            gpus_.push_back(found_by(records[record_of_.back()], settings));
        }
    }

    void fill()
    {
        refuse_other_rows();
        auto& rows = into_.table.rows;
        std::erase_if(rows,
                      [&](const header_row& row) { return !is_unmeasured(row) || is_recorded(row.architecture); });
        std::vector<compute_capability> fences;
        for (const header_row& row : rows) fences.push_back(row.architecture);
        into_.values.assign(rows.size(), std::nullopt);
        for (const fleet_row& row : fewest_fleet_rows(eligible(), gpus_, settings_.fleet->within, fences)) add(row);
        into_.table.measured.clear();
        for (const std::size_t record : record_of_)
            into_.table.measured.push_back(gpu_of(records_[record], asks_for_bandwidth(into_.table)));
        std::ranges::stable_sort(into_.table.measured, {}, &header_gpu::architecture);
    }

private:
    static fleet_gpu found_by(const emit_record& record, const emit_settings& settings)
    {
        const auto code = parse_compute_capability(record.run.info.environment.architecture);
        if (code && code->variant != architecture_variant::plain)
            throw error(fmt::format("{} was measured with code for {} alone, and --within takes plain architectures",
                                    record.path, architecture_name(*code).view()),
                        "leave it out, or emit without --within");
        const header_gpu gpu = gpu_of(record, true);
        if (settings.fleet->only_measured && (gpu.sms == 0 || gpu.memory_bytes == 0))
            throw error(record.path + " does not contain the number of SMs and the memory of its GPU",
                        "leave --only-measured out");
        return {code.value_or(compute_capability{}),
                {gpu.sms, gpu.l2_bytes, gpu.memory_bytes, gpu.memory_gb_per_second}};
    }

    bool is_recorded(const compute_capability& architecture) const
    {
        return std::ranges::any_of(gpus_, [&](const fleet_gpu& gpu) { return gpu.architecture == architecture; });
    }

    void refuse_other_rows() const
    {
        for (const header_row& row : into_.table.rows)
            for (const std::string& named : records_of(row)) {
                const std::string path = named.substr(0, named.rfind(' '));
                if (std::ranges::find(records_, path, &emit_record::path) == records_.end())
                    throw error(fmt::format("the row of {} in table {} comes from {}, which is not named",
                                            place_text(row), into_.table.name, path),
                                "name the records of all GPUs, or write to another file");
            }
    }

    const std::string& name(std::size_t gpu) const { return of_.gpus[gpu].name; }

    // No GPU gets a row that is slower on it than without tuning.
    std::vector<portable_row> eligible() const
    {
        std::vector<portable_row> rows = of_.rows;
        if (!of_.baseline) return rows;
        const portable_row& baseline = of_.rows[*of_.baseline];
        for (portable_row& row : rows)
            for (std::size_t g = 0; g < gpus_.size(); ++g)
                if (row.shares[g] && baseline.shares[g] && *row.shares[g] * 1.01 < *baseline.shares[g])
                    row.shares[g].reset();
        return rows;
    }

    std::string loss_comment(std::size_t gpu, double loss) const
    {
        std::string text = loss < 0.0005 ? "// loss: none" : fmt::format("// loss: +{:.1f} %", loss * 100);
        const portable_row& best = of_.rows[of_.gpus[gpu].best];
        if (loss >= 0.0005) text += " against its best, " + row_text(row_values(fields_, best.parameters, type_));
        std::string lacking;
        for (std::size_t g = 0; g < gpus_.size(); ++g)
            if (!best.shares[g]) lacking += (lacking.empty() ? "" : ", ") + name(g);
        if (!lacking.empty() && loss >= 0.0005) text += ", which was not measured on " + lacking;
        if (loss > settings_.fleet->within + 1e-6)
            text += "; another GPU here cannot be distinguished from it, and no row is as good for both";
        return in_comment(text);
    }

    void insert(header_row row, const std::optional<assignment>& values)
    {
        auto& rows = into_.table.rows;
        const auto place = std::ranges::upper_bound(rows, rank_of(row), {}, rank_of);
        into_.values.insert(into_.values.begin() + (place - rows.begin()), values);
        rows.insert(place, std::move(row));
    }

    void insert_baseline(const compute_capability& architecture)
    {
        const std::optional<assignment>& baseline = runs_.front().info.baseline;
        if (!baseline)
            throw error("the spec of '" + runs_.front().info.name + "' has no baseline for GPUs that were not measured",
                        "leave --only-measured out");
        insert({.architecture = architecture,
                .values = row_values(fields_, *baseline, type_),
                .comments = {std::string(unmeasured_row)}},
               baseline);
    }

    void add(const fleet_row& found)
    {
        const portable_row& row = of_.rows[found.row];
        header_row made{.architecture = found.architecture,
                        .values = row_values(fields_, row.parameters, type_),
                        .comments = {within_comment(*settings_.fleet)}};
        for (const std::size_t gpu : found.gpus) {
            const emit_record& record = records_[record_of_[gpu]];
            const recorded_run& run = runs_[run_of_[gpu]];
            const double loss = loss_of(*row.shares[gpu]);
            emitted_row one{
                gpus_[gpu].architecture, record_of_[gpu], choice_of(run, row.parameters, run.info.baseline), {}};
            one.loss = loss;
            old_row old;
            if (run.info.baseline) {
                old = {row_text(row_values(fields_, *run.info.baseline, type_)), "the baseline"};
                one.replaced = old.text + ", " + old.origin;
            }
            refuse_unverified(record, one.choice, settings_.allow_unverified);
            for (std::string& line :
                 row_comments(record, one.choice, gain_comment(record, one.choice, old), loss_comment(gpu, loss)))
                made.comments.push_back(std::move(line));
            into_.rows.push_back(std::move(one));
        }
        if (settings_.fleet->only_measured) {
            if (found.is_last_resort) insert_baseline(found.architecture);
            for (const std::size_t gpu : found.gpus)
                for (const gpu_range& range : narrowed(found.ranges, gpus_[gpu].properties))
                    if (std::ranges::find(made.gpus, range) == made.gpus.end()) made.gpus.push_back(range);
        } else if (!found.is_last_resort) {
            made.gpus = found.ranges;
        }
        insert(std::move(made), row.parameters);
    }

    const std::vector<emit_record>& records_;
    const emit_settings& settings_;
    const std::vector<row_field>& fields_;
    emitted_table& into_;
    const std::string type_;
    std::vector<recorded_run> runs_;  // of the table's workloads
    portability of_;
    std::vector<std::size_t> run_of_, record_of_;  // for each GPU of `of_`
    std::vector<fleet_gpu> gpus_;
};

}  // namespace

void fill_for_fleet(const std::vector<emit_record>& records, const emit_settings& settings,
                    const std::vector<row_field>& fields, emitted_table& into)
{
    fleet_maker(records, settings, fields, into).fill();
}

std::optional<fleet_wish> within_of(const header_table& table)
{
    for (const header_row& row : table.rows)
        for (std::string_view comment : row.comments) {
            if (comment.starts_with(within_start))
                return fleet_wish{.within = std::strtod(comment.data() + within_start.size(), nullptr) / 100,
                                  .only_measured = comment.ends_with(for_these_alone)};
        }
    return std::nullopt;
}

}  // namespace launchbox
