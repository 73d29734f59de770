// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/callback_messages.hpp"

#include <algorithm>
#include <tuple>

#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "support/fields.hpp"
#include "tune/store/result_json.hpp"
#include "tune/types/message_json.hpp"
#include "tune/types/sample_time.hpp"
#include "tune/worker/cuda_outcome.hpp"

namespace launchbox {

namespace {

// An answer has all members except those that may be unknown.
struct callback_answer {
    std::vector<double> samples_ns;
    bool verified = false;
    std::string failure, reason;     // the name of an outcome; empty if it succeeded
    std::optional<int> cuda_status;  // the driver's status after a failure
    bool restart = false;            // the process must not be used again
    std::vector<std::string> warnings;
};
constexpr auto fields_of(const callback_answer&)
{
    using of = callback_answer;
    return std::tuple(field("samples_ns", &of::samples_ns), field("verified", &of::verified),
                      field("failure", &of::failure), field("reason", &of::reason),
                      field("cuda_status", &of::cuda_status), field("restart", &of::restart),
                      field("warnings", &of::warnings));
}

constexpr std::size_t max_reason = 500, max_warnings = 10;

// One line, short enough to read.
std::string one_line(std::string text)
{
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < ' '; }, ' ');
    if (text.size() <= max_reason) return text;
    std::size_t end = max_reason;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // do not split a character
    return text.substr(0, end) + "...";
}

outcome failure_of(const callback_answer& answer)
{
    if (answer.cuda_status && *answer.cuda_status != CUDA_SUCCESS) {
        const outcome what = outcome_of(static_cast<CUresult>(*answer.cuda_status));
        return what == outcome::device_lost ? outcome::launch_error : what;
    }
    return outcome_said(answer.failure);
}

}  // namespace

std::string callback_line(const callback_task& task)
{
    message_json line{{"parameters", json_of(task.parameters)},
                      {"workload", json_of(task.workload)},
                      {"is_reference", task.is_reference},
                      {"samples", task.samples},
                      {"cold", task.cold},
                      {"absolute", task.absolute},
                      {"relative", task.relative}};
    if (task.reference) line["reference"] = json_of(*task.reference);
    return line.dump(-1, ' ', false, message_json::error_handler_t::replace);
}

worker_message callback_message_of(const std::string& line, std::size_t max_samples)
{
    const message_json from = reading_message([&] { return message_json::parse(line); });
    if (const auto phase = phase_in(from)) return {phase, {}};
    callback_answer reply = record_of<callback_answer>(from, "answer");
    if (reply.samples_ns.size() > max_samples) refuse_member("samples_ns");
    measurement answer{.samples_ns = std::move(reply.samples_ns), .verified = reply.verified};
    if (const auto quantities = from.find("quantities"); quantities != from.end())
        if (!read_json(*quantities, answer.quantities)) refuse_member("quantities");
    answer.sticky = reply.restart || (reply.cuda_status && is_sticky(static_cast<CUresult>(*reply.cuda_status)));
    for (std::string& warning : reply.warnings)
        if (answer.warnings.size() < max_warnings) answer.warnings.push_back(one_line(std::move(warning)));
    if (!reply.failure.empty()) {
        answer.status = failure_of(reply);
        answer.reason = one_line(reply.reason.empty() ? reply.failure : std::move(reply.reason));
        answer.samples_ns.clear();
        answer.quantities.clear();
    }
    for (const double sample : answer.samples_ns)
        if (const std::string why = why_no_time(sample); !why.empty()) {
            answer = {.status = outcome::launch_error, .reason = "its time is " + why};
            break;
        }
    return {std::nullopt, std::move(answer)};
}

}  // namespace launchbox
