// What a program leaves for launchbox_run_test: which of its functions ran.
#pragma once

#include <cstdint>

namespace launchbox {

constexpr char executed_magic[8] = {'L', 'B', 'X', 'E', 'X', 'E', 'C', '1'};
/// A file of this name: a process could not note what it ran.
constexpr const char* executed_incomplete = "incomplete";

/// The beginning of the file. Behind it is a byte for each of the program's code, not 0 a few bytes behind the entry of
/// a function that ran.
struct executed_header {
    char magic[8];
    std::uint64_t code_bytes;
    std::uint64_t first_address;   ///< of the code, as the program's file counts
    std::uint64_t program_bytes;   ///< of the program's file
    std::int64_t program_written;  ///< nanoseconds since 1970
    char program[4056];
};
static_assert(sizeof(executed_header) == 4096);

}  // namespace launchbox
