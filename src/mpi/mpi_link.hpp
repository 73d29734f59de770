// A rank_link over MPI. All of launchbox's use of MPI is behind this header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cluster/rank_link.hpp"

namespace launchbox {

/// Called before MPI starts: selects TCP only, unless the environment says otherwise.
void choose_transport();

/// MPI from start to end. A single thread does all communication, so that any MPI library will do.
class mpi_session {
public:
    /// Throws `error` if MPI does not start, or cannot be used by a thread other than that of `main`.
    mpi_session(int& count, char**& arguments);
    ~mpi_session();

    [[nodiscard]] int rank() const;
    [[nodiscard]] int ranks() const;
    /// Messages that this rank sends to itself arrive at `own_link`, and vice versa.
    [[nodiscard]] rank_link link();
    [[nodiscard]] rank_link own_link();

    /// Sends pending messages, and ends MPI together with all other ranks. If one of them died unnoticed, this process
    /// ends with `status` after a while.
    void finish(int status);
    /// If ranks have died or hang: sends pending messages, and ends the processes of all ranks, this one with `status`.
    [[noreturn]] void end_all_ranks(int status);
    /// If ranks have died or hang, and rank 0 ends the others: sends pending messages, and ends this process with
    /// `status` unless it was ended before.
    [[noreturn]] void end_after_rank_0(int status);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
