# How our own code is compiled: launchbox_own(target) after each add_library and add_executable.
add_library(launchbox_own_code INTERFACE)
target_compile_features(launchbox_own_code INTERFACE cxx_std_23)
target_compile_options(launchbox_own_code INTERFACE -Wall -Wextra -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's own code (GCC bug 105651).
  target_compile_options(launchbox_own_code INTERFACE -Wno-restrict)
endif()
if(LAUNCHBOX_SANITIZE OR LAUNCHBOX_FUZZ)
  set(sanitize ${LAUNCHBOX_SANITIZE})
  if(LAUNCHBOX_FUZZ)
    set(sanitize address,undefined,fuzzer-no-link)
  endif()
  target_compile_options(launchbox_own_code INTERFACE
    -fsanitize=${sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(launchbox_own_code INTERFACE -fsanitize=${sanitize})
  # What the sanitizers add to the code makes GCC see uninitialised values in std::optional.
  target_compile_options(launchbox_own_code INTERFACE -Wno-maybe-uninitialized -Wno-unknown-warning-option)
endif()
# libstdc++ offers std::expected to compilers that report concepts as of 202002; clang below 19 reports 201907 although
# the code compiles. Only for what includes image/elf.hpp: std::variant does not compile with it.
function(launchbox_uses_expected target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE
      -Wno-builtin-macro-redefined -Wno-macro-redefined -D__cpp_concepts=202002L)
  endif()
endfunction()

# Adds a library of one room of src/: launchbox_room(name sources... USES targets...)
function(launchbox_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "USES")
  add_library(launchbox_${name} STATIC ${room_UNPARSED_ARGUMENTS})
  target_include_directories(launchbox_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(launchbox_${name} PUBLIC launchbox launchbox_own_code ${room_USES})
endfunction()
