// Results of `inspect`, for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "advice/inspect/kernel_selection.hpp"
#include "image/binary.hpp"
#include "report/core/document.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

/// A kernel that has no code for a requested architecture, nor other code that runs there.
struct missing_kernel {
    std::string name;  ///< as the linker knows it
    std::string demangled = {}, short_form = {};
    compute_capability wanted = {};
    std::vector<std::string> there = {};  ///< architectures that it has code for
};

struct inspected_input {
    std::string file;
    std::string kind;
    std::size_t kernels = 0;
    std::vector<std::string> errors;
    std::vector<binary_image> images;       ///< images in it, if it is a binary
    std::vector<diagnosis> diagnoses = {};  ///< of a source: those that belong to no kernel
    std::vector<missing_kernel> missing = {};
};

/// "a and b are not there for sm_75: they are for sm_80", one line per architecture; of many kernels only the first.
std::vector<std::string> missing_lines(const std::vector<missing_kernel>& missing);

struct inspection {
    std::vector<inspected_input> inputs;
    std::vector<inspected_kernel> kernels;
    kernel_filter wish;
    kernel_selection selection;
    std::size_t page_rows = ~std::size_t{0};  ///< in a list for people; programs get all kernels
};

/// Default number of rows on a page: 47,000 lines are no answer.
inline constexpr std::size_t usual_page_rows = 200;

/// From this many kernels on (names, not rows), one flat list reads better than a table per kernel.
inline constexpr std::size_t many_kernels = 41;

/// Whether one list of rows reads better than a table per kernel: there are many kernels, or they are sorted.
bool shown_as_list(const inspection& found);

/// Where the tables of kernels are shown: in a page, which has the findings above them, rows link to the calculator.
enum class table_place { alone, in_page };

/// A heading and a table per kernel, with its findings; `accounts[i]` belongs to `found.kernels[i]`.
document kernel_tables_document(const inspection& found, const std::vector<kernel_account>& accounts,
                                table_place place = table_place::alone);

/// One list of rows, and the number of each finding.
document kernel_list_document(const inspection& found, const std::vector<finding_count>& findings,
                              const output_style& style, table_place place = table_place::alone);

}  // namespace launchbox
