// SPDX-License-Identifier: Apache-2.0
#include "cluster/rank_calls.hpp"

#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "support/error.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/thread_group.hpp"

namespace launchbox {

namespace {

using call_clock = std::chrono::steady_clock;

double seconds_between(call_clock::time_point from, call_clock::time_point to)
{
    return std::chrono::duration<double>(to - from).count();
}

struct open_call {
    int rank = 0;
    std::optional<std::size_t> prepares_for;  // the backend
    std::promise<cluster_message> answer;
};

struct known_rank {
    std::string name;
    call_clock::time_point heard = call_clock::now();
    std::optional<rank_facts> facts;
    bool ready = false;
    std::optional<error> not_ready;  // with `ready`: why it cannot take part
    std::string lost;                // why it was lost; empty if it was not
};

}  // namespace

struct rank_calls::impl {
    impl(rank_link with, const rank_calls_options& how)
        : link(std::move(with)), options(how), ranks(static_cast<std::size_t>(link.ranks))
    {
        for (int rank = 0; rank < link.ranks; ++rank)
            ranks[static_cast<std::size_t>(rank)].name = fmt::format("rank {}", rank);
    }

    rank_link link;
    rank_calls_options options;
    mutable std::mutex lock;
    std::condition_variable changed;
    std::vector<known_rank> ranks;
    bool started = false;  // from then on, silence counts
    std::map<long, open_call> calls;
    long next_call = 0;
    std::jthread listener;

    known_rank& at(int rank) { return ranks.at(static_cast<std::size_t>(rank)); }
    void tell(int rank, const message_json& said, std::string bytes = {}) const
    {
        link.send(rank, encoded({.said = said, .bytes = std::move(bytes)}));
    }
    void tell_all(const message_json& said, bool lost_ones)
    {
        for (int rank = 0; rank < link.ranks; ++rank)
            if (lost_ones || at(rank).lost.empty()) tell(rank, said);
    }
    void listen(const std::stop_token& stop);
    void take(const rank_message& message);
    void take_answer(cluster_message answer, int rank);
    void lose(int rank, const std::string& why);  // under the lock
    void end_calls(const auto& ends, const std::exception_ptr& why)
    {
        for (auto call = calls.begin(); call != calls.end();) {
            const bool over = ends(call->second);
            if (over) call->second.answer.set_exception(why);
            call = over ? calls.erase(call) : std::next(call);
        }
    }
    void look_for_silence(call_clock::time_point now);
    [[nodiscard]] bool has_ended(const rank_facts& of) const
    {
        return !options.process_space.empty() && of.process_space == options.process_space && of.process > 0 &&
               ::kill(static_cast<pid_t>(of.process), 0) != 0 && errno == ESRCH;
    }
};

rank_calls::rank_calls(rank_link link, const rank_calls_options& options)
    : impl_(std::make_unique<impl>(std::move(link), options))
{
    impl_->listener = new_thread([this](const std::stop_token& stop) { impl_->listen(stop); });
}

rank_calls::~rank_calls()
{
    const bool some_lost = !lost().empty();
    {
        const std::lock_guard guard(impl_->lock);
        impl_->tell_all({{"do", "end"}, {"ranks_lost", some_lost}}, true);  // one that was stopped may continue
    }
    impl_->listener.request_stop();
    impl_->listener.join();
}

int rank_calls::ranks() const
{
    return impl_->link.ranks;
}

void rank_calls::impl::listen(const std::stop_token& stop)
{
    call_clock::time_point looked = call_clock::now(), told = looked;
    while (!stop.stop_requested()) {
        const std::optional<rank_message> message = link.receive(0.1);
        const call_clock::time_point now = call_clock::now();
        {
            const std::lock_guard guard(lock);
            // If this process was stopped for a while, the others were not silent.
            if (const double gap = seconds_between(looked, now); gap > 2)
                for (known_rank& rank : ranks) rank.heard += now - looked;
            if (message) take(*message);
            look_for_silence(now);
        }
        looked = now;
        if (seconds_between(told, now) >= options.heartbeat_seconds) {
            const std::lock_guard guard(lock);
            tell_all({{"do", "nothing"}}, false);
            told = now;
        }
    }
}

void rank_calls::impl::look_for_silence(call_clock::time_point now)
{
    if (!started) return;
    for (int rank = 0; rank < link.ranks; ++rank) {
        const known_rank& known = at(rank);
        if (!known.facts || !known.lost.empty()) continue;
        if (seconds_between(known.heard, now) > options.silence_seconds)
            lose(rank, fmt::format("it has not answered for {:g} s", options.silence_seconds));
        else if (has_ended(*known.facts))
            lose(rank, "its process has ended");
    }
}

void rank_calls::impl::take(const rank_message& message)
{
    if (message.from < 0 || message.from >= link.ranks) return;
    known_rank& from = at(message.from);
    if (!from.lost.empty()) return;  // too late: another rank does its work
    from.heard = call_clock::now();
    try {
        cluster_message read = cluster_message_of(message.text);
        const std::string is = text_in(read, "is");
        if (is == "alive") return;
        if (is == "hello" && !started) {
            from.facts = facts_of(read.said);
            if (from.facts->rank != message.from) throw error("it claims to be another rank");
        } else if (is == "ready") {
            if (const auto failed = read.said.find("error"); failed != read.said.end())
                from.not_ready = failure_of(*failed, from.name);
            from.ready = true;
        } else if (is == "answer") {
            take_answer(std::move(read), message.from);
        } else if (is == "confused") {
            throw error("it cannot read a message: " + text_in(read, "why"));
        } else {
            throw error("it sent a message that this version does not know");
        }
        changed.notify_all();
    } catch (const error& failure) {
        lose(message.from, failure.what());
    }
}

// Nobody waits for the answer to an abandoned call.
void rank_calls::impl::take_answer(cluster_message answer, int rank)
{
    const auto found = calls.find(number_in(answer, "id"));
    if (found == calls.end()) return;
    if (found->second.rank != rank) throw error("it answered a question to another rank");
    const auto failed = answer.said.find("error");
    std::optional<error> failure;
    if (failed != answer.said.end()) failure = failure_of(*failed, at(rank).name);
    open_call call = std::move(found->second);
    calls.erase(found);
    if (failure)
        call.answer.set_exception(std::make_exception_ptr(*failure));
    else
        call.answer.set_value(std::move(answer));
}

void rank_calls::impl::lose(int rank, const std::string& why)
{
    known_rank& known = at(rank);
    if (!known.lost.empty()) return;
    known.lost = known.name + " is left out: " + why;
    end_calls([&](const open_call& call) { return call.rank == rank; }, std::make_exception_ptr(rank_lost(known.lost)));
    changed.notify_all();
}

std::map<int, rank_facts> rank_calls::wait_for_facts(double seconds, int except)
{
    const call_clock::time_point until =
        call_clock::now() + std::chrono::duration_cast<call_clock::duration>(std::chrono::duration<double>(seconds));
    std::map<int, rank_facts> all;
    for (std::unique_lock guard(impl_->lock);;) {
        for (int rank = 0; rank < impl_->link.ranks; ++rank)
            if (const auto& facts = impl_->at(rank).facts) all.insert_or_assign(rank, *facts);
        // Waiting for the others is useless: nothing begins without this one.
        for (const known_rank& rank : impl_->ranks)
            if (!rank.lost.empty()) throw error(rank.lost, "start the same launchbox-mpi on all nodes");
        const std::size_t wanted = impl_->ranks.size() - (except >= 0 && !all.contains(except) ? 1 : 0);
        if (all.size() >= wanted || call_clock::now() >= until) break;
        if (interrupted()) throw error("interrupted", {}, exit_status::interrupted);
        impl_->changed.wait_for(guard, std::chrono::milliseconds(100));
    }
    return all;
}

void rank_calls::begin(const std::map<int, message_json>& roles)
{
    std::unique_lock guard(impl_->lock);
    impl_->started = true;
    for (known_rank& rank : impl_->ranks) rank.heard = call_clock::now();
    for (const auto& [rank, role] : roles) impl_->tell(rank, {{"do", "begin"}, {"role", role}});
    for (const auto& [rank, role] : roles)
        for (;;) {
            const known_rank& known = impl_->at(rank);
            if (!known.lost.empty()) break;
            if (known.ready) {
                if (known.not_ready) throw error(*known.not_ready);
                break;
            }
            if (interrupted()) throw error("interrupted", {}, exit_status::interrupted);
            impl_->changed.wait_for(guard, std::chrono::milliseconds(100));
        }
}

cluster_message rank_calls::call(int rank, message_json said, std::string bytes)
{
    std::future<cluster_message> answer;
    {
        const std::lock_guard guard(impl_->lock);
        if (const std::string& why = impl_->at(rank).lost; !why.empty()) throw rank_lost(why);
        const long id = impl_->next_call++;
        said["id"] = id;
        open_call& call = impl_->calls[id];
        call.rank = rank;
        if (said.value("do", "") == "prepare") call.prepares_for = said.value("backend", std::size_t{0});
        answer = call.answer.get_future();
    }
    impl_->tell(rank, said, std::move(bytes));
    return answer.get();
}

void rank_calls::tell(int rank, const message_json& said)
{
    if (!is_lost(rank)) impl_->tell(rank, said);
}

void rank_calls::give_up_preparing(std::size_t backend, const std::vector<int>& ranks)
{
    const std::lock_guard guard(impl_->lock);
    for (const int rank : ranks)
        if (impl_->at(rank).lost.empty()) impl_->tell(rank, {{"do", "give_up"}});
    impl_->end_calls([&](const open_call& call) { return call.prepares_for == backend; },
                     std::make_exception_ptr(error("interrupted", {}, exit_status::interrupted)));
}

void rank_calls::name(int rank, std::string name)
{
    const std::lock_guard guard(impl_->lock);
    impl_->at(rank).name = std::move(name);
}

std::string rank_calls::name_of(int rank) const
{
    const std::lock_guard guard(impl_->lock);
    return impl_->at(rank).name;
}

void rank_calls::lose(int rank, const std::string& why)
{
    const std::lock_guard guard(impl_->lock);
    impl_->lose(rank, why);
}

bool rank_calls::is_lost(int rank) const
{
    const std::lock_guard guard(impl_->lock);
    return !impl_->at(rank).lost.empty();
}

std::vector<std::string> rank_calls::lost() const
{
    const std::lock_guard guard(impl_->lock);
    std::vector<std::string> all;
    for (const known_rank& rank : impl_->ranks)
        if (!rank.lost.empty()) all.push_back(rank.lost);
    return all;
}

}  // namespace launchbox
