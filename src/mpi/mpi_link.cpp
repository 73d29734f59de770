// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_link.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <iostream>
#include <list>
#include <mutex>
#include <thread>

#include "cluster/message_queue.hpp"
#include "support/error.hpp"

namespace launchbox {

namespace {

constexpr int message_tag = 1;
// MPI has no wait for "a message, or something to be sent". Where nothing moves it is looked for every half
// millisecond: a candidate takes hundreds of them.
constexpr std::chrono::microseconds longest_nap(500);
// How long the end waits for messages to leave.
constexpr std::chrono::seconds longest_flush(5);

struct outgoing {
    int to = 0;
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
};

}  // namespace

struct mpi_session::inside {
    int rank = 0, ranks = 1;
    message_queue inbox, own_inbox;
    std::mutex lock;
    std::condition_variable changed;
    std::deque<outgoing> to_send;
    std::size_t unsent = 0;  // with those on their way
    std::jthread communication;

    void send(int to, std::string text)
    {
        const std::lock_guard guard(lock);
        to_send.push_back({.to = to, .text = std::move(text)});
        ++unsent;
        changed.notify_all();
    }
    void communicate(const std::stop_token& stop);
    bool start_sending(std::list<outgoing>& on_their_way);
    bool end_sending(std::list<outgoing>& on_their_way);
    bool receive();
    void flush();
};

mpi_session::mpi_session(int& count, char**& arguments) : inside_(std::make_unique<inside>())
{
    int level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        throw error("MPI does not start", "start launchbox-mpi with mpirun or srun", exit_status::missing);
    if (level < MPI_THREAD_SERIALIZED)
        throw error("this MPI can be used by the first thread of a program alone", "use Open MPI from 4 on",
                    exit_status::missing);
    // A send to a rank that has died must not end this one.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &inside_->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &inside_->ranks);
    inside_->communication = std::jthread([this](const std::stop_token& stop) { inside_->communicate(stop); });
}

mpi_session::~mpi_session() = default;

int mpi_session::rank() const
{
    return inside_->rank;
}

int mpi_session::ranks() const
{
    return inside_->ranks;
}

rank_link mpi_session::link()
{
    inside* const in = inside_.get();
    return {.rank = in->rank,
            .ranks = in->ranks,
            .send =
                [in](int to, std::string text) {
                    if (to == in->rank)
                        in->own_inbox.push({.from = in->rank, .text = std::move(text)});
                    else
                        in->send(to, std::move(text));
                },
            .receive = [in](double seconds) { return in->inbox.pop(seconds); }};
}

rank_link mpi_session::own_link()
{
    inside* const in = inside_.get();
    return {.rank = in->rank,
            .ranks = in->ranks,
            .send = [in](int, std::string text) { in->inbox.push({.from = in->rank, .text = std::move(text)}); },
            .receive = [in](double seconds) { return in->own_inbox.pop(seconds); }};
}

void mpi_session::inside::communicate(const std::stop_token& stop)
{
    std::list<outgoing> on_their_way;
    std::chrono::microseconds nap(0);
    while (!stop.stop_requested()) {
        bool moved = start_sending(on_their_way);
        moved |= end_sending(on_their_way);
        moved |= receive();
        if (moved) {
            nap = std::chrono::microseconds(0);
            continue;
        }
        nap = std::min(nap + std::chrono::microseconds(20), longest_nap);
        std::unique_lock guard(lock);
        changed.wait_for(guard, nap, [this] { return !to_send.empty(); });
    }
    // What is on its way to who does not listen stays there.
    for (outgoing& message : on_their_way) {
        MPI_Cancel(&message.request);
        MPI_Request_free(&message.request);
    }
}

bool mpi_session::inside::start_sending(std::list<outgoing>& on_their_way)
{
    std::deque<outgoing> now;
    {
        const std::lock_guard guard(lock);
        now.swap(to_send);
    }
    for (outgoing& message : now) {
        outgoing& sent = on_their_way.emplace_back(std::move(message));
        const bool fits = sent.text.size() <= static_cast<std::size_t>(INT_MAX);
        // A rank that has died is noticed by its silence.
        if (!fits || MPI_Isend(sent.text.data(), static_cast<int>(sent.text.size()), MPI_BYTE, sent.to, message_tag,
                               MPI_COMM_WORLD, &sent.request) != MPI_SUCCESS)
            sent.request = MPI_REQUEST_NULL;
    }
    return !now.empty();
}

bool mpi_session::inside::end_sending(std::list<outgoing>& on_their_way)
{
    std::size_t ended = 0;
    for (auto message = on_their_way.begin(); message != on_their_way.end();) {
        int done = 1;
        if (message->request != MPI_REQUEST_NULL &&
            MPI_Test(&message->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            done = 1;
        if (done != 0) {
            message = on_their_way.erase(message);
            ++ended;
        } else {
            ++message;
        }
    }
    if (ended > 0) {
        const std::lock_guard guard(lock);
        unsent -= ended;
        changed.notify_all();
    }
    return ended > 0;
}

bool mpi_session::inside::receive()
{
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, message_tag, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || there == 0)
        return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    rank_message message{.from = status.MPI_SOURCE, .text = std::string(static_cast<std::size_t>(size), '\0')};
    if (MPI_Recv(message.text.data(), size, MPI_BYTE, message.from, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
        return false;
    inbox.push(std::move(message));
    return true;
}

void mpi_session::inside::flush()
{
    {
        std::unique_lock guard(lock);
        changed.wait_for(guard, longest_flush, [this] { return unsent == 0; });
    }
    communication.request_stop();
    communication.join();
}

void mpi_session::finish()
{
    inside_->flush();
    MPI_Finalize();
}

void mpi_session::finish_without_others(int status)
{
    inside_->flush();
    std::cout.flush();
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, status);
    ::_exit(status);
}

}  // namespace launchbox
