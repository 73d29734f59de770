// The functions of Open MPI that launchbox-mpi calls, from the library of the machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <string>

#include "support/loaded_library.hpp"

namespace launchbox {

/// Loaded at run time, like the CUDA driver: without Open MPI the program can report that, and still show its help.
struct mpi_library {
    loaded_library library;
    std::string missing = {};  ///< why it cannot be used; empty if it can

    /// Open MPI's pointer to the function that prints its help; null if this version has none. Its own function asks
    /// mpirun to print and waits for the answer.
    int (**help)(const char* file, const char* topic, int with_header, ...) = library.find("opal_show_help");

    decltype(&MPI_Init_thread) init_thread = library.need("MPI_Init_thread");
    decltype(&MPI_Finalize) finalize = library.need("MPI_Finalize");
    decltype(&MPI_Abort) abort = library.need("MPI_Abort");
    decltype(&MPI_Comm_set_errhandler) set_error_handler = library.need("MPI_Comm_set_errhandler");
    decltype(&MPI_Comm_rank) rank = library.need("MPI_Comm_rank");
    decltype(&MPI_Comm_size) size = library.need("MPI_Comm_size");
    decltype(&MPI_Isend) start_sending = library.need("MPI_Isend");
    decltype(&MPI_Test) test = library.need("MPI_Test");
    decltype(&MPI_Cancel) cancel = library.need("MPI_Cancel");
    decltype(&MPI_Request_free) free_request = library.need("MPI_Request_free");
    decltype(&MPI_Iprobe) probe = library.need("MPI_Iprobe");
    decltype(&MPI_Get_count) count = library.need("MPI_Get_count");
    decltype(&MPI_Irecv) start_receiving = library.need("MPI_Irecv");

    // In Open MPI, these are addresses of objects in the library.
    MPI_Comm world = library.need("ompi_mpi_comm_world");
    MPI_Datatype byte = library.need("ompi_mpi_byte");
    MPI_Request no_request = library.need("ompi_request_null");
    MPI_Errhandler return_errors = library.need("ompi_mpi_errors_return");
};

/// Loaded by the first call.
const mpi_library& loaded_mpi();

}  // namespace launchbox
