// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_backend.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "support/error.hpp"
#include "support/process/clock.hpp"

namespace launchbox {

namespace {

// Assumed bandwidth of a link until it is known: a slow network, 1 Gbit/s.
constexpr double first_bytes_per_second = 100e6;
// Each needs a thread of the coordinator.
constexpr unsigned max_preparers = 512;
// So that a rank has its next candidate before the coordinator gets the last result.
constexpr unsigned calls_per_rank = 2;

// Where a prepared job is stored.
struct made_module {
    int builder = 0;
    std::set<int> holders;  // ranks that have it
    std::uintmax_t bytes = 0;
    double compile_seconds = 0;
};

// The jobs being prepared on a rank, and those waiting there to be measured.
struct rank_load {
    cluster_rank who;
    std::optional<std::size_t> measurer;  // its number; `nullopt` if it only compiles
    std::size_t building = 0, waiting = 0;
};

class cluster_runner {
public:
    cluster_runner(std::shared_ptr<rank_calls> calls, const cluster_backend_options& options, bool needs_reference)
        : calls_(std::move(calls)), backend_(options.backend), needs_reference_(needs_reference)
    {
        for (std::size_t i = 0; i < options.measuring.size(); ++i)
            loads_.push_back({.who = options.measuring[i], .measurer = i});
        for (const cluster_rank& rank : options.compiling) loads_.push_back({.who = rank, .measurer = std::nullopt});
        has_reference_.resize(options.measuring.size());
        measuring_.resize(options.measuring.size());
    }

    // `self`: this object, for the call when nobody needs the job any more.
    prepared_job prepare(const tune_job& job, const std::shared_ptr<cluster_runner>& self);
    measurement measure(std::size_t measurer, const tune_job& job, const prepared_job& made,
                        const measure_request& request);
    void give_up()
    {
        std::vector<int> ranks;
        for (const rank_load& load : loads_)
            if (load.measurer) ranks.push_back(load.who.rank);
        calls_->give_up_preparing(backend_, ranks);
    }

private:
    rank_load* choose();
    measurement measure_on(std::size_t measurer, const tune_job& job, const prepared_job& made,
                           const measure_request& request);
    bool has_reference(std::size_t measurer, std::size_t workload)
    {
        const std::lock_guard guard(lock_);
        return has_reference_[measurer].contains(workload);
    }
    void get_reference(std::size_t measurer, std::size_t workload);
    measurement ask_to_measure(int rank, const tune_job& job, long number, const prepared_job& made,
                               const measure_request& request, bool is_new);
    std::string module_for(int rank, long number);
    void forget(long number, rank_load& where);
    // Reads an answer. A rank whose answer is invalid gets no more work, and its candidate goes to another.
    template <class Read>
    auto understood(int rank, Read read)
    {
        try {
            return read();
        } catch (const error& failure) {
            throw left_out(rank, failure.what());
        }
    }
    // From now on the rank gets no candidate.
    [[nodiscard]] rank_lost left_out(int rank, const std::string& why)
    {
        calls_->lose(rank, why);
        return rank_lost(calls_->name_of(rank) + " is left out: " + why);
    }

    const std::shared_ptr<rank_calls> calls_;
    const std::size_t backend_;
    const bool needs_reference_;
    std::mutex lock_;
    std::vector<rank_load> loads_;
    std::map<long, made_module> modules_;
    long next_number_ = 0;
    double bytes_per_second_ = first_bytes_per_second;
    std::map<std::size_t, tune_job> references_;        // by workload: measured on some rank
    std::vector<std::set<std::size_t>> has_reference_;  // by measurer: its workloads
    // The calls to one measurer, which its rank answers in this order.
    struct measuring_calls {
        std::mutex makes_reference;  // one call makes it, the others wait
        long asked = 0, answered = 0;
    };
    std::deque<measuring_calls> measuring_;
};

// Bytes to send for the module; 0 if unknown, or too many for a message. Then it is built where it runs.
std::uintmax_t size_in(const cluster_message& answer)
{
    const long bytes = answer.said.contains("module_bytes") ? number_in(answer, "module_bytes") : 0;
    constexpr auto largest = static_cast<long>(max_message_bytes / 2);  // the message has other parts, too
    return bytes > 0 && bytes <= largest ? static_cast<std::uintmax_t>(bytes) : 0;
}

// Under the lock. The rank with a free compiler that has the least to measure. Ranks without a GPU take jobs for which
// the others have no free compiler, or enough of already.
rank_load* cluster_runner::choose()
{
    const auto backlog = [](const rank_load& load) {
        return load.measurer ? load.building + load.waiting : load.building / load.who.jobs + 1;
    };
    rank_load* best = nullptr;
    for (rank_load& load : loads_)
        if (load.building < load.who.jobs && !calls_->is_lost(load.who.rank) &&
            (best == nullptr || backlog(load) < backlog(*best)))
            best = &load;
    if (best != nullptr) return best;
    // More preparers than compilers, because a rank was lost: the least busy rank gets a queue.
    for (rank_load& load : loads_)
        if (load.who.jobs > 0 && !calls_->is_lost(load.who.rank) && (best == nullptr || load.building < best->building))
            best = &load;
    return best;
}

prepared_job cluster_runner::prepare(const tune_job& job, const std::shared_ptr<cluster_runner>& self)
{
    for (;;) {
        rank_load* where = nullptr;
        long number = 0;
        {
            const std::lock_guard guard(lock_);
            where = choose();
            if (where == nullptr) break;
            ++where->building;
            number = next_number_++;
        }
        const int rank = where->who.rank;
        prepared_job made;
        std::uintmax_t bytes = 0;
        const auto not_building = [&] {
            const std::lock_guard guard(lock_);
            --where->building;
        };
        try {
            const cluster_message answer = calls_->call(
                rank, {{"do", "prepare"}, {"backend", backend_}, {"number", number}, {"job", json_of(job)}});
            understood(rank, [&] {
                made = prepared_of(answer.said.value("prepared", message_json()));
                bytes = size_in(answer);
            });
        } catch (const rank_lost&) {
            not_building();
            continue;  // another rank does it
        } catch (...) {
            not_building();
            throw;
        }
        not_building();
        if (made.build.status != build_status::built || !made.build.machine_failure.empty()) return made;
        made.rank_number = number;
        made.near = where->measurer;
        made.hold = std::shared_ptr<const void>(self.get(),
                                                [self, number, where](const void*) { self->forget(number, *where); });
        const std::lock_guard guard(lock_);
        ++where->waiting;
        modules_[number] = {
            .builder = rank, .holders = {rank}, .bytes = bytes, .compile_seconds = made.build.compile_seconds};
        return made;
    }
    prepared_job none;
    none.build.machine_failure = "no rank is left to compile";
    return none;
}

measurement cluster_runner::measure(std::size_t measurer, const tune_job& job, const prepared_job& made,
                                    const measure_request& request)
{
    measuring_calls& calls = measuring_[measurer];
    long number = 0;
    {
        const std::lock_guard guard(lock_);
        number = calls.asked++;
    }
    try {
        measurement measured = measure_on(measurer, job, made, request);
        const std::lock_guard guard(lock_);
        ++calls.answered;
        return measured;
    } catch (const rank_lost& lost) {
        const std::lock_guard guard(lock_);
        return {.status = outcome::device_lost,
                .reason = lost.what(),
                .not_begun = calls.answered < number,
                .sticky = true};
    }
}

measurement cluster_runner::measure_on(std::size_t measurer, const tune_job& job, const prepared_job& made,
                                       const measure_request& request)
{
    const int rank = loads_[measurer].who.rank;
    measure_request asked = request;
    const bool calibrates = std::exchange(asked.calibrates, false);
    std::unique_lock reference(measuring_[measurer].makes_reference, std::defer_lock);
    if (needs_reference_) {
        reference.lock();
        // If that rank has not measured the reference yet, this job is its reference.
        asked.is_reference |= calibrates && !has_reference(measurer, job.workload);
        if (!asked.is_reference) {
            get_reference(measurer, job.workload);
            reference.unlock();
        }
    }
    measurement measured = ask_to_measure(rank, job, made.rank_number.value_or(-1), made, asked, false);
    if (measured.status == outcome::device_lost) throw left_out(rank, measured.reason);
    const std::lock_guard guard(lock_);
    if (request.is_reference && measured.status == outcome::measured) references_.insert_or_assign(job.workload, job);
    if (asked.is_reference && measured.status == outcome::measured) has_reference_[measurer].insert(job.workload);
    return measured;
}

// Reference outputs are on the GPU or disk of the rank that measured them, so each rank makes its own.
void cluster_runner::get_reference(std::size_t measurer, std::size_t workload)
{
    tune_job reference;
    long number = 0;
    {
        const std::lock_guard guard(lock_);
        const auto known = references_.find(workload);
        if (known == references_.end() || has_reference_[measurer].contains(workload)) return;
        reference = known->second;
        number = next_number_++;
    }
    const int rank = loads_[measurer].who.rank;
    measurement measured;
    for (int attempt = 0; attempt < 2; ++attempt) {
        measured = ask_to_measure(rank, reference, number, {}, {.samples = 1, .is_reference = true}, true);
        if (measured.status != outcome::worker_died && measured.machine_failure.empty()) break;
    }
    if (measured.status != outcome::measured) {
        const std::string why = measured.machine_failure.empty() ? measured.reason : measured.machine_failure;
        if (measured.status == outcome::device_lost) throw left_out(rank, why);
        throw left_out(rank, "the reference, which was measured on another rank, fails there: " + why);
    }
    const std::lock_guard guard(lock_);
    has_reference_[measurer].insert(workload);
}

measurement cluster_runner::ask_to_measure(int rank, const tune_job& job, long number, const prepared_job& made,
                                           const measure_request& request, bool is_new)
{
    message_json said{{"do", "measure"},
                      {"backend", backend_},
                      {"number", number},
                      {"job", json_of(job)},
                      {"request", json_of(request)}};
    std::string bytes;
    if (!is_new) bytes = module_for(rank, number);
    if (!bytes.empty()) said["prepared"] = json_of(made);
    const cluster_message answer = calls_->call(rank, std::move(said), std::move(bytes));
    measurement measured =
        understood(rank, [&] { return measured_of(answer.said.value("measurement", message_json())); });
    const std::lock_guard guard(lock_);
    if (const auto module = modules_.find(number); module != modules_.end()) module->second.holders.insert(rank);
    return measured;
}

// Empty if the rank has it, or if building it there is cheaper than sending it.
std::string cluster_runner::module_for(int rank, long number)
{
    made_module module;
    double bytes_per_second = 0;
    {
        const std::lock_guard guard(lock_);
        const auto found = modules_.find(number);
        if (found == modules_.end() || found->second.holders.contains(rank)) return {};
        module = found->second;
        bytes_per_second = bytes_per_second_;
    }
    // The module passes two links in sequence.
    const double seconds = 2 * static_cast<double>(module.bytes) / bytes_per_second;
    if (module.bytes == 0 || seconds > module.compile_seconds) return {};
    try {
        const auto start = std::chrono::steady_clock::now();
        std::string bytes =
            calls_->call(module.builder, {{"do", "fetch"}, {"backend", backend_}, {"number", number}}).bytes;
        const double took = std::max(seconds_since(start), 1e-6);
        const std::lock_guard guard(lock_);
        bytes_per_second_ = 0.75 * bytes_per_second_ + 0.25 * static_cast<double>(bytes.size()) / took;
        return bytes;
    } catch (const rank_lost&) {
        return {};
    }
}

// The engine no longer needs it.
void cluster_runner::forget(long number, rank_load& where)
{
    std::set<int> holders;
    {
        const std::lock_guard guard(lock_);
        --where.waiting;
        if (const auto module = modules_.extract(number)) holders = std::move(module.mapped().holders);
    }
    for (const int rank : holders) calls_->tell(rank, {{"do", "forget"}, {"number", number}});
}

}  // namespace

tune_backend cluster_backend(tune_backend local, const std::shared_ptr<rank_calls>& calls,
                             const cluster_backend_options& options)
{
    const auto runner = std::make_shared<cluster_runner>(calls, options, local.needs_reference);
    unsigned compilers = 0;
    for (const auto* ranks : {&options.measuring, &options.compiling})
        for (const cluster_rank& rank : *ranks) compilers += rank.jobs;
    local.open = {};
    local.begin = {};  // each rank does this itself
    local.close = {};
    local.preparers = std::clamp(compilers, 1u, max_preparers);
    local.prepare = [runner](const tune_job& job) { return runner->prepare(job, runner); };
    local.give_up_preparing = [runner] { runner->give_up(); };
    local.calls_at_once = calls_per_rank;
    local.measurers.clear();
    for (std::size_t i = 0; i < options.measuring.size(); ++i)
        local.measurers.push_back(
            [runner, i](const tune_job& job, const prepared_job& made, const measure_request& request) {
                return runner->measure(i, job, made, request);
            });
    return local;
}

}  // namespace launchbox
