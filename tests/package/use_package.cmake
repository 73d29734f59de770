# Uses launchbox in one WAY, as a user would: see CMakeLists.txt here for the variables.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "failed (${status}): ${command}\n${output}")
  endif()
endfunction()

# Parts of a user's environment that must not interfere: headers and packages must come from the prefix only.
foreach(name CPATH CPLUS_INCLUDE_PATH CMAKE_PREFIX_PATH launchbox_DIR launchbox_ROOT CXXFLAGS DESTDIR)
  unset(ENV{${name}})
endforeach()
file(REMOVE_RECURSE ${SCRATCH})
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -B ${SCRATCH}/build -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Debug -DWANTED_VERSION=${VERSION})

set(install_headers ${CMAKE_COMMAND} --install ${BUILD} --component headers --prefix ${SCRATCH}/prefix)

if(WAY STREQUAL "all_installed")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
  foreach(file bin/launchbox share/man/man1/launchbox.1 share/man/man1/launchbox-tune.1
               share/bash-completion/completions/launchbox share/zsh/site-functions/_launchbox
               share/fish/vendor_completions.d/launchbox.fish include/launchbox/occupancy.hpp
               share/cmake/launchbox/launchboxConfig.cmake)
    if(NOT EXISTS ${SCRATCH}/prefix/${file})
      message(FATAL_ERROR "not installed: ${file}")
    endif()
  endforeach()
  run(${SCRATCH}/prefix/bin/launchbox --version)
elseif(WAY STREQUAL "installed")
  run(${install_headers})
  # Moved after installation: a package that remembers its prefix would break.
  file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
  run(${configure} -S ${SOURCE}/tests/package/consumer -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
  run(${SCRATCH}/build/consumer)
elseif(WAY STREQUAL "subdirectory")
  run(${configure} -S ${SOURCE}/tests/package/subdirectory -DLAUNCHBOX_SOURCE=${SOURCE})
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
  run(${SCRATCH}/build/consumer)
  run(${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/prefix)
  file(GLOB_RECURSE installed ${SCRATCH}/prefix/*)
  if(installed)
    message(FATAL_ERROR "launchbox was installed along with the project that uses it: ${installed}")
  endif()
elseif(WAY MATCHES "^cuda_(installed|subdirectory)$")
  set(how ${CMAKE_MATCH_1})
  if(how STREQUAL "installed")
    run(${install_headers})
  endif()
  run(${configure} -S ${SOURCE}/tests/package/cuda_consumer -DWAY=${how} -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
      -DLAUNCHBOX_SOURCE=${SOURCE} -DCMAKE_CUDA_COMPILER=${NVCC} -DCMAKE_CUDA_HOST_COMPILER=${COMPILER}
      -DCMAKE_CUDA_ARCHITECTURES=90)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH}/build RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0 OR output MATCHES "warning")
    message(FATAL_ERROR "expected to build without a warning (${status}):\n${output}")
  endif()
else()
  message(FATAL_ERROR "no such way to use the package: '${WAY}'")
endif()
