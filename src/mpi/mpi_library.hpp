// The functions of Open MPI that launchbox-mpi calls, from the library of the machine that it runs on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <string>

namespace launchbox {

/// Loaded at run time, as the CUDA driver is: where there is no Open MPI the program can say so, and still shows its
/// help.
struct mpi_library {
    /// Where Open MPI keeps the function that prints its help; null: this version has none. Its own asks mpirun to
    /// print and waits for the answer.
    int (**help)(const char* file, const char* topic, int with_header, ...) = nullptr;
    std::string missing;  ///< why it cannot be used; empty: it can

    decltype(&MPI_Init_thread) init_thread = nullptr;
    decltype(&MPI_Finalize) finalize = nullptr;
    decltype(&MPI_Abort) abort = nullptr;
    decltype(&MPI_Comm_set_errhandler) set_error_handler = nullptr;
    decltype(&MPI_Comm_rank) rank = nullptr;
    decltype(&MPI_Comm_size) size = nullptr;
    decltype(&MPI_Isend) start_sending = nullptr;
    decltype(&MPI_Test) test = nullptr;
    decltype(&MPI_Cancel) cancel = nullptr;
    decltype(&MPI_Request_free) free_request = nullptr;
    decltype(&MPI_Iprobe) probe = nullptr;
    decltype(&MPI_Get_count) count = nullptr;
    decltype(&MPI_Irecv) start_receiving = nullptr;

    // In Open MPI these are the addresses of objects in the library.
    MPI_Comm world = nullptr;
    MPI_Datatype byte = nullptr;
    MPI_Request no_request = nullptr;
    MPI_Errhandler return_errors = nullptr;
};

/// Loads it at the first call.
const mpi_library& loaded_mpi();

}  // namespace launchbox
