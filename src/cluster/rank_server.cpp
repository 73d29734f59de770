// SPDX-License-Identifier: Apache-2.0
#include "cluster/rank_server.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "cluster/message_queue.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/clock.hpp"
#include "support/process/thread_group.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

// The coordinator may be silent this many times as long as a rank, since it has more to do.
constexpr double patience_with_coordinator = 4;
// Before it assigns roles, it waits for ranks that are still starting.
constexpr double max_seconds_to_role = 600;

// Requests of one kind in order of arrival, for the threads that handle them.
using request_queue = waiting_messages<cluster_message>;

// Reports a failure: the coordinator throws it where it would have been thrown on a single machine.
void note_failure(message_json& reply, const std::function<void()>& work)
{
    try {
        work();
    } catch (const error& failure) {
        reply["error"] = json_of(failure);
    } catch (const std::exception& failure) {
        reply["error"] = json_of(error(failure.what()));
    }
}

class rank_server {
public:
    rank_server(const rank_link& link, const rank_server_options& options) : link_(link), options_(options) {}
    ~rank_server()
    {
        // However `run` ends, the threads must be joined, and they wait for requests.
        builds_.end();
        measurements_.end();
    }
    rank_server(const rank_server&) = delete;
    rank_server& operator=(const rank_server&) = delete;
    serving_end run(const rank_facts& facts);

private:
    void tell(const message_json& said, std::string bytes = {}) const
    {
        std::string text = encoded({.said = said, .bytes = std::move(bytes)});
        if (text.size() > max_message_bytes)
            text = encoded({.said = {{"is", "answer"},
                                     {"id", said.value("id", 0L)},
                                     {"error", json_of(error("the answer is too large for a message"))}}});
        link_.send(options_.coordinator, std::move(text));
    }
    bool take(const std::string& text);
    void remove_own(const std::string& path) const;
    void begin(const cluster_message& message);
    void begin_as(const rank_role& role);
    void answer(request_queue& requests);
    void answer_one(const cluster_message& request, long id);
    void do_one(const cluster_message& request, message_json& reply, std::string& bytes);
    [[nodiscard]] const tune_backend& backend_for(const message_json& request) const;
    prepared_job made_for_measuring(const cluster_message& request, const tune_job& job, long number);

    const rank_link& link_;
    const rank_server_options& options_;
    rank_role role_;
    std::vector<tune_backend> backends_;
    request_queue builds_, measurements_;
    std::vector<std::jthread> threads_;
    serving_end end_ = serving_end::coordinator_lost;
    std::mutex lock_;
    std::map<long, prepared_job> made_;  // by the coordinator's number
};

serving_end rank_server::run(const rank_facts& facts)
{
    using clock = std::chrono::steady_clock;
    // Sends signs of life, in a thread that does nothing else.
    const std::jthread alive = new_thread([this](const std::stop_token& stop) {
        std::mutex lock;
        std::condition_variable_any never;
        for (std::unique_lock guard(lock); !stop.stop_requested();) {
            tell({{"is", "alive"}});
            never.wait_for(guard, stop, std::chrono::duration<double>(options_.heartbeat_seconds),
                           [] { return false; });
        }
    });
    message_json hello = json_of(facts);
    hello["is"] = "hello";
    tell(hello);
    bool goes_on = true;
    for (clock::time_point heard = clock::now(), looked = heard; goes_on;) {
        std::optional<rank_message> message = link_.receive(0.2);
        const clock::time_point now = clock::now();
        // If this process was stopped for a while, it did not listen.
        if (now - looked > std::chrono::seconds(2)) heard = now;
        looked = now;
        const double limit = threads_.empty() ? max_seconds_to_role : patience_with_coordinator * role_.silence_seconds;
        if (!message) {
            goes_on = std::chrono::duration<double>(now - heard).count() < limit;
        } else if (message->from == options_.coordinator) {
            heard = now;
            goes_on = take(message->text);
        }
    }
    for (const tune_backend& backend : backends_)
        if (backend.give_up_preparing) backend.give_up_preparing();
    builds_.end();
    measurements_.end();
    threads_.clear();
    return end_;
}

// False for the last message.
bool rank_server::take(const std::string& text)
try {
    cluster_message message = cluster_message_of(text);
    const std::string does = text_in(message, "do");
    if (does == "end") {
        end_ = message.said.value("ranks_lost", false) ? serving_end::some_ranks_lost : serving_end::complete;
        return false;
    }
    if (does == "begin") {
        begin(message);
    } else if (does == "prepare" || does == "measure" || does == "fetch") {
        const long id = number_in(message, "id");  // without one there is no answer
        if (threads_.empty()) throw error("it got a task before its role");
        if (does == "fetch")
            answer_one(message, id);  // at once: the rank that fetches it keeps a GPU waiting
        else
            (does == "prepare" ? builds_ : measurements_).push(std::move(message));
    } else if (does == "forget") {
        const std::lock_guard guard(lock_);
        if (const auto made = made_.extract(number_in(message, "number"))) {
            remove_own(made.mapped().file);
            remove_own(made.mapped().folder);
        }
    } else if (does == "give_up") {
        for (const tune_backend& backend : backends_)
            if (backend.give_up_preparing) backend.give_up_preparing();
    } else if (does != "nothing") {
        throw error("it got a message that this version does not know");
    }
    return true;
} catch (const error& failure) {
    // Tells the coordinator why it gets no answer, so that it leaves this rank out.
    tell({{"is", "confused"}, {"why", failure.what()}});
    return true;
}

// Only removes files in our folder; others belong to the backend.
void rank_server::remove_own(const std::string& path) const
{
    std::error_code ignored;
    if (!options_.folder.empty() && path.starts_with(options_.folder.string() + "/")) fs::remove_all(path, ignored);
}

void rank_server::begin(const cluster_message& message)
{
    if (!threads_.empty()) throw error("it got its role twice");
    message_json ready{{"is", "ready"}};
    note_failure(ready, [&] { begin_as(role_of(message.said.value("role", message_json()))); });
    tell(ready);
}

void rank_server::begin_as(const rank_role& role)
{
    if (!options_.open) throw error("it has neither a GPU nor a compiler");
    backends_ = options_.open(role);
    if (backends_.empty() || (role.gpu >= 0 && backends_.front().measurers.empty()))
        throw error("it can neither compile nor measure candidates");
    role_ = role;
    // A worker at a GPU ends with the thread that started it, so a single thread does all measuring.
    threads_.push_back(new_thread([this, role] {
        if (role.gpu >= 0 && backends_.front().open) backends_.front().open();
        if (role.gpu >= 0 && backends_.front().begin) backends_.front().begin(0, 0);
        answer(measurements_);
        if (backends_.front().close) backends_.front().close();
    }));
    for (unsigned i = 0; i < role.jobs; ++i) threads_.push_back(new_thread([this] { answer(builds_); }));
}

void rank_server::answer(request_queue& requests)
{
    while (const std::optional<cluster_message> request = requests.pop())
        answer_one(*request, number_in(*request, "id"));
}

void rank_server::answer_one(const cluster_message& request, long id)
{
    message_json reply{{"is", "answer"}, {"id", id}};
    std::string bytes;
    note_failure(reply, [&] { do_one(request, reply, bytes); });
    tell(reply, std::move(bytes));
}

void rank_server::do_one(const cluster_message& request, message_json& reply, std::string& bytes)
{
    const message_json& said = request.said;
    const std::string does = text_in(request, "do");
    const long number = number_in(request, "number");
    if (does == "fetch") {
        const std::lock_guard guard(lock_);
        const auto found = made_.find(number);
        // Without bytes, the other rank builds it itself.
        if (found != made_.end() && !found->second.file.empty()) bytes = read_file(found->second.file);
        return;
    }
    const tune_backend& backend = backend_for(said);
    const tune_job job = record_of<tune_job>(said.at("job"), "job");
    if (job.workload >= options_.workloads) throw error("it got a workload that is not in the spec");
    if (does == "prepare") {
        prepared_job made = backend.prepare(job);
        reply["prepared"] = json_of(made);
        if (made.build.status != build_status::built || !made.build.machine_failure.empty()) return;
        std::error_code unknown;
        const std::uintmax_t size = made.folder.empty() ? fs::file_size(made.file, unknown) : 0;
        reply["module_bytes"] = unknown ? 0 : size;
        const std::lock_guard guard(lock_);
        made_.insert_or_assign(number, std::move(made));
        return;
    }
    const measure_request how = record_of<measure_request>(said.at("request"), "request");
    const auto start = std::chrono::steady_clock::now();
    const prepared_job made = made_for_measuring(request, job, number);
    measurement measured;
    if (!made.build.machine_failure.empty())
        measured.machine_failure = made.build.machine_failure;
    else if (made.build.status != build_status::built)
        measured = {.status = outcome_of(made.build.status), .reason = made.build.reason};
    else
        measured = backend.measurers.at(0)(job, made, how);
    measured.seconds = seconds_since(start);
    reply["measurement"] = json_of(measured);
}

// A rank with a GPU knows a single backend.
const tune_backend& rank_server::backend_for(const message_json& request) const
{
    return role_.gpu >= 0 ? backends_.at(0) : backends_.at(place_in(request, "backend"));
}

// The module made here before, sent with the request, or else built now. It is kept until it has been measured.
prepared_job rank_server::made_for_measuring(const cluster_message& request, const tune_job& job, long number)
{
    {
        const std::lock_guard guard(lock_);
        if (const auto found = made_.find(number); found != made_.end()) return found->second;
    }
    prepared_job made;
    if (request.bytes.empty()) {
        made = backend_for(request.said).prepare(job);
    } else {
        made = prepared_of(request.said.at("prepared"));
        made.file = (options_.folder / fmt::format("sent_{}.cubin", number)).string();
        write_file_atomically(made.file, request.bytes);
    }
    const std::lock_guard guard(lock_);
    return made_.insert_or_assign(number, std::move(made)).first->second;
}

}  // namespace

serving_end serve_rank(const rank_link& link, const rank_facts& facts, const rank_server_options& options)
{
    return rank_server(link, options).run(facts);
}

}  // namespace launchbox
