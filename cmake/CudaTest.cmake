# Programs with kernels, for tests, examples and benchmarks:
#   launchbox_cuda_executable(name sources... [USES targets...] [ARCHITECTURES 75 80 90a ...] [GENCODE virtual:code ...]
#                             [OPTIONS nvcc options...] [RELOCATABLE])
# LAUNCHBOX_NVCC compiles sources that end in .cu for every named architecture, with PTX for the last one. The C++
# compiler compiles other sources and links, so that USES works as with add_executable. The CUDA runtime is linked
# statically.
#   GENCODE      instead of ARCHITECTURES, exactly these images: compute_80:sm_90 is -gencode=arch=compute_80,code=sm_90
#   OPTIONS      for nvcc, compiling and device-linking
#   RELOCATABLE  relocatable device code: all objects are linked on the device too, for every sm_ among the images
#                (lto_90: optimised while linking, to sm_90)
#
#   launchbox_cuda_object(variable name source.cu AS file.o [ARCHITECTURES ...] [GENCODE ...] [OPTIONS ...]
#                         [DEFINITIONS ...] [RELOCATABLE])
# One more object for the program `name`, to which ${variable} is passed as a source: for a file that is compiled
# differently from the rest, or twice. It has the program's include folders and definitions.
#
# Why not enable_language(CUDA)? With CMake 3.25 it refuses architectures such as sm_100f, a build folder whose toolkit
# was removed can no longer be configured, and it finds the compiler by its own rules. If that ever changes: it does
# work with the toolkits of cmake/FindCudaToolkit.cmake.
find_package(Threads REQUIRED)

set(LAUNCHBOX_CUDA_ARCHITECTURES 75 80 86 89 90 100 120 CACHE STRING
    "Architectures of CUDA programs without a list of their own")

function(launchbox_cuda_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 cuda "RELOCATABLE" "" "USES;ARCHITECTURES;GENCODE;OPTIONS")
  launchbox_cuda_images(images "${cuda_ARCHITECTURES}" "${cuda_GENCODE}")
  set(relocatable "")
  if(cuda_RELOCATABLE)
    set(relocatable RELOCATABLE)
  endif()

  set(compiled "")
  foreach(source IN LISTS cuda_UNPARSED_ARGUMENTS)
    if(source MATCHES "\\.cu$")
      cmake_path(GET source FILENAME file)
      launchbox_cuda_object(source ${name} ${source} AS ${file}.o GENCODE ${images} OPTIONS ${cuda_OPTIONS}
                            ${relocatable})
    endif()
    list(APPEND compiled ${source})
  endforeach()
  if(cuda_RELOCATABLE)
    launchbox_cuda_device_link(linked ${name} "${images}" "${cuda_OPTIONS}" "${compiled}")
    list(APPEND compiled ${linked})
  endif()

  add_executable(${name} ${compiled})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PRIVATE ${LAUNCHBOX_CUDA_INCLUDE})
  target_link_libraries(${name} PRIVATE launchbox launchbox_own_code ${cuda_USES})
  if(cuda_RELOCATABLE)
    cmake_path(GET LAUNCHBOX_CUDART_STATIC PARENT_PATH libraries)
    target_link_libraries(${name} PRIVATE ${libraries}/libcudadevrt.a)
  endif()
  target_link_libraries(${name} PRIVATE ${LAUNCHBOX_CUDART_STATIC} Threads::Threads ${CMAKE_DL_LIBS} rt)
endfunction()

function(launchbox_cuda_object variable name source)
  cmake_parse_arguments(PARSE_ARGV 3 cuda "RELOCATABLE" "AS" "ARCHITECTURES;GENCODE;OPTIONS;DEFINITIONS")
  if(NOT LAUNCHBOX_NVCC)
    message(FATAL_ERROR "${name} needs the CUDA compiler: run ./setup, or give -DLAUNCHBOX_NVCC=/path/to/nvcc")
  endif()
  launchbox_cuda_images(images "${cuda_ARCHITECTURES}" "${cuda_GENCODE}")
  launchbox_cuda_targets(targets "${images}")
  if(cuda_RELOCATABLE)
    list(APPEND targets -rdc=true)
  endif()
  # For nvcc a comma ends a definition.
  list(TRANSFORM cuda_DEFINITIONS REPLACE "," "\\\\,")
  list(TRANSFORM cuda_DEFINITIONS PREPEND -D)

  set(includes "$<FILTER:$<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include/?$>")
  # Libraries add empty entries to the list.
  set(definitions "$<FILTER:$<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>,EXCLUDE,^$>")
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda/${cuda_AS})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda)
  # -O only affects host code, which should build quickly in ./test; kernels are always optimised.
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${LAUNCHBOX_NVCC} -c ${source} -o ${object} -ccbin ${CMAKE_CXX_COMPILER} -std=c++20
            -Xcompiler=-Wall,-Wextra,-Werror -Werror=cross-execution-space-call
            "$<IF:$<CONFIG:Debug>,-g,$<IF:$<CONFIG:RelWithDebInfo>,-O0,-O3>>" "$<$<CONFIG:Release,MinSizeRel>:-DNDEBUG>" -lineinfo ${targets}
            ${cuda_OPTIONS} ${cuda_DEFINITIONS}
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
            -MD -MT ${object} -MF ${object}.d
    DEPENDS ${source} ${LAUNCHBOX_NVCC}
    DEPFILE ${object}.d
    COMMENT "Building CUDA object ${name}.cuda/${cuda_AS}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(${variable} ${object} PARENT_SCOPE)
endfunction()

# The images to compile, as virtual:code.
function(launchbox_cuda_images variable architectures images)
  if(NOT images)
    if(NOT architectures)
      set(architectures ${LAUNCHBOX_CUDA_ARCHITECTURES})
    endif()
    foreach(architecture IN LISTS architectures)
      list(APPEND images compute_${architecture}:sm_${architecture})
    endforeach()
    list(GET architectures -1 last)
    list(APPEND images compute_${last}:compute_${last})
  endif()
  set(${variable} ${images} PARENT_SCOPE)
endfunction()

function(launchbox_cuda_targets variable images)
  list(TRANSFORM images REPLACE "^(.+):(.+)$" "-gencode=arch=\\1,code=\\2")
  set(${variable} ${images} PARENT_SCOPE)
endfunction()

function(launchbox_cuda_device_link variable name images options compiled)
  set(objects ${compiled})
  list(FILTER objects INCLUDE REGEX "\\.o$")
  if("${images}" MATCHES ":lto_")
    list(TRANSFORM images REPLACE ":lto_" ":sm_")
    list(PREPEND options -dlto)
  endif()
  list(FILTER images INCLUDE REGEX ":sm_")
  launchbox_cuda_targets(targets "${images}")
  set(linked ${CMAKE_CURRENT_BINARY_DIR}/${name}.cuda/device_link.o)
  add_custom_command(
    OUTPUT ${linked}
    COMMAND ${LAUNCHBOX_NVCC} -dlink ${objects} -o ${linked} -ccbin ${CMAKE_CXX_COMPILER} ${targets} ${options}
    DEPENDS ${objects} ${LAUNCHBOX_NVCC}
    COMMENT "Linking CUDA objects of ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(${variable} ${linked} PARENT_SCOPE)
endfunction()
