# Programs with kernels in them, for tests, examples and benchmarks:
#   launchbox_cuda_executable(name sources... [USES targets...] [ARCHITECTURES 75 80 90a ...])
# Sources that end in .cu are compiled by LAUNCHBOX_NVCC for every architecture named, with PTX of the last one; other
# sources and the linking are the C++ compiler's, so that USES works as with add_executable. The CUDA runtime is linked
# statically.
#
# Why not enable_language(CUDA)? With CMake 3.25 it refuses sm_100f and its kind, a build folder whose toolkit was
# removed cannot be configured any more, and it looks for the compiler by rules of its own. It does work with the
# toolkits of cmake/FindCudaToolkit.cmake, if that ever changes.
find_package(Threads REQUIRED)

set(LAUNCHBOX_CUDA_ARCHITECTURES 75 80 86 89 90 100 120 CACHE STRING
    "What CUDA programs are compiled for where their own list does not say")

function(launchbox_cuda_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 cuda "" "" "USES;ARCHITECTURES")
  if(NOT LAUNCHBOX_NVCC)
    message(FATAL_ERROR "${name} needs the CUDA compiler: run ./setup, or give -DLAUNCHBOX_NVCC=/path/to/nvcc")
  endif()
  if(NOT cuda_ARCHITECTURES)
    set(cuda_ARCHITECTURES ${LAUNCHBOX_CUDA_ARCHITECTURES})
  endif()
  set(targets "")
  foreach(architecture IN LISTS cuda_ARCHITECTURES)
    list(APPEND targets -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  list(GET cuda_ARCHITECTURES -1 last)
  list(APPEND targets -gencode=arch=compute_${last},code=compute_${last})

  set(includes "$<FILTER:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include/?$>")
  # Libraries leave empty entries in it.
  set(definitions "$<FILTER:$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>,EXCLUDE,^$>")
  set(compiled "")
  foreach(source IN LISTS cuda_UNPARSED_ARGUMENTS)
    if(NOT source MATCHES "\\.cu$")
      list(APPEND compiled ${source})
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(GET source FILENAME file)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda/${file}.o)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${LAUNCHBOX_NVCC} -c ${source} -o ${object} -ccbin ${CMAKE_CXX_COMPILER} -std=c++20
              -Xcompiler=-Wall,-Wextra,-Werror -Werror=cross-execution-space-call
              "$<IF:$<CONFIG:Debug>,-g,-O3>" "$<$<CONFIG:Release,MinSizeRel>:-DNDEBUG>" -lineinfo ${targets}
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              -MD -MT ${object} -MF ${object}.d
      DEPENDS ${source} ${LAUNCHBOX_NVCC}
      DEPFILE ${object}.d
      COMMENT "Building CUDA object ${name}.cuda/${file}.o"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND compiled ${object})
  endforeach()

  add_executable(${name} ${compiled})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PRIVATE ${LAUNCHBOX_CUDA_INCLUDE})
  target_link_libraries(${name} PRIVATE launchbox launchbox_own_code ${cuda_USES} ${LAUNCHBOX_CUDART_STATIC}
                                        Threads::Threads ${CMAKE_DL_LIBS} rt)
endfunction()
