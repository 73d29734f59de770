// SPDX-License-Identifier: Apache-2.0
#include "mpi/mpi_library.hpp"

#include <dlfcn.h>

namespace launchbox {

namespace {

// For Open MPI 2 to 5.
constexpr const char* file_of_library = "libmpi.so.40";

mpi_library load_mpi()
{
    // Open MPI's plugins look for its symbols among the program's.
    void* const library = ::dlopen(file_of_library, RTLD_NOW | RTLD_GLOBAL);
    mpi_library mpi{.library = loaded_library(library)};
    if (library == nullptr)
        mpi.missing = std::string("Open MPI (") + file_of_library + ") is not installed here";
    else if (const std::string& name = mpi.library.missing(); !name.empty())
        mpi.missing =
            std::string(file_of_library) + " is not a version of Open MPI that launchbox knows: it has no " + name;
    return mpi;
}

}  // namespace

const mpi_library& loaded_mpi()
{
    static const mpi_library mpi = load_mpi();
    return mpi;
}

}  // namespace launchbox
