// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_link.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <list>
#include <mutex>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include "cluster/cluster_messages.hpp"
#include "cluster/message_queue.hpp"
#include "mpi/mpi_library.hpp"
#include "support/error.hpp"
#include "support/process/thread_group.hpp"

namespace launchbox {

namespace {

constexpr int message_tag = 1;
// MPI cannot wait for either a message or something to send. When idle, both are polled after a nap: at most this long
// for each direction of a question and its answer, compared with candidates that take milliseconds.
constexpr std::chrono::microseconds longest_nap(150);
// Open MPI checks its TCP connections only at every eighth call that makes progress.
constexpr int probes_at_once = 8;
// How long the end waits for pending messages.
constexpr std::chrono::seconds longest_flush(5);
// How long the end of a job may take.
constexpr std::chrono::seconds longest_end(60);

struct outgoing {
    int to = 0;
    std::string text;
    MPI_Request request = nullptr;  // set when it is sent
};

struct incoming {
    rank_message message;
    MPI_Request request = nullptr;
};

int no_help(const char*, const char*, int, ...)
{
    return 0;
}

bool is_set(const char* variable)
{
    return std::getenv(variable) != nullptr;
}

}  // namespace

// By default, ranks on one host use shared memory, and one that dies while writing may leave it in a state in which the
// others wait for ever. Messages are small, so TCP will do. MPI_Init reads these variables, which mpirun also sets from
// its --mca.
void choose_transport()
{
    if (is_set("OMPI_MCA_btl") || is_set("OMPI_MCA_pml")) return;
    ::setenv("OMPI_MCA_pml", "ob1", 0);
    ::setenv("OMPI_MCA_btl", "self,tcp", 0);
    // Loopback is excluded by default, but a machine without a network has nothing else.
    const char* const here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const char* const all = std::getenv("OMPI_COMM_WORLD_SIZE");
    if (here != nullptr && all != nullptr && std::string_view(here) == all && !is_set("OMPI_MCA_btl_tcp_if_include") &&
        !is_set("OMPI_MCA_btl_tcp_if_exclude"))
        ::setenv("OMPI_MCA_btl_tcp_if_include", "lo", 0);
}

struct mpi_session::impl {
    int rank = 0, ranks = 1;
    message_queue inbox, own_inbox;
    std::mutex lock;
    std::condition_variable changed;
    std::deque<outgoing> to_send;
    std::size_t unsent = 0;  // including those on their way
    // MPI reads and writes them until its end, so they outlive the thread.
    std::list<outgoing> on_their_way;
    std::list<incoming> arriving;
    std::set<int> unreachable;  // a send to them has failed: another would make MPI reconnect, and complain
    std::jthread communication;

    void send(int to, std::string text)
    {
        const std::lock_guard guard(lock);
        to_send.push_back({.to = to, .text = std::move(text)});
        ++unsent;
        changed.notify_all();
    }
    void communicate(const std::stop_token& stop);
    bool start_sending();
    bool end_sending();
    bool start_receiving();
    bool end_receiving();
    void flush();
    static bool end_process_after(std::chrono::seconds limit, int status);
};

mpi_session::mpi_session(int& count, char**& arguments) : impl_(std::make_unique<impl>())
{
    const mpi_library& mpi = loaded_mpi();
    if (!mpi.missing.empty())
        throw error(mpi.missing, "apt-get install openmpi-bin installs it; launchbox tune needs none on one machine",
                    exit_status::missing);
    choose_transport();
    int level = MPI_THREAD_SINGLE;
    if (mpi.init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS)
        throw error("MPI does not start", "start launchbox-mpi with mpirun or srun", exit_status::missing);
    if (level < MPI_THREAD_SERIALIZED)
        throw error("this MPI can only be used by the first thread of a program", "use Open MPI from 4 on",
                    exit_status::missing);
    // Open MPI complains repeatedly about a rank that died, through an mpirun that may no longer answer, and then no
    // message comes through. The coordinator reports lost ranks.
    if (mpi.help != nullptr) *mpi.help = no_help;
    // A send to a dead rank must not end this one.
    mpi.set_error_handler(mpi.world, mpi.return_errors);
    mpi.rank(mpi.world, &impl_->rank);
    mpi.size(mpi.world, &impl_->ranks);
    impl_->communication = new_thread([this](const std::stop_token& stop) { impl_->communicate(stop); });
}

mpi_session::~mpi_session() = default;

int mpi_session::rank() const
{
    return impl_->rank;
}

int mpi_session::ranks() const
{
    return impl_->ranks;
}

rank_link mpi_session::link()
{
    impl* const in = impl_.get();
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
    impl* const in = impl_.get();
    return {.rank = in->rank,
            .ranks = in->ranks,
            .send = [in](int, std::string text) { in->inbox.push({.from = in->rank, .text = std::move(text)}); },
            .receive = [in](double seconds) { return in->own_inbox.pop(seconds); }};
}

void mpi_session::impl::communicate(const std::stop_token& stop)
{
    const mpi_library& mpi = loaded_mpi();
    std::chrono::microseconds nap(0);
    while (!stop.stop_requested()) {
        bool moved = start_sending();
        moved |= end_sending();
        moved |= start_receiving();
        moved |= end_receiving();
        if (moved) {
            nap = std::chrono::microseconds(0);
            continue;
        }
        nap = std::min(nap + std::chrono::microseconds(20), longest_nap);
        std::unique_lock guard(lock);
        changed.wait_for(guard, nap, [this] { return !to_send.empty(); });
    }
    // Messages to a rank that does not listen are cancelled; half-received ones are left to MPI.
    for (outgoing& message : on_their_way) {
        if (message.request == mpi.no_request) continue;
        mpi.cancel(&message.request);
        mpi.free_request(&message.request);
    }
}

bool mpi_session::impl::start_sending()
{
    const mpi_library& mpi = loaded_mpi();
    std::deque<outgoing> now;
    {
        const std::lock_guard guard(lock);
        now.swap(to_send);
    }
    for (outgoing& message : now) {
        outgoing& sent = on_their_way.emplace_back(std::move(message));
        // A dead rank is noticed by its silence.
        const bool goes = sent.text.size() <= max_message_bytes && !unreachable.contains(sent.to);
        sent.request = mpi.no_request;
        if (goes && mpi.start_sending(sent.text.data(), static_cast<int>(sent.text.size()), mpi.byte, sent.to,
                                      message_tag, mpi.world, &sent.request) != MPI_SUCCESS) {
            sent.request = mpi.no_request;
            unreachable.insert(sent.to);
        }
    }
    return !now.empty();
}

bool mpi_session::impl::end_sending()
{
    const mpi_library& mpi = loaded_mpi();
    std::size_t ended = 0;
    for (auto message = on_their_way.begin(); message != on_their_way.end();) {
        int done = 1;
        if (message->request != mpi.no_request &&
            mpi.test(&message->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
            done = 1;
            unreachable.insert(message->to);
        }
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

// Never waits for a message that has begun to arrive: MPI asks the sender for the rest of a large one, and a sender
// that died or was stopped meanwhile never answers.
bool mpi_session::impl::start_receiving()
{
    const mpi_library& mpi = loaded_mpi();
    int there = 0;
    MPI_Status status;
    for (int probes = 0; probes < probes_at_once && there == 0; ++probes)
        if (mpi.probe(MPI_ANY_SOURCE, message_tag, mpi.world, &there, &status) != MPI_SUCCESS) return false;
    if (there == 0) return false;
    int size = 0;
    mpi.count(&status, mpi.byte, &size);
    // A message that is too large is received truncated: it is then unreadable, and its rank is left out.
    if (size < 0 || static_cast<std::size_t>(size) > max_message_bytes) size = 0;
    arriving.push_back(
        {.message = {.from = status.MPI_SOURCE, .text = std::string(static_cast<std::size_t>(size), '\0')}});
    incoming& begun = arriving.back();
    if (mpi.start_receiving(begun.message.text.data(), size, mpi.byte, begun.message.from, message_tag, mpi.world,
                            &begun.request) == MPI_SUCCESS)
        return true;
    arriving.pop_back();
    return false;
}

// Delivers the messages of each rank in the order of sending.
bool mpi_session::impl::end_receiving()
{
    const mpi_library& mpi = loaded_mpi();
    bool moved = false;
    std::set<int> waiting;  // ranks with an earlier message still incomplete
    for (auto begun = arriving.begin(); begun != arriving.end();) {
        int done = waiting.contains(begun->message.from) ? 0 : 1;
        const int received = done != 0 ? mpi.test(&begun->request, &done, MPI_STATUS_IGNORE) : MPI_SUCCESS;
        if (received == MPI_SUCCESS && done == 0) {
            waiting.insert(begun->message.from);
            ++begun;
            continue;
        }
        // A truncated message is empty.
        if (received == MPI_SUCCESS || begun->message.text.empty()) inbox.push(std::move(begun->message));
        begun = arriving.erase(begun);
        moved = true;
    }
    return moved;
}

void mpi_session::impl::flush()
{
    {
        std::unique_lock guard(lock);
        changed.wait_for(guard, longest_flush, [this] { return unsent == 0; });
    }
    communication.request_stop();
    communication.join();
}

// MPI_Finalize and MPI_Abort may wait for a dead rank.
bool mpi_session::impl::end_process_after(std::chrono::seconds limit, int status)
{
    try {
        std::thread([limit, status] {
            std::this_thread::sleep_for(limit);
            ::_exit(status);
        }).detach();
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

void mpi_session::finish(int status)
{
    std::cout.flush();
    std::fflush(nullptr);
    impl_->flush();
    impl::end_process_after(longest_end, status);
    loaded_mpi().finalize();
}

void mpi_session::end_all_ranks(int status)
{
    std::cout.flush();
    std::fflush(nullptr);
    if (!impl::end_process_after(longest_end, status)) ::_exit(status);  // mpirun then ends the job
    impl_->flush();
    loaded_mpi().abort(loaded_mpi().world, status);
    ::_exit(status);
}

void mpi_session::end_after_rank_0(int status)
{
    impl_->flush();
    std::this_thread::sleep_for(longest_flush);
    ::_exit(status);
}

}  // namespace launchbox
