# cmake -DSOURCE=... -DBUILD=... -DGENERATOR=... -DCOMPILER=... -P without_mpi.cmake
# Configures launchbox where CMake finds no MPI, or one that is not Open MPI.
file(REMOVE_RECURSE ${BUILD})

function(configure folder words)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD}/${folder} -G ${GENERATOR}
                          -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release ${ARGN}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${folder}: cannot be configured:\n${output}")
  endif()
  string(FIND "${output}" "${words}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${folder}: not said: ${words}\n${output}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD}/${folder} --target help OUTPUT_VARIABLE targets)
  if(targets MATCHES "launchbox_mpi" OR NOT targets MATCHES "launchbox_tool")
    message(FATAL_ERROR "${folder}: launchbox_tool is to be a target and launchbox_mpi is not")
  endif()
endfunction()

configure(none "launchbox-mpi is not built: there is no MPI here; ./setup --mpi installs Open MPI"
          -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
if(HAVE_MPI)
  file(WRITE ${BUILD}/other_mpi/mpi.h "#define MPICH_NAME 4\n")
  configure(other "launchbox-mpi is not built: the MPI here is not Open MPI"
            -DLAUNCHBOX_MPI_HEADER=${BUILD}/other_mpi/mpi.h)
endif()
file(REMOVE_RECURSE ${BUILD})
