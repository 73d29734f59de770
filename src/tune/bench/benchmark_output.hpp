// Reads the time from the output of a user's benchmark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The times in a benchmark's output.
struct benchmark_time {
    std::vector<double> samples_ns = {};  ///< one or more times, in nanoseconds, above 0; empty: none was found
    std::string diagnostic = {};          ///< why none was found, in one line
    std::string failure = {};   ///< the kind that measure.cuh names, "illegal_access"; `diagnostic` has its reason
    std::string checksum = {};  ///< of the results, where the JSON has one
    bool printed = true;        ///< there is a figure, if of no use: 0, no number, one of several, an error

    [[nodiscard]] bool found() const { return !samples_ns.empty(); }
};

/// Understands, wherever it stands in the output:
///  - a JSON object with samples, a list, under "samples_ns", "time_ns", "time_us", "time_ms" or "time_s";
///    or one number under "median_ns" or one of the latter four
///  - what measure.cuh prints of a kernel that failed: "launchbox": "measurement/1", "failure" and "reason"
///  - the JSON of Google Benchmark, if all its results are repetitions of one benchmark
///  - lines with one time, a number and ns, us, µs, ms or s ("elapsed: 1.25 ms"): the one line with a time, or
///    all lines with the same words before it, which are then samples; among several the one that says "median",
///    else "time"
/// Times of 0 or below, NaN, infinity, what is shorter or longer than any time and what is no number give a diagnostic,
/// not a time: so does an error that Google Benchmark reports, JSON with one of these names that cannot be read, and
/// several objects of JSON with different times. Linear in the text.
benchmark_time read_benchmark_output(std::string_view output);

}  // namespace launchbox
