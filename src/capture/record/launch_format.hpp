// How `launchbox capture -k` asks the observer for a launch, and how the observer keeps it: a text, and a file of raw
// bytes for each piece of memory before and after the launch. Read by folder/raw_launch.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox::record {

/// Environment variables. Without the first, nothing is captured.
inline constexpr const char* kernel_variable = "LAUNCHBOX_CAPTURE_KERNEL";   ///< a shell pattern
inline constexpr const char* nth_variable = "LAUNCHBOX_CAPTURE_NTH";         ///< which of the matching launches, from 1
inline constexpr const char* shape_variable = "LAUNCHBOX_CAPTURE_SHAPE";     ///< "gx gy gz bx by bz"; not set: any
inline constexpr const char* limit_variable = "LAUNCHBOX_CAPTURE_LIMIT";     ///< bytes of memory before the launch
inline constexpr const char* all_memory_variable = "LAUNCHBOX_CAPTURE_ALL";  ///< "1": also unreferenced memory

/// The text, written last: one item per line, words separated by one space, names last. Possible sources of PTX have a
/// line each: `image`, a copy of what the driver was given; `linked`, a program or library whose linked device code the
/// driver was given, which may also contain the code before linking; `file`, any file whose code the program ran.
inline constexpr const char* launch_file = "launch";
/// Created by the one process that captures the launch.
inline constexpr const char* claim_file = "launch.claim";
inline constexpr const char* launch_magic = "launchbox launch 1";

/// Kinds of memory, in the text.
inline constexpr const char* kind_allocated = "device";   ///< cuMemAlloc
inline constexpr const char* kind_pool = "pool";          ///< cuMemAllocAsync
inline constexpr const char* kind_mapped = "mapped";      ///< cuMemMap
inline constexpr const char* kind_managed = "managed";    ///< cuMemAllocManaged
inline constexpr const char* kind_variable = "variable";  ///< of the module; not in the list of memory

/// "memory.3.before", "variable.0.after". There is no "after" if the launch changed nothing.
inline std::string memory_file_name(const char* what, std::size_t number, bool after)
{
    return std::string(what) + "." + std::to_string(number) + (after ? ".after" : ".before");
}

/// "image.4711.5": an image that this process gave to the driver and that may contain PTX.
inline std::string image_file_name(int process, std::size_t number)
{
    return "image." + std::to_string(process) + "." + std::to_string(number);
}

}  // namespace launchbox::record
