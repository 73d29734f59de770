// Which lines of the source the instructions of a kernel come from, and what they cost there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace launchbox {

/// A line, and the call that its function was inlined by.
struct line_place {
    std::uint32_t file = 0;      ///< of `line_places::files`
    std::uint32_t line = 0;      ///< from 1
    std::uint32_t function = 0;  ///< of `line_places::functions`, which starts with an empty name: the kernel itself
    std::uint32_t inlined_into = 0;  ///< of `line_places::places`, from 1; 0: the line is the kernel's own

    friend bool operator==(const line_place&, const line_place&) = default;
};

/// The places of all kernels of one image.
struct line_places {
    std::vector<std::string> files;
    std::vector<std::string> functions;  ///< as the linker knows them
    std::vector<line_place> places;      ///< each once; inlined into an earlier one
    /// Of each place: about the bytes of text that it and all places which it is inlined into take, names included.
    std::vector<std::uint32_t> text_bytes;
};

inline constexpr std::uint32_t no_line = ~std::uint32_t{0};

/// What the instructions of one place do. Bytes are per thread, each instruction counted once.
struct line_use {
    std::uint32_t place = no_line;  ///< of `line_places::places`; `no_line`: code without a line
    std::uint32_t instructions = 0;
    std::uint32_t reads = 0, writes = 0;                       ///< instructions, as `memory_access_of`; not of spills
    std::uint32_t spill_stores = 0, spill_loads = 0;           ///< instructions
    std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;  ///< to local memory, as those above
    std::uint32_t shared_spill_stores = 0, shared_spill_loads = 0;  ///< the same to shared memory
    std::int64_t shared_spill_store_bytes = 0, shared_spill_load_bytes = 0;

    int live_registers = 0;  ///< the most at one of its instructions; 0: not known

    [[nodiscard]] std::int64_t spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
    [[nodiscard]] std::int64_t shared_spill_bytes() const { return shared_spill_store_bytes + shared_spill_load_bytes; }
    [[nodiscard]] bool spills() const
    {
        return spill_stores + spill_loads + shared_spill_stores + shared_spill_loads > 0;
    }

    friend bool operator==(const line_use&, const line_use&) = default;
};

struct kernel_lines {
    bool told = false;                          ///< the image has line information
    std::shared_ptr<const line_places> places;  ///< null where no use has a line
    std::vector<line_use> uses;                 ///< rising by place, what is of no line last
    /// Of the spills alone, or of all instructions.
    bool all_code = false;
    /// false: the image's list of spills is cut off, and these are those it still has.
    bool all_spills = true;
    /// About the bytes of all lines as text, each with the calls that it was inlined by.
    std::uint64_t text_bytes = 0;

    friend bool operator==(const kernel_lines&, const kernel_lines&) = default;
};

/// General registers that are live at the peak and were written on one line.
struct live_since {
    std::uint32_t place = no_line;
    int registers = 0;

    friend bool operator==(const live_since&, const live_since&) = default;
};

enum class pressure_source : std::uint8_t { own_decoder, nvdisasm };

/// How many registers hold values that are still needed, at most.
struct register_pressure {
    int peak = 0, uniform_peak = 0, predicate_peak = 0;
    int highest = 0;                         ///< general registers from R0 to the highest that is used
    std::uint64_t peak_at = 0;               ///< byte of the first instruction of the kernel with that many
    std::vector<std::uint32_t> peak_places;  ///< of all of them, rising, each once
    /// Written last before the first of them in the order of the code; most registers first.
    std::vector<live_since> live_at_peak;
    pressure_source source = pressure_source::own_decoder;
    std::string doubt;    ///< why the figures are approximate; empty: they are exact
    std::string problem;  ///< why the figures are not known

    friend bool operator==(const register_pressure&, const register_pressure&) = default;
};

/// Which lines are wanted of an image.
enum class wanted_lines : std::uint8_t { none, of_spills, of_all_code };

}  // namespace launchbox
