// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/calculator_state.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "advice/model/kernel_question.hpp"
#include "advice/model/launch_words.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// The block size if the kernel has none: the calculator's default.
constexpr int usual_threads = 256;

// As in a URL: everything but letters, digits and -._~ becomes %XX.
std::string percent_encoded(std::string_view text)
{
    std::string encoded;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= '0' && byte <= '9') || letter == '-' || letter == '.' || letter == '_' ||
                           letter == '~';
        encoded += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
    }
    return encoded;
}

std::string state_of(const occupancy_question& question, bool threads_known)
{
    std::string state;
    const auto add = [&](const char* name, const std::string& value) {
        state += fmt::format("{}{}={}", state.empty() ? "" : "&", name, percent_encoded(value));
    };
    add("architecture", std::string(architecture_name(question.limits->capability).view()));
    add("threads", std::to_string(question.shape.threads));
    add("registers", std::to_string(question.resources.registers));
    add("static_shared_bytes", std::to_string(question.resources.static_shared_bytes));
    add("dynamic_shared_bytes", std::to_string(question.shape.dynamic_shared_bytes));
    add("barriers", std::to_string(question.resources.barriers));
    add("max_threads", std::to_string(question.resources.max_threads));
    add("cluster_blocks", std::to_string(question.shape.cluster_blocks));
    const launch_settings& settings = question.settings;
    add("carveout", std::to_string(settings.carveout_percent));
    add("cache", name_of(settings.cache));
    add("caching", name_of(settings.caching));
    add("mode", settings.mode == model_mode::driver ? "driver" : "spreadsheet");
    // The page's "max": as much as is needed to allow the launch.
    const std::int64_t most =
        raised_shared_limit(*question.limits, question.resources, question.shape.dynamic_shared_bytes);
    const std::optional<std::int64_t> allowed = settings.max_dynamic_shared_bytes;
    add("opt_in", !allowed ? "default" : *allowed == most ? "max" : "bytes");
    if (allowed && *allowed != most) add("opt_in_bytes", std::to_string(*allowed));
    if (question.sms) add("sms", std::to_string(*question.sms));
    if (question.grid) add("grid", std::to_string(*question.grid));
    if (question.kernel.empty()) return state;  // figures of a command line: the user knows what is missing
    add("kernel", escape_for_terminal(question.kernel));
    std::string unknown;
    for (const auto& [name, known] :
         {std::pair("threads", threads_known), std::pair("registers", question.registers_known),
          std::pair("static_shared_bytes", question.shared_known),
          std::pair("dynamic_shared_bytes", question.dynamic_shared_known),
          std::pair("barriers", question.barriers_known)})
        if (!known) unknown += (unknown.empty() ? "" : ",") + std::string(name);
    if (!unknown.empty()) add("unknown", unknown);
    return state;
}

}  // namespace

std::string calculator_state(const occupancy_question& question)
{
    return state_of(question, true);
}

std::string calculator_state(const inspected_kernel& kernel)
{
    std::optional<occupancy_question> question = question_for(kernel.info, kernel.threads);
    const bool threads_known = question.has_value();
    if (!question) question = question_for(kernel.info, usual_threads);
    if (!question) return "";
    question->kernel = kernel.info.short_form;
    return state_of(*question, threads_known);
}

}  // namespace launchbox
