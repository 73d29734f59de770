# Finds the CUDA compiler. It is looked for in this order, each time CMake configures, so that a removed toolkit or a
# new $CUDA_HOME is noticed:
#   -DLAUNCHBOX_NVCC=...   $CUDA_HOME   PATH   the folder .cuda that ./setup fills   /usr/local/cuda
# A compiler that is too old, or has no headers or runtime, is skipped. With LAUNCHBOX_OWN_CUDA=1 in the environment
# only .cuda counts. The tool itself does not use this: on the user's machine it looks for any nvcc that runs, of any
# release (src/compiler/run/toolchain.cpp).
#
# `cmake -Down_cuda=FOLDER -P` of this file prints "RELEASE FOLDER" of the toolkit found, for ./setup; own_cuda is used
# instead of .cuda.
#
# Sets these variables; empty if there is no CUDA:
#   LAUNCHBOX_NVCC            the compiler
#   LAUNCHBOX_CUDA_RELEASE    such as 13.0
#   LAUNCHBOX_CUDA_INCLUDE    the folder of cuda_runtime.h and cuda_occupancy.h
#   LAUNCHBOX_CUDART_STATIC   libcudart_static.a
#   LAUNCHBOX_CUPTI_INCLUDE   the folder of cupti.h; may be empty even if the others are set

# The first release with every architecture that the tests compile for, up to sm_120.
set(launchbox_oldest_cuda 12.8)

# Asks a compiler for its headers and libraries. `nvcc --dryrun` knows them for every layout (targets/*, Python wheels,
# distribution packages, a wrapper script); the path of the compiler does not show them.
function(launchbox_ask_nvcc nvcc)
  unset(release)
  unset(include)
  unset(cudart)
  unset(toolkit)
  set(host_compiler "")
  # Not for cross compilers: nvcc would look for the target's headers, which are the same, but few toolkits have them.
  if(CMAKE_CXX_COMPILER AND NOT CMAKE_CROSSCOMPILING)
    set(host_compiler -ccbin ${CMAKE_CXX_COMPILER})
  endif()
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "release ([0-9]+\\.[0-9]+)")
    set(release ${CMAKE_MATCH_1})
    execute_process(COMMAND ${nvcc} --dryrun ${host_compiler} -c -x cu /dev/null -o /dev/null
                    OUTPUT_QUIET ERROR_VARIABLE plan)
    string(REGEX MATCH "#\\$ INCLUDES=[^\n]*" include_line "${plan}")
    string(REGEX MATCH "#\\$ LIBRARIES=[^\n]*" library_line "${plan}")
    if(plan MATCHES "#\\$ TOP=([^\n]*)")
      cmake_path(ABSOLUTE_PATH CMAKE_MATCH_1 NORMALIZE OUTPUT_VARIABLE toolkit)
    endif()
    if(NOT EXISTS "${toolkit}/bin/nvcc")
      cmake_path(SET toolkit NORMALIZE ${nvcc}/../..)
    endif()
    string(REGEX REPLACE "/$" "" toolkit "${toolkit}")
    string(REGEX MATCHALL "-I[^\"\n]+" include_dirs "${include_line}")
    string(REGEX MATCHALL "-L[^\"\n]+" library_dirs "${library_line}")
    list(TRANSFORM include_dirs REPLACE "^-I" "")
    list(TRANSFORM library_dirs REPLACE "^-L" "")
    find_path(include cuda_occupancy.h PATHS ${include_dirs} /usr/include NO_DEFAULT_PATH NO_CACHE)
    file(GLOB system_library_dirs /usr/lib/*-linux-gnu)
    find_file(cudart libcudart_static.a PATHS ${library_dirs} /usr/lib ${system_library_dirs} NO_DEFAULT_PATH NO_CACHE)
  endif()
  if(include AND NOT EXISTS ${include}/cuda_runtime.h)
    unset(include)
  endif()

  set(problem "")
  if(NOT release)
    set(problem "it does not run")
  elseif(release VERSION_LESS launchbox_oldest_cuda)
    set(problem "CUDA ${release} is older than ${launchbox_oldest_cuda}")
  elseif(NOT include)
    set(problem "cuda_runtime.h or cuda_occupancy.h is missing")
  elseif(NOT cudart)
    set(problem "libcudart_static.a is missing")
  endif()
  set(nvcc_problem "${problem}" PARENT_SCOPE)
  if(NOT problem)
    file(REAL_PATH ${include} include)
    file(REAL_PATH ${cudart} cudart)
    set(LAUNCHBOX_NVCC ${nvcc} PARENT_SCOPE)
    set(LAUNCHBOX_CUDA_RELEASE ${release} PARENT_SCOPE)
    set(LAUNCHBOX_CUDA_INCLUDE ${include} PARENT_SCOPE)
    set(LAUNCHBOX_CUDART_STATIC ${cudart} PARENT_SCOPE)
    set(cuda_toolkit ${toolkit} PARENT_SCOPE)
  endif()
endfunction()

# The cache only stores what the user gave; everything else follows from it or from the environment.
unset(LAUNCHBOX_CUDA_INCLUDE CACHE)
set(nvcc_wanted "$CACHE{LAUNCHBOX_NVCC}")
if(nvcc_wanted AND NOT EXISTS "${nvcc_wanted}")
  message(STATUS "CUDA: LAUNCHBOX_NVCC=${nvcc_wanted} does not exist; looking elsewhere")
  set(nvcc_wanted "")
endif()

set(nvcc_candidates "")
if(nvcc_wanted)
  list(APPEND nvcc_candidates ${nvcc_wanted})
else()
  if(NOT "$ENV{LAUNCHBOX_OWN_CUDA}" STREQUAL "1")
    cmake_path(CONVERT "$ENV{PATH}" TO_CMAKE_PATH_LIST nvcc_candidates)
    list(REMOVE_ITEM nvcc_candidates "")
    if(NOT "$ENV{CUDA_HOME}" STREQUAL "")
      list(PREPEND nvcc_candidates $ENV{CUDA_HOME}/bin)
    endif()
  endif()
  if(NOT DEFINED own_cuda)
    set(own_cuda ${CMAKE_CURRENT_LIST_DIR}/../.cuda)
  endif()
  if(own_cuda)
    cmake_path(SET own_bin NORMALIZE ${own_cuda}/toolkit/bin)
    list(APPEND nvcc_candidates ${own_bin})
  endif()
  if(NOT "$ENV{LAUNCHBOX_OWN_CUDA}" STREQUAL "1")
    list(APPEND nvcc_candidates /usr/local/cuda/bin)
  endif()
  list(TRANSFORM nvcc_candidates APPEND /nvcc)
  list(REMOVE_DUPLICATES nvcc_candidates)
endif()

if(CMAKE_SCRIPT_MODE_FILE)
  set(CMAKE_MESSAGE_LOG_LEVEL WARNING)  # standard output is for the result
endif()
unset(LAUNCHBOX_CUDA_RELEASE)
foreach(candidate IN LISTS nvcc_candidates)
  if(EXISTS ${candidate} AND NOT IS_DIRECTORY ${candidate})
    launchbox_ask_nvcc(${candidate})
    if(nvcc_problem)
      # nvcc looks for its files beside the path by which it was called, so that a link to it, as in /usr/bin, misleads
      # it.
      file(REAL_PATH ${candidate} real_nvcc)
      if(NOT real_nvcc STREQUAL candidate)
        launchbox_ask_nvcc(${real_nvcc})
      endif()
    endif()
    if(NOT nvcc_problem)
      break()
    endif()
    message(STATUS "CUDA: passing over ${candidate}: ${nvcc_problem}")
  endif()
endforeach()

if(CMAKE_SCRIPT_MODE_FILE)
  if(LAUNCHBOX_CUDA_RELEASE)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${LAUNCHBOX_CUDA_RELEASE} ${cuda_toolkit}")
  endif()
  return()
endif()

unset(LAUNCHBOX_CUPTI_INCLUDE)
unset(LAUNCHBOX_CUPTI_INCLUDE CACHE)
if(LAUNCHBOX_CUDA_RELEASE)
  find_path(LAUNCHBOX_CUPTI_INCLUDE cupti.h NO_DEFAULT_PATH NO_CACHE
            PATHS ${LAUNCHBOX_CUDA_INCLUDE} ${LAUNCHBOX_CUDA_INCLUDE}/../extras/CUPTI/include
                  ${LAUNCHBOX_CUDA_INCLUDE}/../../../extras/CUPTI/include)
  message(STATUS "CUDA: ${LAUNCHBOX_CUDA_RELEASE}, ${LAUNCHBOX_NVCC}")
elseif(nvcc_wanted)
  message(FATAL_ERROR "LAUNCHBOX_NVCC=${nvcc_wanted} is of no use: ${nvcc_problem}. Give another one, or "
                      "remove it with -ULAUNCHBOX_NVCC and run ./setup.")
else()
  set(LAUNCHBOX_NVCC "")
  message(STATUS "CUDA: none found; ./setup installs it")
endif()
