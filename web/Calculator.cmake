# The calculator's program: the model and the readers of src/ as WebAssembly, by the system's clang with wasi-libc and
# libc++. Sets launchbox_calculator_program to the file, or to nothing and launchbox_no_calculator to what is missing.
#
# Chosen over the compiler of the Python package ziglang, whose libc++ is newer and would not need
# web/wasm/older_library.hpp: ziglang 0.17.1 is 101 MB to download and 376 MB on disk; these packages are 4 MB and about
# 40 MB beside the LLVM that is needed anyway.
set(launchbox_calculator_program "")
set(launchbox_no_calculator "")

# The newest one whose library for WebAssembly exists and works.
set(wasm ${CMAKE_CURRENT_BINARY_DIR}/wasm)
file(WRITE ${wasm}/try.cpp "#include <vector>\n#include <string>\nextern \"C\" __attribute__((export_name(\"f\"))) int f(int n)\n"
                           "{ std::vector<std::string> v(n, \"a\"); return static_cast<int>(v.size()); }\n")
set(target_flags --target=wasm32-wasi -stdlib=libc++ -std=c++2b -Os -fexceptions)
set(link_flags --target=wasm32-wasi -mexec-model=reactor -Os -Wl,--strip-all -Wl,--gc-sections -Wl,-z,stack-size=1048576
               -Wl,--max-memory=4294967296)
set(compiler "")
foreach(version RANGE 22 14 -1)
  find_program(LAUNCHBOX_CLANG_${version} clang++-${version})
  mark_as_advanced(LAUNCHBOX_CLANG_${version})
  if(LAUNCHBOX_CLANG_${version} AND NOT compiler)
    execute_process(COMMAND ${LAUNCHBOX_CLANG_${version}} ${target_flags} -fno-exceptions -mexec-model=reactor ${wasm}/try.cpp -o ${wasm}/try.wasm
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(compiler ${LAUNCHBOX_CLANG_${version}})
    endif()
  endif()
endforeach()
if(NOT compiler)
  set(launchbox_no_calculator "clang with wasm32-wasi and its libraries was not installed \
(clang-14 lld-14 wasi-libc libc++-14-dev-wasm32 libclang-rt-14-dev-wasm32, or a later version of them)")
elseif(NOT LAUNCHBOX_CHART_JS)
  set(launchbox_no_calculator "Chart.js was not installed (libjs-chart.js)")
endif()
if(launchbox_no_calculator)
  message(STATUS "There will be no calculator: ${launchbox_no_calculator}")
  return()
endif()
message(STATUS "The calculator is compiled with ${compiler}")

# System headers that are the same on every machine, and no others.
file(MAKE_DIRECTORY ${wasm}/system)
get_target_property(fmt_folder fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
find_path(LAUNCHBOX_FMT_INCLUDE fmt/format.h HINTS ${fmt_folder} REQUIRED)
find_path(LAUNCHBOX_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
mark_as_advanced(LAUNCHBOX_FMT_INCLUDE LAUNCHBOX_JSON_INCLUDE)
file(CREATE_LINK ${LAUNCHBOX_FMT_INCLUDE}/fmt ${wasm}/system/fmt SYMBOLIC)
file(CREATE_LINK ${LAUNCHBOX_JSON_INCLUDE}/nlohmann ${wasm}/system/nlohmann SYMBOLIC)
file(GLOB xxhash ${LAUNCHBOX_XXHASH_INCLUDE}/xxh*.h)
foreach(header IN LISTS xxhash)
  get_filename_component(name ${header} NAME)
  file(CREATE_LINK ${header} ${wasm}/system/${name} SYMBOLIC)
endforeach()

set(flags ${target_flags} -DNDEBUG -DFMT_HEADER_ONLY -DFMT_STATIC_THOUSANDS_SEPARATOR -DJSON_HAS_FILESYSTEM=0
          -DJSON_HAS_EXPERIMENTAL_FILESYSTEM=0 -I${CMAKE_CURRENT_SOURCE_DIR}/wasm/include -isystem ${wasm}/system
          -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
          -include ${CMAKE_CURRENT_SOURCE_DIR}/wasm/older_library.hpp)
set(objects "")

# One object from several files, whose headers are read once: launchbox_wasm(name files...).
function(launchbox_wasm name)
  set(content "")
  foreach(file IN LISTS ARGN)
    string(APPEND content "#include \"${file}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${wasm}/${name}.cpp CONTENT "${content}" @ONLY)
  add_custom_command(OUTPUT ${wasm}/${name}.o
    COMMAND ${compiler} ${flags} -MD -MF ${wasm}/${name}.d -MT ${wasm}/${name}.o -c ${wasm}/${name}.cpp -o ${wasm}/${name}.o
    DEPENDS ${wasm}/${name}.cpp ${CMAKE_CURRENT_SOURCE_DIR}/wasm/older_library.hpp DEPFILE ${wasm}/${name}.d
    COMMENT "Compiling the calculator's ${name}" VERBATIM)
  set(objects ${objects} ${wasm}/${name}.o PARENT_SCOPE)
endfunction()

# The sources of zstd and LZ4 from ./setup --compressed: no system package has them.
set(unpackers ${PROJECT_SOURCE_DIR}/.unpackers)
if(EXISTS ${unpackers}/zstd.c AND EXISTS ${unpackers}/lz4.c)
  # As for Emscripten in zstd's single file, there are no threads here.
  foreach(name zstd lz4)
    file(CREATE_LINK ${unpackers}/${name}.h ${wasm}/system/${name}.h SYMBOLIC)
    add_custom_command(OUTPUT ${wasm}/${name}.o
      COMMAND ${compiler} --target=wasm32-wasi -x c -O2 -DNDEBUG -D__EMSCRIPTEN__ -w -c ${unpackers}/${name}.c -o ${wasm}/${name}.o
      DEPENDS ${unpackers}/${name}.c COMMENT "Compiling the calculator's ${name}" VERBATIM)
    list(APPEND objects ${wasm}/${name}.o)
  endforeach()
  set(decompress ${PROJECT_SOURCE_DIR}/src/image/container/decompress.cpp)
else()
  set(decompress ${CMAKE_CURRENT_SOURCE_DIR}/wasm/decompress_stored.cpp)
endif()

set(from ${PROJECT_SOURCE_DIR}/src)
file(GLOB_RECURSE image CONFIGURE_DEPENDS ${from}/image/*.cpp)
list(FILTER image EXCLUDE REGEX "/(demangle_child|decompress)\\.cpp$")
file(GLOB logs CONFIGURE_DEPENDS ${from}/compiler/log/*.cpp)
file(GLOB model CONFIGURE_DEPENDS ${from}/advice/model/*.cpp)
launchbox_wasm(image ${image} ${decompress})
launchbox_wasm(log ${logs} ${from}/support/text/terminal.cpp ${from}/support/text/typed_number.cpp)
launchbox_wasm(model ${model} ${from}/report/occupancy/occupancy_json.cpp ${from}/report/occupancy/rules_json.cpp)
launchbox_wasm(calculator ${CMAKE_CURRENT_SOURCE_DIR}/wasm/answer.cpp ${CMAKE_CURRENT_SOURCE_DIR}/wasm/calculator.cpp)
launchbox_wasm(without ${CMAKE_CURRENT_SOURCE_DIR}/wasm/without.cpp)
set(launchbox_calculator_program ${CMAKE_CURRENT_BINARY_DIR}/calculator.wasm)
add_custom_command(OUTPUT ${launchbox_calculator_program}
  COMMAND ${compiler} ${link_flags} ${objects} -o ${launchbox_calculator_program}
  DEPENDS ${objects} COMMENT "Linking the calculator" VERBATIM)
