// The observer's record: a file for each process, mapped into it, so that it survives if the process is killed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace launchbox::record {

/// The first 16 bytes of a file. The number is the version of the layout.
inline constexpr std::array<char, 16> magic{"launchbox seen2"};

/// Files grow by this much. A block lies within one segment; the rest of a segment is zeros.
inline constexpr std::size_t segment_bytes = std::size_t{1} << 20;

/// Longer kernel names are cut.
inline constexpr std::size_t max_name_bytes = std::size_t{64} << 10;

/// Up to this many launches of a kernel and shape have their times kept; of more, a random sample of this size.
inline constexpr std::size_t max_samples = 256;

/// Kernels with shapes per process. Further ones are only counted.
inline constexpr std::size_t max_rows = 50'000;

enum class block_kind : std::uint32_t { none = 0, process = 1, device = 2, module = 3, launches = 4, note = 5 };

/// Precedes each block. `kind` is written last.
struct block_header {
    block_kind kind;
    std::uint32_t bytes;  ///< of the block including this header; a multiple of 8
};

/// The first block of a file.
struct process_block {
    std::int32_t process;
    std::uint32_t ended;  ///< 1: exited, with everything written
    std::uint32_t cupti_version, driver_version;
    std::uint64_t dropped;           ///< launches that CUPTI could not record
    std::uint64_t untimed;           ///< launches that were not finished when the process ended
    std::uint64_t beyond_rows;       ///< launches beyond `max_rows`
    std::uint64_t modules_not_kept;  ///< modules that could not be written
    std::uint64_t buffers_lost;      ///< of records that could not be read completely, for lack of memory
    std::uint32_t text_bytes;        ///< the command line, words separated by zeros, follows
    std::uint32_t padding;
};

struct device_block {
    std::uint32_t number;  ///< device number in the process
    std::int32_t major, minor, sms;
    std::array<char, 128> name;
};

/// A loaded module; these two values name its file (`module_file_name`).
struct module_block {
    std::uint64_t hash, bytes;
};

/// Whether a launch is cooperative.
enum class cooperative_state : std::uint32_t { no = 0, yes = 1, unknown = 2 };

/// Launches with equal keys count as the same. No padding: it is compared and hashed as bytes.
struct launch_key {
    std::uint32_t device;
    std::array<std::uint32_t, 3> grid, block, cluster;
    std::int32_t static_shared_bytes, dynamic_shared_bytes;
    std::uint32_t registers, local_bytes;
    std::int32_t carveout_percent;  ///< -1: not requested
    cooperative_state cooperative;
    std::uint32_t extended;  ///< not cooperative, and with attributes (cuLaunchKernelEx)
    std::uint32_t in_graph;
};
static_assert(sizeof(launch_key) == 18 * sizeof(std::uint32_t));

struct launches_block {
    launch_key key;
    std::uint32_t name_bytes;  ///< the kernel's name follows
    std::uint64_t count;
    double total_ns, min_ns, max_ns;
    std::uint64_t first_ns, last_ns;  ///< when the first began and the last ended, on CUPTI's clock
    std::uint64_t samples;
    std::array<float, max_samples> sample_ns;
};

/// A message of the observer; a text follows.
enum class note_kind : std::uint32_t {
    no_cupti = 1,       ///< the text: what was tried
    cupti_too_old = 2,  ///< the text: the library
    other_profiler = 3,
    cupti_failed = 4,  ///< the text: the call, and CUPTI's error
    not_captured = 5,  ///< text: why the wanted launch was not captured, a sentence
};
struct note_block {
    note_kind kind;
    std::uint32_t text_bytes;
};

/// Environment variables through which `launchbox capture` controls the observer.
inline constexpr const char* folder_variable = "LAUNCHBOX_CAPTURE_FOLDER";
inline constexpr const char* process_variable = "LAUNCHBOX_CAPTURE_PROCESS";  ///< the only one; not set: all
inline constexpr const char* cupti_variable = "LAUNCHBOX_CUPTI";  ///< set by the user: load only this library

/// Files in the folder. A child process that is not observed leaves an empty file.
inline constexpr const char* process_prefix = "process.";
inline constexpr const char* unobserved_prefix = "other.";
inline constexpr const char* module_prefix = "module.";

}  // namespace launchbox::record
