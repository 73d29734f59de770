// Three ranks: rank 1 starts a large message to rank 0 and then makes no more MPI calls, like a process that was
// stopped. Rank 0 must still receive from rank 2. It prints "heard N of M" and ends all ranks.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

#include "mpi/mpi_library.hpp"
#include "mpi/mpi_link.hpp"

namespace {

constexpr int tag_of_link = 1, messages = 300;
// More than any transport sends before the receiver requests the rest.
constexpr int large = 8 << 20;

void begin_and_stop(int& count, char**& arguments)
{
    const launchbox::mpi_library& mpi = launchbox::loaded_mpi();
    int level = 0;
    mpi.init_thread(&count, &arguments, MPI_THREAD_SERIALIZED, &level);
    // Once a message from rank 0 has arrived, the connection exists, so a send starts at once.
    MPI_Status status;
    for (int there = 0; there == 0;) mpi.probe(0, tag_of_link, mpi.world, &there, &status);
    static const std::string half(large, 'x');
    MPI_Request request = mpi.no_request;
    mpi.start_sending(half.data(), large, mpi.byte, 0, tag_of_link, mpi.world, &request);
    for (;;) ::pause();
}

void say_much(const launchbox::rank_link& link)
{
    if (!link.receive(60)) return;
    for (int i = 0; i < messages; ++i) {
        link.send(0, std::to_string(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (;;) ::pause();
}

}  // namespace

int main(int count, char** arguments)
{
    // Before MPI starts, only mpirun's environment variable has the rank.
    const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank == nullptr) return 2;
    if (*rank == '1') {
        // As in a real session: the ranks must agree on a transport.
        launchbox::choose_transport();
        begin_and_stop(count, arguments);
    }
    launchbox::mpi_session session(count, arguments);
    const launchbox::rank_link link = session.link();
    if (session.rank() == 2) say_much(link);
    link.send(1, "begin");
    link.send(2, "begin");
    int heard = 0;
    while (heard < messages) {
        const std::optional<launchbox::rank_message> message = link.receive(20);
        // With some transports rank 0 reads the rest itself.
        if (message && message->from == 1) continue;
        if (!message || message->text != std::to_string(heard)) break;
        ++heard;
    }
    std::cout << "heard " << heard << " of " << messages << std::endl;
    session.end_all_ranks(0);
}
