// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/totals_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::string share(std::uint64_t part, std::uint64_t all)
{
    return all == 0 ? "" : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string architecture_or_sign(const architecture_size& one)
{
    return one.architecture.empty() ? "?" : escape_for_terminal(one.architecture);
}

}  // namespace

std::string size_text(std::uint64_t bytes)
{
    constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
    return value < 9.95 ? fmt::format("{:.1f} {}", value, units[unit]) : fmt::format("{:.0f} {}", value, units[unit]);
}

document size_document(const std::vector<code_size>& sizes, std::size_t templates_shown)
{
    document page;
    for (const code_size& size : sizes) {
        page.heading(escape_for_terminal(size.file) +
                     (size.file_bytes ? "  " + with_commas(static_cast<std::int64_t>(*size.file_bytes)) + " B" : ""));
        table rows{
            {{"bytes", true}, {"share", true}, {"images", true}, {"kernels", true}, {"unpacked", true}, {"what"}}, {}};
        const std::uint64_t all = size.file_bytes.value_or(size.image_bytes);
        for (const architecture_size& one : size.architectures)
            rows.rows.push_back({with_commas(static_cast<std::int64_t>(one.stored_bytes)), share(one.stored_bytes, all),
                                 count_text(one.images), count_text(one.kernels), size_text(one.bytes),
                                 architecture_or_sign(one) + " " + escape_for_terminal(one.kind)});
        if (const auto other = size.other_bytes())
            rows.rows.push_back({with_commas(static_cast<std::int64_t>(*other)),
                                 share(*other, all),
                                 "",
                                 "",
                                 "",
                                 {"host code and data, headers, padding", tone::faint}});
        if (!rows.rows.empty()) page.add(std::move(rows));  // sources and logs have no images
        if (size.templates.empty()) continue;
        table templates{{{"code", true}, {"share", true}, {"kernels", true}, {"copies", true}, {"kernel or template"}},
                        {}};
        std::int64_t rest = 0;
        std::size_t not_shown = 0;
        for (std::size_t i = 0; i < size.templates.size(); ++i) {
            const template_size& one = size.templates[i];
            if (i >= templates_shown) {
                ++not_shown;
                rest += one.code_bytes;
                continue;
            }
            templates.rows.push_back(
                {with_commas(one.code_bytes),
                 share(static_cast<std::uint64_t>(one.code_bytes), static_cast<std::uint64_t>(size.code_bytes)),
                 count_text(one.kernels), one.repeated_bytes > 0 ? with_commas(one.repeated_bytes) : "–",
                 escape_for_terminal(one.name)});
        }
        if (not_shown > 0)
            templates.rows.push_back(
                {with_commas(rest), "", "", "", {counted(not_shown, "more", "more"), tone::faint}});
        page.add(std::move(templates));
        page.line(
            fmt::format("  {} B of machine code, decompressed; {} B of it are copies of other kernels for the "
                        "same architecture",
                        with_commas(size.code_bytes), with_commas(size.repeated_bytes)));
    }
    return page;
}

ordered_json size_json(const std::vector<code_size>& sizes)
{
    ordered_json json{{"schema", "launchbox.size/1"}};
    json["files"] = ordered_json::array();
    for (const code_size& size : sizes) {
        ordered_json file{{"file", json_text(size.file)},    {"file_bytes", or_null(size.file_bytes)},
                          {"image_bytes", size.image_bytes}, {"other_bytes", or_null(size.other_bytes())},
                          {"code_bytes", size.code_bytes},   {"repeated_code_bytes", size.repeated_bytes}};
        file["architectures"] = ordered_json::array();
        for (const architecture_size& one : size.architectures)
            file["architectures"].push_back({{"architecture", text_or_null(one.architecture)},
                                             {"kind", one.kind},
                                             {"images", one.images},
                                             {"kernels", one.kernels},
                                             {"stored_bytes", one.stored_bytes},
                                             {"bytes", one.bytes}});
        file["templates"] = ordered_json::array();
        for (const template_size& one : size.templates)
            file["templates"].push_back({{"name", json_text(one.name)},
                                         {"kernels", one.kernels},
                                         {"code_bytes", one.code_bytes},
                                         {"repeated_code_bytes", one.repeated_bytes}});
        json["files"].push_back(std::move(file));
    }
    return json;
}

table size_table(const std::vector<code_size>& sizes)
{
    table rows{{{"file"},
                {"by"},
                {"what"},
                {"kind"},
                {"images", true},
                {"kernels", true},
                {"bytes", true},
                {"repeated_bytes", true}},
               {}};
    for (const code_size& size : sizes) {
        const std::string file = escape_for_terminal(size.file);
        for (const architecture_size& one : size.architectures)
            rows.rows.push_back({file, "architecture", architecture_or_sign(one), escape_for_terminal(one.kind),
                                 std::to_string(one.images), std::to_string(one.kernels),
                                 std::to_string(one.stored_bytes), ""});
        for (const template_size& one : size.templates)
            rows.rows.push_back({file, "template", escape_for_terminal(one.name), "", "", std::to_string(one.kernels),
                                 std::to_string(one.code_bytes), std::to_string(one.repeated_bytes)});
    }
    return rows;
}

namespace {

// Models of one architecture with the same number of SMs reserve the same: one row for people.
std::vector<std::vector<stack_reserve>> alike_gpus(const stack_reserves& reserves)
{
    std::vector<std::vector<stack_reserve>> groups;
    for (const stack_reserve& one : reserves.gpus) {
        const auto same = std::ranges::find_if(groups, [&](const auto& group) {
            return group.front().gpu.capability == one.gpu.capability && group.front().gpu.sms == one.gpu.sms;
        });
        if (same == groups.end())
            groups.push_back({one});
        else
            same->push_back(one);
    }
    return groups;
}

}  // namespace

document stack_reserve_document(const stack_reserves& reserves, const std::vector<inspected_kernel>& kernels)
{
    document page;
    table rows{{{"GPU"}, {"SMs", true}, {"threads", true}, {"stack", true}, {"reserved", true}, {"deepest stack"}}, {}};
    bool unbounded = false;
    for (const std::vector<stack_reserve>& alike : alike_gpus(reserves)) {
        const stack_reserve& one = alike.front();
        unbounded |= one.unbounded;
        std::string names;
        for (const stack_reserve& other : alike) names += (names.empty() ? "" : ", ") + name_of(other.gpu);
        rows.rows.push_back({names, std::to_string(one.gpu.sms), with_commas(one.threads), with_commas(one.stack_bytes),
                             (one.unbounded ? "≥" : "") + size_text(static_cast<std::uint64_t>(one.bytes())),
                             one.stack_bytes > 0 ? escape_for_terminal(kernels[one.kernel].info.short_form) : "–"});
    }
    const auto add_uncounted = [&] {
        for (const uncounted_stacks& one : reserves.uncounted)
            page.line(fmt::format(
                          "  {} for {} {} not counted: {}", counted(one.kernels, "kernel", "kernels"),
                          one.architecture.empty() ? "an unknown architecture" : escape_for_terminal(one.architecture),
                          one.kernels == 1 ? "is" : "are", escape_for_terminal(one.why)),
                      tone::warning);
    };
    if (rows.rows.empty()) {
        page.line("No kernel here has a known stack on a known GPU.");
        add_uncounted();
        return page;
    }
    page.add(std::move(rows));
    add_uncounted();
    page.line(
        "  reserved: stack × the threads that can be resident on all SMs; an estimate of the memory that the driver "
        "reserves when the kernel is loaded or launched. The driver always keeps 1,024 B per thread "
        "(cudaLimitStackSize)",
        tone::faint);
    if (unbounded)
        page.line("  ≥: the stack of at least one kernel has no known limit (recursion, calls through pointers)",
                  tone::faint);
    return page;
}

ordered_json stack_reserve_json(const stack_reserves& reserves, const std::vector<inspected_kernel>& kernels)
{
    ordered_json json{{"schema", "launchbox.stack_reserve/1"}};
    json["gpus"] = ordered_json::array();
    json["not_counted"] = ordered_json::array();
    for (const uncounted_stacks& one : reserves.uncounted)
        json["not_counted"].push_back({{"architecture", text_or_null(one.architecture)},
                                       {"kernels", one.kernels},
                                       {"reason", json_text(one.why)}});
    for (const stack_reserve& one : reserves.gpus)
        json["gpus"].push_back({{"gpu", name_of(one.gpu)},
                                {"sms", one.gpu.sms},
                                {"threads", one.threads},
                                {"stack_bytes", one.stack_bytes},
                                {"reserved_bytes", one.bytes()},
                                {"at_least", one.unbounded},
                                {"kernel", one.stack_bytes > 0 ? ordered_json(json_text(kernels[one.kernel].info.name))
                                                               : ordered_json(nullptr)}});
    return json;
}

table stack_reserve_table(const stack_reserves& reserves, const std::vector<inspected_kernel>& kernels)
{
    return json_table({{"gpu"}, {"sms"}, {"threads"}, {"stack_bytes"}, {"reserved_bytes"}, {"kernel"}},
                      stack_reserve_json(reserves, kernels)["gpus"]);
}

}  // namespace launchbox
