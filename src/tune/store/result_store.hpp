// Results on disk: one SQLite file, one transaction per result, readable during a run.
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
    /// Throws `error` if the file is not a store, is damaged, is of an older or newer launchbox, may not be opened, or
    /// stays locked too long.
    explicit result_store(const std::string& file, access how = access::create_or_open);
    /// The bytes of a store from a pipe, read-only. `name` is used in messages.
    static result_store of_bytes(std::string bytes, const std::string& name);
    result_store(result_store&&) noexcept;
    ~result_store();

    /// Returns the run's number. A run with the same task, source and environment (except the host) keeps its first
    /// number; the call is recorded, and `runs` returns the latest.
    std::int64_t begin_run(const run_info& run);

    /// Atomic, and durable against a kill of this process once it returns. Replaces an earlier result of the same
    /// candidate, workload and run.
    void save(const stored_result& result);
    /// Replaces all races of the run on this workload, since the new one used all known results.
    void save(const race_result_info& race);
    /// Keeps the existing ones, as when stores are merged.
    void add(const race_result_info& race);
    /// Replaces what is known of GPUs with the same names.
    void save(std::int64_t run, const std::vector<device_record>& devices);
    /// The amount of work in these workloads, for all their results, including earlier ones. Without amounts, it is
    /// removed.
    void set_work(std::int64_t run, const std::vector<std::pair<assignment, work_amounts>>& workloads);

    /// Called before a candidate is measured and after a death; removed when its result is saved.
    void begin_attempt(std::int64_t run, const attempt& what);
    [[nodiscard]] std::vector<attempt> attempts(std::int64_t run) const;

    /// A consistent snapshot of everything, even while others write.
    [[nodiscard]] std::vector<recorded_run> recorded_runs() const;

    [[nodiscard]] std::vector<std::pair<std::int64_t, run_info>> runs() const;
    [[nodiscard]] std::vector<stored_result> results(std::int64_t run) const;
    [[nodiscard]] std::vector<race_result_info> races(std::int64_t run) const;
    [[nodiscard]] std::vector<device_record> devices(std::int64_t run) const;

    /// What the functions above left out because its values are not what launchbox writes: one sentence each, without
    /// repetition. Empty for every store that no other program has written to.
    [[nodiscard]] std::vector<std::string> diagnostics() const;

private:
    struct impl;
    explicit result_store(std::unique_ptr<impl> made);
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
