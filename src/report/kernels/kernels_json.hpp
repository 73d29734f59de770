// Results of `inspect` for programs: JSON and CSV, one kernel at a time, since a report of 45,000 kernels with their
// arithmetic does not fit into memory at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/core/json_stream.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// launchbox.kernels/2: everything but the kernels first, then each kernel, then `finish`.
class kernels_json_writer {
public:
    kernels_json_writer(const inspection& found, std::ostream& out);

    void add(std::string_view kernel);  ///< from `kernel_json_text`
    void finish();

private:
    json_object_stream json_;
};

/// An element of `kernels[]`: the slow part, which any thread can do.
std::string kernel_json_text(const inspected_kernel& kernel, const kernel_account& account);

/// JSON lines: everything before the kernels on one line, then each kernel on its own.
std::string kernels_json_first_line(const inspection& found);
std::string kernel_json_line(const inspected_kernel& kernel, const kernel_account& account);

std::string kernels_csv_header();

/// One row per kernel and architecture.
std::string kernel_csv_line(const inspected_kernel& kernel, const kernel_account& account);

/// `inputs[]` of launchbox.kernels/2.
nlohmann::ordered_json inputs_json(const std::vector<inspected_input>& inputs);

}  // namespace launchbox
