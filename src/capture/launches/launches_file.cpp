// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/launches_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "capture/launches/launch_account.hpp"
#include "image/names/demangle.hpp"
#include "support/error.hpp"
#include "support/text/json_memory.hpp"

namespace launchbox {

namespace {

using nlohmann::json;

// One object of the file, with its place for messages.
struct json_place {
    const json& value;
    std::string where;

    [[nodiscard]] error wrong(const char* name, const char* what) const
    {
        return error(fmt::format("{}: {} is not {}", where, name, what), "is it output of launchbox capture?");
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

    // A member, read into `into`.
    void operator()(const char* name, std::string& into) const { into = text(name); }
    void operator()(const char* name, double& into) const
    {
        const json& found = at(name);
        if (!found.is_number() || !std::isfinite(found.get<double>()) || found.get<double>() < 0)
            throw wrong(name, "a number from 0 on");
        into = found.get<double>();
    }
    void operator()(const char* name, bool& into) const
    {
        if (!at(name).is_boolean()) throw wrong(name, "true or false");
        into = at(name).get<bool>();
    }
    void operator()(const char* name, std::integral auto& into) const { into = integer(at(name), name, into); }
    void operator()(const char* name, std::vector<std::string>& into) const
    {
        each(name, [&](const json_place& word) {
            if (!word.value.is_string()) throw wrong(name, "a list of texts");
            into.push_back(word.value.get<std::string>());
        });
    }
    template <class Integer>
    void operator()(const char* name, std::array<Integer, 3>& into) const
    {
        const json& found = at(name);
        if (!found.is_array() || found.size() != 3) throw wrong(name, "three numbers");
        for (std::size_t i = 0; i < into.size(); ++i) into[i] = integer(found[i], name, into[i]);
    }
    void operator()(const char* name, code_optimisation& into) const
    {
        if (at(name).is_string()) into = optimisation_called(text(name));
    }
    /// Null means unknown.
    template <class Value>
    void operator()(const char* name, std::optional<Value>& into) const
    {
        if (!at(name).is_null()) (*this)(name, into.emplace());
    }
    /// The member, or 0 for null.
    template <class Value>
    [[nodiscard]] Value value_or(const char* name, Value otherwise) const
    {
        std::optional<Value> found;
        (*this)(name, found);
        return found.value_or(otherwise);
    }

    template <class Integer>
    [[nodiscard]] Integer integer(const json& found, const char* name, Integer) const
    {
        const bool fits = found.is_number_integer() && found >= 0 && found <= std::numeric_limits<Integer>::max();
        if (!fits) throw wrong(name, "a whole number from 0 on");
        return found.get<Integer>();
    }

    template <class Use>
    void each(const char* name, const Use& use) const
    {
        const json& found = at(name);
        if (!found.is_array()) throw wrong(name, "a list");
        for (std::size_t i = 0; i < found.size(); ++i)
            use(json_place{found[i], fmt::format("{}: {}[{}]", where, name, i)});
    }
};

observed_gpu read_gpu(const json_place& from)
{
    const std::string architecture = from.text("architecture");
    const auto capability = parse_compute_capability(architecture);
    if (!capability) throw from.wrong("architecture", "one");
    observed_gpu gpu{.name = from.text("name"), .capability = *capability};
    from("sms", gpu.sms);
    gpu.sms = std::clamp(gpu.sms, 1, 1 << 14);
    return gpu;
}

observed_launches read_observed_launches(const json_place& from, const std::vector<observed_gpu>& gpus)
{
    observed_launches launches;
    from("name", launches.name);
    launches.kernel.name = launches.name;
    each_field(launches.kernel, launched_figures(launches.kernel), from);
    if (from.at("architecture").is_string()) set_architecture(launches.kernel, from.text("architecture"));
    from("demangled", launches.demangled);
    launches.short_form = short_name(launches.demangled);
    from("gpu", launches.gpu);
    if (launches.gpu && *launches.gpu >= gpus.size()) throw from.wrong("gpu", "one of the list");
    record::launch_key& key = launches.key;
    for (const auto& [name, sizes] : {std::pair("grid", &key.grid), {"block", &key.block}, {"cluster", &key.cluster}})
        *sizes = from.value_or(name, std::array<std::uint32_t, 3>{});
    from("dynamic_shared_bytes", key.dynamic_shared_bytes);
    key.carveout_percent = from.value_or<std::int32_t>("carveout_percent", -1);
    if (bool truth = false; from.at("cooperative").is_null()) {
        key.cooperative = record::cooperative_state::unknown;
    } else {
        from("cooperative", truth);
        key.cooperative = truth ? record::cooperative_state::yes : record::cooperative_state::no;
    }
    for (const auto& [name, is] : {std::pair("extended", &key.extended), {"in_graph", &key.in_graph}}) {
        bool truth = false;
        from(name, truth);
        *is = truth ? 1 : 0;
    }
    each_field(launches, from);
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
    if (whole.is_discarded()) throw error(file + " is not JSON", "is it complete output of launchbox capture?");
    const json_place from{whole, file};
    if (from.text("schema") != "launchbox.launches/1") throw from.wrong("schema", "launchbox.launches/1");
    observed_run run;
    from("command", run.command);
    from("status", run.ending.status);
    run.ending.signal = from.value_or("signal", 0);
    from("seconds", run.ending.seconds);
    from("cupti_version", run.cupti_version);
    from("driver_version", run.driver_version);
    from.each("gpus", [&](const json_place& gpu) { run.gpus.push_back(read_gpu(gpu)); });
    from.each("processes", [&](const json_place& one) { each_field(run.processes.emplace_back(), one); });
    each_field(run, from);
    from.each("kernels", [&](const json_place& one) { run.launches.push_back(read_observed_launches(one, run.gpus)); });
    from("warnings", run.warnings);
    return run;
}

}  // namespace launchbox
