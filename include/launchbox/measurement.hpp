// launchbox: the result of a measurement, and the line of JSON that `launchbox tune` reads. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <launchbox/detail/measure/json_line.hpp>

namespace launchbox {

/// The result of a measurement, or why there is none.
struct measurement_result {
    std::vector<double> samples_ns = {};  ///< in the order in which they were taken; empty after a failure
    double median_ns = 0;
    double low_ns = 0, high_ns = 0;  ///< at least 95 % of such intervals contain the true median, from 6 samples on
    bool cold = true;                ///< each sample began with the L2 flushed
    int launches = 1;                ///< calls in a sample; the sample is the time of one call
    bool blocked = true;             ///< the GPU waited until everything was launched: no launch latency in the samples
    bool out_of_time = false;        ///< stopped by `max_seconds` before there were enough samples
    std::int64_t bytes = 0;          ///< processed by one call; 0: not given

    /// "illegal_access", "trap", "hang", "launch_error", "out_of_memory" or "device_lost"; empty: measured.
    std::string failure = {};
    std::string error = {};   ///< from cudaGetErrorName: "cudaErrorIllegalAddress"; may be empty
    std::string reason = {};  ///< one line

    [[nodiscard]] bool measured() const { return failure.empty(); }
    /// 10^9 bytes a second at the median; 0: not known.
    [[nodiscard]] double gigabytes_per_second() const
    {
        return median_ns > 0 ? static_cast<double>(bytes) / median_ns : 0;
    }
};

struct print_options {
    std::optional<std::uint64_t> checksum = {};  ///< of the results, which `tune` compares with the baseline's
    std::FILE* file = stdout;
};

namespace detail {

inline std::string measurement_line(const measurement_result& result, std::optional<std::uint64_t> checksum = {})
{
    json_line line;
    line.add("launchbox", json_string("measurement/1"));
    if (!result.measured()) {
        line.add("failure", json_string(result.failure));
        if (!result.error.empty()) line.add("error", json_string(result.error));
        line.add("reason", json_string(result.reason));
        return line.ended();
    }
    line.add("time_ms", json_list_ms(result.samples_ns));
    line.add("median_ms", json_ms(result.median_ns));
    line.add("interval_ms", json_list_ms({result.low_ns, result.high_ns}));
    line.add("cache", json_string(result.cold ? "cold" : "hot"));
    line.add("launches", std::to_string(result.launches));
    line.add("blocked", result.blocked);
    line.add("out_of_time", result.out_of_time);
    if (result.bytes > 0) {
        line.add("bytes", std::to_string(result.bytes));
        line.add("gigabytes_per_second", json_number(result.gigabytes_per_second(), 3));
    }
    if (checksum) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(*checksum));
        line.add("checksum", json_string(digits));
    }
    return line.ended();
}

}  // namespace detail

/// One line of JSON, {"launchbox":"measurement/1","time_ms":[...],...}, which `launchbox tune` reads anywhere in a
/// program's output.
inline void print_measurement(const measurement_result& result, const print_options& options = {})
{
    const std::string line = detail::measurement_line(result, options.checksum);
    // Flushed at once, since a kernel that fails later may end the process.
    std::fwrite(line.data(), 1, line.size(), options.file);
    std::fflush(options.file);
}

}  // namespace launchbox
