// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_library.hpp"

#include <dlfcn.h>

#include <type_traits>

namespace launchbox {

namespace {

// Of Open MPI 2 to 5.
constexpr const char* file_of_library = "libmpi.so.40";

mpi_library load_mpi()
{
    mpi_library mpi;
    // Open MPI's own plugins look for its symbols among those of the program.
    void* const library = ::dlopen(file_of_library, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        mpi.missing = std::string("Open MPI (") + file_of_library + ") is not installed here";
        return mpi;
    }
    const auto need = [&](auto& symbol, const char* name) {
        symbol = reinterpret_cast<std::remove_reference_t<decltype(symbol)>>(::dlsym(library, name));
        if (symbol == nullptr && mpi.missing.empty())
            mpi.missing =
                std::string(file_of_library) + " is not a version of Open MPI that launchbox knows: it has no " + name;
    };
    need(mpi.init_thread, "MPI_Init_thread");
    need(mpi.finalize, "MPI_Finalize");
    need(mpi.abort, "MPI_Abort");
    need(mpi.set_error_handler, "MPI_Comm_set_errhandler");
    need(mpi.rank, "MPI_Comm_rank");
    need(mpi.size, "MPI_Comm_size");
    need(mpi.start_sending, "MPI_Isend");
    need(mpi.test, "MPI_Test");
    need(mpi.cancel, "MPI_Cancel");
    need(mpi.free_request, "MPI_Request_free");
    need(mpi.probe, "MPI_Iprobe");
    need(mpi.count, "MPI_Get_count");
    need(mpi.start_receiving, "MPI_Irecv");
    need(mpi.world, "ompi_mpi_comm_world");
    need(mpi.byte, "ompi_mpi_byte");
    need(mpi.no_request, "ompi_request_null");
    need(mpi.return_errors, "ompi_mpi_errors_return");
    mpi.help = reinterpret_cast<decltype(mpi.help)>(::dlsym(library, "opal_show_help"));
    return mpi;
}

}  // namespace

const mpi_library& loaded_mpi()
{
    static const mpi_library mpi = load_mpi();
    return mpi;
}

}  // namespace launchbox
