// Results on disk: one SQLite file, one transaction a result, readable while a run goes on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// May be used by several threads at once.
class result_store {
public:
    enum class access { create_or_open, open, read_only };
    /// Throws `error`: not a store, a damaged one, one of an older or a newer launchbox, no permission, locked for
    /// long.
    explicit result_store(const std::string& file, access how = access::create_or_open);
    /// The bytes of a store, out of a pipe: to be read alone. `name` stands in messages.
    static result_store of_bytes(std::string bytes, const std::string& name);
    result_store(result_store&&) noexcept;
    ~result_store();

    /// The run's number. One with the same task, source and environment, host aside, goes on under its first number;
    /// the call is recorded, and `runs` tells of the latest.
    std::int64_t begin_run(const run_info& run);

    /// Whole or not at all, and safe from a kill of this process when this returns. Replaces an earlier result of the
    /// same candidate, workload and run.
    void save(const stored_result& result);
    /// Replaces all races of the run on this workload: it was drawn from all that is known.
    void save(const race_result_info& race);
    /// Beside those that are there, as of stores that are merged.
    void add(const race_result_info& race);
    /// Replaces what is known of GPUs with the same names.
    void save(std::int64_t run, const std::vector<device_record>& devices);
    /// How much work these workloads are, for all their results, earlier ones too. Without amounts it is forgotten.
    void set_work(std::int64_t run, const std::vector<std::pair<assignment, work_amounts>>& workloads);

    /// Before a candidate is measured and after a death; forgotten when its result is saved.
    void begin_attempt(std::int64_t run, const attempt& what);
    [[nodiscard]] std::vector<attempt> attempts(std::int64_t run) const;

    /// Everything, as it was at one moment, whoever writes meanwhile.
    [[nodiscard]] std::vector<recorded_run> recorded_runs() const;

    [[nodiscard]] std::vector<std::pair<std::int64_t, run_info>> runs() const;
    [[nodiscard]] std::vector<stored_result> results(std::int64_t run) const;
    [[nodiscard]] std::vector<race_result_info> races(std::int64_t run) const;
    [[nodiscard]] std::vector<device_record> devices(std::int64_t run) const;

    /// What those above left out, because its values are not what launchbox writes: one sentence each, every one
    /// once. Empty for every store that nobody else has written to.
    [[nodiscard]] std::vector<std::string> diagnostics() const;

private:
    struct impl;
    explicit result_store(std::unique_ptr<impl> made);
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
