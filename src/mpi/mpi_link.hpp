// A rank_link over MPI. All that the rest of launchbox knows of MPI is behind this header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/rank_link.hpp"

namespace launchbox {

/// Before MPI starts: TCP alone, unless the environment says what to use.
void choose_transport();

/// MPI from its start to its end. One thread of its own does all communication, so that any MPI library will do.
class mpi_session {
public:
    /// Throws `error` where MPI does not start, or cannot be used by another thread than that of `main`.
    mpi_session(int& count, char**& arguments);
    ~mpi_session();

    [[nodiscard]] int rank() const;
    [[nodiscard]] int ranks() const;
    /// What this rank sends to itself arrives at `own_link`, and the other way round.
    [[nodiscard]] rank_link link();
    [[nodiscard]] rank_link own_link();

    /// Sends what is still to be sent, and ends MPI together with all other ranks. Where one of them has died unnoticed
    /// this process ends with `status` after a while.
    void finish(int status);
    /// If ranks have died or hang: sends the rest, and ends the processes of all ranks, this one with `status`.
    [[noreturn]] void end_all_ranks(int status);
    /// If ranks have died or hang and rank 0 ends the others: sends the rest, and ends this process with `status` if
    /// nobody has ended it before.
    [[noreturn]] void end_after_rank_0(int status);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
