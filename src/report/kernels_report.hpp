// What `inspect` found, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "advice/inspect/kernel_selection.hpp"
#include "image/binary.hpp"
#include "report/document.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

struct inspected_input {
    std::string file;
    std::string kind;
    std::size_t kernels = 0;
    std::vector<std::string> errors;
    std::vector<binary_image> images;       ///< what it holds, when it is a binary
    std::vector<diagnosis> diagnoses = {};  ///< of a source, those that belong to no kernel
};

struct inspection {
    std::vector<inspected_input> inputs;
    std::vector<inspected_kernel> kernels;
    std::optional<int> threads;  ///< per block, as the user told
    kernel_wish wish;
    kernel_selection selection;
};

/// From this many kernels on (names, not rows) one flat list reads better than a table a kernel.
inline constexpr std::size_t many_kernels = 41;

/// A heading and a table a kernel, with its findings; one list of rows where there are many or they are sorted.
document kernels_document(const inspection& found, const output_style& style);

/// launchbox.kernels/1, a kernel at a time.
void write_kernels_json(const inspection& found, std::ostream& out);

/// One row a kernel and architecture, a row at a time.
void write_kernels_csv(const inspection& found, std::ostream& out);

/// `inputs[]` of launchbox.kernels/1.
nlohmann::ordered_json inputs_json(const std::vector<inspected_input>& inputs);

}  // namespace launchbox
