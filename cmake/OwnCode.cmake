# Compile options for our own code: call launchbox_own(target) after each add_library and add_executable.
add_library(launchbox_own_code INTERFACE)
target_compile_features(launchbox_own_code INTERFACE cxx_std_23)
target_compile_options(launchbox_own_code INTERFACE -Wall -Wextra -Wconversion -Werror)
# With -Og GCC does not inline everything that xxhash.h requires to be inlined, and reports that as an error.
target_compile_definitions(launchbox_own_code INTERFACE $<$<CONFIG:RelWithDebInfo>:XXH_NO_INLINE_HINTS=1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports overlapping and overlong copies in std::string's own code (GCC bugs 105651 and 105329).
  target_compile_options(launchbox_own_code INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                                           -Wno-stringop-overread)
endif()
if(LAUNCHBOX_SANITIZE OR LAUNCHBOX_FUZZ)
  set(sanitize ${LAUNCHBOX_SANITIZE})
  if(LAUNCHBOX_FUZZ)
    set(sanitize address,undefined,fuzzer-no-link)
  endif()
  target_compile_options(launchbox_own_code INTERFACE
    -fsanitize=${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(launchbox_own_code INTERFACE -fsanitize=${sanitize})
  target_compile_options(launchbox_own_code INTERFACE -Wno-unknown-warning-option)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC fails to see that a std::optional that is read has a value. Where it fails depends on the optimisation level and
  # on which files are compiled together, so a rarely built release once failed to build.
  target_compile_options(launchbox_own_code INTERFACE -Wno-maybe-uninitialized)
endif()
# The same results on every processor: a * b + c in one instruction gives different bits than in two, and compilers fuse
# them where they can, which is on aarch64 but not on plain x86-64. Host and GPU must fill buffers with the same bits
# (src/tune/worker/element_filling), and all machines must print the same figures. Also, char is signed only on x86-64.
set(launchbox_same_everywhere -ffp-contract=off)
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND launchbox_same_everywhere -fsigned-char)
endif()
target_compile_options(launchbox_own_code INTERFACE ${launchbox_same_everywhere})
# libstdc++ offers std::expected to compilers that report concepts as of 202002; clang below 19 reports 201907 although
# the code compiles. Only for files that include image/container/elf.hpp: std::variant does not compile with it.
function(launchbox_uses_expected target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE
      -Wno-builtin-macro-redefined -Wno-macro-redefined -D__cpp_concepts=202002L)
  endif()
endfunction()

# With ccache, if installed, a clean build of known code takes seconds. It needs -fpch-preprocess and this sloppiness to
# handle a precompiled header.
find_program(LAUNCHBOX_CCACHE ccache)
mark_as_advanced(LAUNCHBOX_CCACHE)
if(LAUNCHBOX_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                  CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LAUNCHBOX_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(launchbox_own_code INTERFACE -fpch-preprocess)
  endif()
endif()

# One precompiled header for all modules and one for all tests, so that headers common to most files are parsed once;
# and several files of a module are compiled as one, so that templates are instantiated once. Measured by
# bench/build_time. The presets asan, fuzz and tidy do without either, so that a file that lacks an include does not
# compile there.
option(LAUNCHBOX_QUICK_BUILD "Compile files of a module together, with a precompiled header" ON)
if(LAUNCHBOX_QUICK_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects garbage from 128 MB on, which took a tenth of the compile time; without that it uses up to 1.2 GB of
  # memory instead of 1.0.
  target_compile_options(launchbox_own_code INTERFACE --param=ggc-min-heapsize=1048576)
  # GCC treats an included file as a header, and warns about members whose types come from no header.
  target_compile_options(launchbox_own_code INTERFACE -Wno-subobject-linkage)
endif()
set(launchbox_common_headers
    <algorithm> <array> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdlib> <cstring> <filesystem> <fstream>
    <functional> <iostream> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <sstream> <string>
    <string_view> <thread> <tuple> <unordered_map> <unordered_set> <utility> <vector> <fmt/format.h>)

# Compiles `count` files together: launchbox_unity(target count sources...). A file that must be compiled separately has
# the property SKIP_UNITY_BUILD_INCLUSION.
function(launchbox_unity target count)
  if(NOT LAUNCHBOX_QUICK_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(number 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${number} / ${count}")
    math(EXPR number "${number} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# Adds a library for one module, a folder of src/ with all its sources: launchbox_module(name USES targets...). WITHOUT
# names subfolders that do not belong to it.
function(launchbox_module name)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "WITHOUT" "USES")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  if(module_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "/${module_WITHOUT}/")
  endif()
  add_library(launchbox_${name} STATIC ${sources})
  target_include_directories(launchbox_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(launchbox_${name} PUBLIC launchbox launchbox_own_code launchbox_fmt ${module_USES})
  launchbox_precompiled(launchbox_${name} launchbox_common)
  launchbox_unity(launchbox_${name} 16 ${sources})
  set_target_properties(launchbox_${name} PROPERTIES LAUNCHBOX_IS_MODULE ON)
endfunction()

# Links whole modules, before the program's own files. If both have a template or an inline function, the linker takes
# the first: that of the modules, compiled as it is shipped. Otherwise unoptimised tests would run much of the modules'
# code in their own slow copies. Measured: report_test takes a seventh of the processor time.
function(launchbox_modules_first target)
  set(found "")
  set(waiting ${ARGN})
  while(waiting)
    list(POP_FRONT waiting name)
    if(NOT TARGET "${name}" OR name IN_LIST found)
      continue()
    endif()
    get_target_property(is_module ${name} LAUNCHBOX_IS_MODULE)
    if(is_module)
      list(APPEND found ${name})
      get_target_property(used ${name} LINK_LIBRARIES)
      list(APPEND waiting ${used})
    endif()
  endwhile()
  if(found)
    list(TRANSFORM found REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
    target_link_options(${target} PRIVATE LINKER:--whole-archive ${files} LINKER:--no-whole-archive)
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${files})
  endif()
endfunction()

function(launchbox_precompiled target from)
  if(LAUNCHBOX_QUICK_BUILD)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
