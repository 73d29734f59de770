// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/launches_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "capture/launches/launch_account.hpp"
#include "image/names/demangle.hpp"
#include "support/error.hpp"
#include "support/text/json_memory.hpp"

namespace launchbox {

namespace {

using nlohmann::json;

// One object of the file, with where it is for messages.
struct json_place {
    const json& value;
    std::string where;

    [[nodiscard]] error wrong(const char* name, const char* what) const
    {
        return error(fmt::format("{}: {} is not {}", where, name, what), "is it what launchbox capture wrote?");
    }

    [[nodiscard]] const json& at(const char* name) const
    {
        const auto found = value.is_object() ? value.find(name) : value.end();
        if (!value.is_object() || found == value.end()) throw wrong(name, "there");
        return *found;
    }

    [[nodiscard]] std::string text(const char* name) const
    {
        const json& found = at(name);
        if (!found.is_string()) throw wrong(name, "a text");
        return found.get<std::string>();
    }

    [[nodiscard]] double number(const char* name) const
    {
        const json& found = at(name);
        if (!found.is_number() || !std::isfinite(found.get<double>()) || found.get<double>() < 0)
            throw wrong(name, "a number from 0 on");
        return found.get<double>();
    }

    /// nullopt for null.
    template <class Integer>
    [[nodiscard]] std::optional<Integer> optional_integer(const char* name) const
    {
        if (at(name).is_null()) return std::nullopt;
        return integer<Integer>(at(name), name);
    }
    template <class Integer>
    [[nodiscard]] Integer integer(const char* name) const
    {
        return integer<Integer>(at(name), name);
    }
    template <class Integer>
    [[nodiscard]] Integer integer(const json& found, const char* name) const
    {
        const bool fits = found.is_number_integer() && found >= 0 && found <= std::numeric_limits<Integer>::max();
        if (!fits) throw wrong(name, "a whole number from 0 on");
        return found.get<Integer>();
    }

    /// Zeros for null.
    template <class Integer>
    [[nodiscard]] std::array<Integer, 3> sizes(const char* name) const
    {
        const json& found = at(name);
        if (found.is_null()) return {};
        if (!found.is_array() || found.size() != 3) throw wrong(name, "three numbers");
        return {integer<Integer>(found[0], name), integer<Integer>(found[1], name), integer<Integer>(found[2], name)};
    }

    [[nodiscard]] bool truth(const char* name) const
    {
        if (!at(name).is_boolean()) throw wrong(name, "true or false");
        return at(name).get<bool>();
    }

    template <class Use>
    void each(const char* name, const Use& use) const
    {
        const json& found = at(name);
        if (!found.is_array()) throw wrong(name, "a list");
        for (std::size_t i = 0; i < found.size(); ++i)
            use(json_place{found[i], fmt::format("{}: {}[{}]", where, name, i)});
    }

    [[nodiscard]] std::vector<std::string> words(const char* name) const
    {
        std::vector<std::string> all;
        each(name, [&](const json_place& word) {
            if (!word.value.is_string()) throw wrong(name, "a list of texts");
            all.push_back(word.value.get<std::string>());
        });
        return all;
    }
};

observed_gpu read_gpu(const json_place& from)
{
    const std::string architecture = from.text("architecture");
    const auto capability = parse_compute_capability(architecture);
    if (!capability) throw from.wrong("architecture", "one");
    return {
        .name = from.text("name"), .capability = *capability, .sms = std::clamp(from.integer<int>("sms"), 1, 1 << 14)};
}

observed_process read_observed_process(const json_place& from)
{
    return {.process = from.integer<std::int32_t>("process"),
            .command = from.words("command"),
            .ended = from.truth("ended"),
            .launches = from.integer<std::uint64_t>("launches"),
            .kernel_ns = from.number("kernel_ns")};
}

kernel_info read_kernel(const json_place& from)
{
    kernel_info kernel;
    kernel.name = from.text("name");
    kernel.registers = from.optional_integer<int>("registers");
    kernel.spill_store_bytes = from.optional_integer<std::int64_t>("spill_store_bytes");
    kernel.spill_load_bytes = from.optional_integer<std::int64_t>("spill_load_bytes");
    kernel.shared_spill_store_bytes = from.optional_integer<std::int64_t>("shared_spill_store_bytes");
    kernel.shared_spill_load_bytes = from.optional_integer<std::int64_t>("shared_spill_load_bytes");
    kernel.stack_frame_bytes = from.optional_integer<std::int64_t>("stack_frame_bytes");
    kernel.static_shared_bytes = from.optional_integer<std::int64_t>("static_shared_bytes");
    kernel.barriers = from.optional_integer<int>("barriers");
    kernel.min_blocks = from.optional_integer<int>("min_blocks");
    if (!from.at("max_threads").is_null()) kernel.max_threads = from.sizes<int>("max_threads");
    if (from.at("optimisation").is_string()) kernel.optimisation = optimisation_called(from.text("optimisation"));
    if (from.at("architecture").is_string()) set_architecture(kernel, from.text("architecture"));
    return kernel;
}

observed_launches read_observed_launches(const json_place& from, const std::vector<observed_gpu>& gpus)
{
    observed_launches launches;
    launches.kernel = read_kernel(from);
    launches.name = launches.kernel.name;
    launches.demangled = from.text("demangled");
    launches.short_form = short_name(launches.demangled);
    launches.gpu = from.optional_integer<std::size_t>("gpu");
    if (launches.gpu && *launches.gpu >= gpus.size()) throw from.wrong("gpu", "one of the list");
    launches.key.grid = from.sizes<std::uint32_t>("grid");
    launches.key.block = from.sizes<std::uint32_t>("block");
    launches.key.cluster = from.sizes<std::uint32_t>("cluster");
    launches.key.dynamic_shared_bytes = from.integer<std::int32_t>("dynamic_shared_bytes");
    launches.key.carveout_percent = from.optional_integer<std::int32_t>("carveout_percent").value_or(-1);
    launches.key.extended = from.truth("extended") ? 1 : 0;
    launches.key.in_graph = from.truth("in_graph") ? 1 : 0;
    launches.count = from.integer<std::uint64_t>("launches");
    launches.processes = from.integer<std::size_t>("processes");
    launches.total_ns = from.number("total_ns");
    launches.median_ns = from.number("median_ns");
    launches.median_of_sample = from.truth("median_of_sample");
    launches.min_ns = from.number("min_ns");
    launches.max_ns = from.number("max_ns");
    if (from.at("image_unknown").is_string()) launches.image_unknown = from.text("image_unknown");
    if (launches.gpu) calculate(launches, gpus[*launches.gpu]);
    return launches;
}

}  // namespace

bool is_launches_json(std::string_view text)
{
    return text.find("\"launchbox.launches/1\"") != std::string_view::npos;
}

observed_run read_launches_json(std::string_view text, const std::string& file)
{
    refuse_large_json(text, text.size(), file);
    const json whole = json::parse(text, nullptr, false);
    if (whole.is_discarded()) throw error(file + " is no JSON", "is it what launchbox capture wrote, and all of it?");
    const json_place from{whole, file};
    if (from.text("schema") != "launchbox.launches/1") throw from.wrong("schema", "launchbox.launches/1");
    observed_run run;
    run.command = from.words("command");
    run.ending.status = from.integer<int>("status");
    run.ending.signal = from.optional_integer<int>("signal").value_or(0);
    run.ending.seconds = from.number("seconds");
    run.cupti_version = from.optional_integer<std::uint32_t>("cupti_version");
    run.driver_version = from.optional_integer<std::uint32_t>("driver_version");
    from.each("gpus", [&](const json_place& gpu) { run.gpus.push_back(read_gpu(gpu)); });
    from.each("processes", [&](const json_place& one) { run.processes.push_back(read_observed_process(one)); });
    run.unobserved = from.integer<std::size_t>("unobserved_processes");
    run.count = from.integer<std::uint64_t>("launches");
    run.untimed = from.integer<std::uint64_t>("unfinished_launches");
    run.kernel_ns = from.number("kernel_ns");
    run.span_ns = from.number("span_ns");
    from.each("kernels", [&](const json_place& one) { run.launches.push_back(read_observed_launches(one, run.gpus)); });
    run.warnings = from.words("warnings");
    return run;
}

}  // namespace launchbox
