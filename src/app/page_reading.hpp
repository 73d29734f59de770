// Reads the inputs of `launchbox report`: records, launches and kernels. Each file is recognised by its content.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/inspect/inspect.hpp"
#include "report/html/report_page.hpp"
#include "support/error.hpp"
#include "tune/store/result_filter.hpp"

namespace launchbox {

struct page_request {
    kernel_request input;    ///< `files`: of all kinds
    value_filter workloads;  ///< of records
    std::int64_t run = 0;    ///< its number; 0: all
    std::string against;     ///< an earlier build; empty: none
    bool advise = false;     ///< also compile the alternatives of the sources' kernels
    std::string title;       ///< empty: the names of the files
};

struct page_material {
    page_content content;  ///< points into the rest
    inspected_files earlier;
    kernel_diff changes;
    kernel_input input;  ///< of the kernels, without them
    exit_status status = exit_status::done;
};

/// Fills `page`, which must not be moved. A bad file among several is reported.
void read_page(const page_request& request, page_material& page, const listener& news = {});

}  // namespace launchbox
