// The source lines that the instructions of a kernel come from, and their costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace launchbox {

/// A line, and the call through which its function was inlined.
struct line_place {
    std::uint32_t file = 0;          ///< index into `line_places::files`
    std::uint32_t line = 0;          ///< from 1
    std::uint32_t function = 0;      ///< index into `line_places::functions`; 0: the kernel itself
    std::uint32_t inlined_into = 0;  ///< index into `line_places::places`, from 1; 0: not inlined

    friend bool operator==(const line_place&, const line_place&) = default;
};

/// The places of all kernels of one image.
struct line_places {
    std::vector<std::string> files;
    std::vector<std::string> functions;  ///< as the linker knows them
    std::vector<line_place> places;      ///< distinct; each is inlined into an earlier one
    /// For each place: approximate size of the text for it and for all places that it is inlined into, including names.
    std::vector<std::uint32_t> text_bytes;
};

inline constexpr std::uint32_t no_line = ~std::uint32_t{0};

/// The instructions of one place. Bytes are per thread, with each instruction counted once.
struct line_use {
    std::uint32_t place = no_line;  ///< index into `line_places::places`; `no_line`: code without a line
    std::uint32_t instructions = 0;
    std::uint32_t reads = 0, writes = 0;                       ///< instructions, by `memory_access_of`; without spills
    std::uint32_t spill_stores = 0, spill_loads = 0;           ///< instructions
    std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;  ///< to local memory, like those above
    std::uint32_t shared_spill_stores = 0, shared_spill_loads = 0;  ///< the same to shared memory
    std::int64_t shared_spill_store_bytes = 0, shared_spill_load_bytes = 0;

    int live_registers = 0;  ///< maximum over its instructions; 0: unknown

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
    std::shared_ptr<const line_places> places;  ///< null if no use has a line
    std::vector<line_use> uses;                 ///< by place; code without a line comes last
    /// Whether `uses` covers all instructions, or only spills.
    bool all_code = false;
    /// False if the image's list of spills is cut off: then only those in it are counted.
    bool all_spills = true;
    /// Approximate size of all lines as text, each with the calls through which it was inlined.
    std::uint64_t text_bytes = 0;

    friend bool operator==(const kernel_lines&, const kernel_lines&) = default;
};

/// General registers that are live at the peak and were last written on one line.
struct live_since {
    std::uint32_t place = no_line;
    int registers = 0;

    friend bool operator==(const live_since&, const live_since&) = default;
};

enum class pressure_source : std::uint8_t { own_decoder, nvdisasm };

/// The largest number of registers that hold values still needed.
struct register_pressure {
    int peak = 0, uniform_peak = 0, predicate_peak = 0;
    int highest = 0;                         ///< general registers from R0 to the highest used
    std::uint64_t peak_at = 0;               ///< offset of the first instruction with that many
    std::vector<std::uint32_t> peak_places;  ///< places of all such instructions, ascending, distinct
    /// Where the registers live at the first of them were last written, in code order; most registers first.
    std::vector<live_since> live_at_peak;
    pressure_source source = pressure_source::own_decoder;
    std::string doubt;    ///< why the figures are approximate; empty if exact
    std::string problem;  ///< why the figures are unknown

    friend bool operator==(const register_pressure&, const register_pressure&) = default;
};

/// The lines to read from an image.
enum class wanted_lines : std::uint8_t { none, of_spills, of_all_code };

}  // namespace launchbox
