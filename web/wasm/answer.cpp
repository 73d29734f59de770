// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"

#include <launchbox/clusters.hpp>
#include <launchbox/compute_capability.hpp>
#include <launchbox/occupancy.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "advice/model/account.hpp"
#include "advice/model/gpu_models.hpp"
#include "advice/model/kernel_question.hpp"
#include "advice/model/launch_words.hpp"
#include "compiler/log/resource_log.hpp"
#include "image/binary.hpp"
#include "image/names/demangle.hpp"
#include "report/core/json.hpp"
#include "report/occupancy/occupancy_report.hpp"
#include "support/text/terminal.hpp"
#include "support/text/typed_number.hpp"

namespace launchbox::calculator {

namespace {

using nlohmann::ordered_json;

// A list in a page cannot show more names.
constexpr std::size_t max_kernels = 20'000;

struct refusal {
    ordered_json answer;
};

// The value from the page, clamped to what the model accepts; `otherwise` if there is none.
std::int64_t number(const ordered_json& given, const char* name, std::int64_t otherwise, std::int64_t low,
                    std::int64_t high)
{
    const auto at = given.find(name);
    if (at == given.end() || !at->is_number()) return otherwise;
    const double value = at->get<double>();
    if (!(value >= static_cast<double>(low))) return low;
    return value >= static_cast<double>(high) ? high : static_cast<std::int64_t>(value);
}

std::string word(const ordered_json& given, const char* name)
{
    const auto at = given.find(name);
    return at != given.end() && at->is_string() ? at->get<std::string>() : "";
}

// As in launchbox occupancy, with its defaults.
std::optional<occupancy_question> question_of(const ordered_json& given, const std::string& architecture)
{
    const std::optional<compute_capability> capability = parse_compute_capability(architecture);
    const sm_limits* limits = capability ? find_sm_limits(*capability) : nullptr;
    if (limits == nullptr) return std::nullopt;
    constexpr std::int64_t count = 1'000'000, bytes = std::int64_t{1} << 30;
    occupancy_question question;
    question.limits = limits;
    question.architecture = *capability;
    question.shape.threads = static_cast<int>(number(given, "threads", 256, 1, count));
    question.resources.registers = static_cast<int>(number(given, "registers", 0, 0, count));
    question.resources.static_shared_bytes = number(given, "static_shared_bytes", 0, 0, bytes);
    question.resources.barriers = static_cast<int>(number(given, "barriers", 0, 0, count));
    question.resources.max_threads = static_cast<int>(number(given, "max_threads", max_threads_per_block, 1, count));
    question.shape.dynamic_shared_bytes = number(given, "dynamic_shared_bytes", 0, 0, bytes);
    question.shape.cluster_blocks = static_cast<int>(number(given, "cluster_blocks", 1, 1, 64));
    question.registers_known = given.contains("registers");
    question.barriers_known = given.contains("barriers");
    launch_settings& settings = question.settings;
    settings.carveout_percent = static_cast<int>(number(given, "carveout", -1, -1, 100));
    settings.cache = cache_preference_named(word(given, "cache"));
    settings.caching = global_caching_named(word(given, "caching"));
    settings.non_portable_clusters = true;  // as in launchbox occupancy; a note reports it
    if (word(given, "mode") == "spreadsheet" && limits->spreadsheet) settings.mode = model_mode::spreadsheet;
    // "default" is the runtime's 48 KB, "bytes" the given number; else what a program that needs more would have set.
    if (const std::string opt_in = word(given, "opt_in"); opt_in == "bytes")
        settings.max_dynamic_shared_bytes = number(given, "opt_in_bytes", 0, 0, bytes);
    else if (opt_in != "default")
        settings.max_dynamic_shared_bytes =
            raised_shared_limit(*limits, question.resources, question.shape.dynamic_shared_bytes);
    if (const std::int64_t sms = number(given, "sms", 0, 0, 4096); sms > 0) question.sms = static_cast<int>(sms);
    if (const std::int64_t grid = number(given, "grid", 0, 0, std::int64_t{1} << 46); grid > 0 && question.sms)
        question.grid = grid;
    return question;
}

ordered_json refused(const std::string& what)
{
    return {{"error", what}};
}

int warps_of(const occupancy_question& q, const kernel_resources& kernel, const launch_shape& shape)
{
    return resident_blocks(*q.limits, kernel, shape, q.settings) * ((shape.threads + warp_size - 1) / warp_size);
}

// The curves that `launchbox occupancy` does not draw: its three are in the account.
void add_curves(const occupancy_question& q, ordered_json& curves)
{
    if (q.limits->barriers_per_sm) {
        ordered_json points = ordered_json::array();
        for (int barriers = 0; barriers <= 16; ++barriers) {
            kernel_resources kernel = q.resources;
            kernel.barriers = barriers;
            points.push_back({barriers, warps_of(q, kernel, q.shape)});
        }
        curves["barriers"] = std::move(points);
    }
    if (q.limits->portable_cluster > 0 && q.sms) {
        launch_shape shape = q.shape;
        shape.cluster_blocks = 1;  // the number of blocks does not depend on clusters
        const int blocks = resident_blocks(*q.limits, q.resources, shape, q.settings);
        ordered_json points = ordered_json::array();
        // As far as the chip's limits are known.
        const int largest = q.limits->non_portable_cluster.value_or(q.limits->portable_cluster.value_or(1));
        for (int cluster = 1; cluster <= largest; ++cluster) {
            const cluster_estimate found = estimate_clusters(*q.limits, *q.sms, cluster, blocks);
            points.push_back({cluster, or_null(found.expected), found.low, found.high});
        }
        curves["clusters"] = std::move(points);
    }
}

ordered_json answer_occupancy(const ordered_json& given)
{
    std::optional<occupancy_question> question = question_of(given, word(given, "architecture"));
    if (!question) return refused("'" + json_text(word(given, "architecture")) + "' is not a known architecture");
    question->curves = true;
    ordered_json account = account_json(explain(*question));
    add_curves(*question, account["curves"]);
    return {{"account", std::move(account)}};
}

// Resident warps for every block size, on each of the architectures.
ordered_json answer_map(const ordered_json& given)
{
    ordered_json rows = ordered_json::array();
    if (const auto list = given.find("architectures"); list != given.end() && list->is_array())
        for (const ordered_json& name : *list) {
            if (!name.is_string() || rows.size() >= 64) continue;
            const std::optional<occupancy_question> question = question_of(given, name.get<std::string>());
            if (!question) continue;
            ordered_json warps = ordered_json::array();
            for (int threads = warp_size; threads <= max_threads_per_block; threads += warp_size) {
                launch_shape shape = question->shape;
                shape.threads = threads;
                warps.push_back(warps_of(*question, question->resources, shape));
            }
            rows.push_back({{"architecture", architecture_name(question->architecture).view()},
                            {"warp_slots", question->limits->warps_per_sm()},
                            {"warps", std::move(warps)}});
        }
    return {{"rows", std::move(rows)}};
}

// Each model once, with its SMs.
ordered_json gpus_of(const compute_capability& capability)
{
    ordered_json gpus = ordered_json::array();
    for (const gpu_model& model : gpu_models())
        if (model.capability == capability) gpus.push_back({name_of(model), model.sms});
    return gpus;
}

ordered_json answer_architectures()
{
    ordered_json all = ordered_json::array();
    for (const sm_limits& row : sm_limits_table)
        all.push_back({{"architecture", architecture_name(row.capability).view()},
                       {"compute_capability", compute_capability_name(row.capability).view()},
                       {"registers", row.registers_per_thread},
                       {"shared_per_block", row.shared_per_block},
                       {"shared_opt_in", row.shared_per_block_opt_in},
                       {"has_clusters", row.portable_cluster > 0},
                       {"max_cluster", or_null(row.non_portable_cluster)},
                       {"limits_barriers", row.barriers_per_sm.has_value()},
                       {"has_carveout", row.capability.major >= 7},
                       {"spreadsheet", row.spreadsheet.has_value()},
                       {"gpus", gpus_of(row.capability)}});
    return {{"architectures", std::move(all)}};
}

// "sm_90a", "9.0", "H100": a single value of --arch.
ordered_json answer_named(const std::string& text)
{
    const std::optional<compute_capability> capability = parse_compute_capability(text);
    if (capability && find_sm_limits(*capability) != nullptr)
        return {{"architecture", architecture_name(find_sm_limits(*capability)->capability).view()}};
    const named_gpus gpus = gpus_named(text);
    const std::optional<compute_capability> of_gpu = gpus.capability();
    if (!of_gpu && !gpus.models.empty()) {
        std::string models;
        constexpr std::size_t most = 4;
        for (std::size_t i = 0; i < std::min(gpus.models.size(), most); ++i)
            models += (i == 0 ? "" : ", ") + name_of(*gpus.models[i]);
        return refused("'" + json_text(text) + "' can be " + models + (gpus.models.size() > most ? " and others" : ""));
    }
    if (!of_gpu || find_sm_limits(*of_gpu) == nullptr)
        return refused("'" + json_text(text) + "' is not a known architecture or GPU");
    return {{"architecture", architecture_name(find_sm_limits(*of_gpu)->capability).view()},
            {"gpu", gpus.whole ? ordered_json(name_of(*gpus.models.front())) : ordered_json(nullptr)},
            {"sms", or_null(gpus.sms())}};
}

// The value of a field, by the rules of the command line.
ordered_json answer_field(const ordered_json& given)
{
    const std::string text = word(given, "text");
    const bool is_size = word(given, "kind") == "bytes";
    constexpr std::int64_t limit = std::int64_t{1} << 46;
    const std::int64_t low = number(given, "low", 0, -limit, limit), high = number(given, "high", limit, -limit, limit);
    const std::optional<std::int64_t> value = is_size ? read_bytes(text) : read_whole_number(text);
    if (!value)
        return refused("'" + json_text(text) + "' is not a " +
                       (is_size ? "size: write bytes, such as 11264 or 48K" : "whole number"));
    if (*value < low || *value > high)
        return refused("'" + json_text(text) + "' is not between " + with_commas(low) + " and " + with_commas(high));
    return {{"value", *value}};
}

ordered_json kernels_json(const std::vector<const kernel_info*>& kernels)
{
    std::vector<std::string> mangled;
    for (const kernel_info* kernel : kernels) mangled.push_back(kernel->name);
    const std::vector<std::string> names = demangle_all(mangled);
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const kernel_info& kernel = *kernels[i];
        list.push_back({{"name", json_text(kernel.name)},
                        {"demangled", json_text(names[i])},
                        {"short", json_text(short_name(names[i]))},
                        {"architecture", json_text(kernel.architecture)},
                        {"known", limits_of(kernel) != nullptr},
                        {"registers", or_null(kernel.figures.registers)},
                        {"static_shared_bytes", or_null(kernel.figures.static_shared_bytes)},
                        {"barriers", or_null(kernel.figures.barriers)},
                        {"threads", or_null(bound_threads(kernel))},
                        {"spill_bytes", or_null(spill_bytes(kernel))},
                        {"cluster_blocks", or_null(cluster_blocks(kernel))},
                        {"uses_dynamic_shared", or_null(kernel.launches.uses_dynamic_shared)}});
    }
    return list;
}

// Without PTX, which has no registers yet.
ordered_json with_kernels(const std::vector<const kernel_info*>& found, ordered_json answer)
{
    std::vector<const kernel_info*> kernels;
    std::size_t only_ptx = 0;
    for (const kernel_info* kernel : found) {
        if (is_ptx(*kernel))
            ++only_ptx;
        else
            kernels.push_back(kernel);
    }
    answer["found"] = kernels.size();
    answer["only_ptx"] = only_ptx;
    if (kernels.size() > max_kernels) kernels.resize(max_kernels);
    answer["kernels"] = kernels_json(kernels);
    return answer;
}

ordered_json answer_log(std::string_view text)
{
    const resource_log log = parse_resource_log(text, "the log");
    std::vector<const kernel_info*> kernels;
    for (const kernel_info& kernel : log.kernels) kernels.push_back(&kernel);
    ordered_json notes = ordered_json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(log.diagnostics.size(), 5); ++i)
        notes.push_back("line " + std::to_string(log.diagnostics[i].line) + ": " + json_text(log.diagnostics[i].what));
    return with_kernels(kernels, {{"kind", "compiler log"}, {"notes", std::move(notes)}});
}

ordered_json answer_binary(std::string_view bytes)
{
    binary_options options;
    options.max_kernel_bytes = std::uint64_t{256} << 20;
    options.max_decompressed_at_once = std::uint64_t{512} << 20;
    const binary_contents contents = read_binary(bytes, "the file", options);
    std::vector<const kernel_info*> kernels;
    for (const auto& image : contents.kernels)
        for (const kernel_info& kernel : image) kernels.push_back(&kernel);
    ordered_json notes = ordered_json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(contents.diagnostics.size(), 5); ++i)
        notes.push_back(json_text(contents.diagnostics[i].what));
    return with_kernels(kernels,
                        {{"kind", contents.kind}, {"images", contents.images.size()}, {"notes", std::move(notes)}});
}

ordered_json answered(std::string_view what, std::string_view input)
{
    if (what == "log") return answer_log(input);
    if (what == "binary") return looks_like_binary(input) ? answer_binary(input) : answer_log(input);
    if (what == "architectures") return answer_architectures();
    const ordered_json given = ordered_json::parse(input, nullptr, false);
    if (!given.is_object()) return refused("a question is a JSON object");
    if (what == "occupancy") return answer_occupancy(given);
    if (what == "map") return answer_map(given);
    if (what == "named") return answer_named(word(given, "text"));
    if (what == "field") return answer_field(given);
    return refused("unknown request");
}

}  // namespace

std::string answer(std::string_view what, std::string_view input)
{
    return answered(what, input).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace launchbox::calculator
