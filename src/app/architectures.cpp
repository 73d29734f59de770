// SPDX-License-Identifier: Apache-2.0
#include "app/architectures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advice/model/gpu_models.hpp"
#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string known_names()
{
    std::string names;
    for (const sm_limits& row : sm_limits_table) {
        if (!names.empty()) names += ' ';
        names += architecture_name(row.capability).view();
    }
    return names;
}

// "480" names a GPU, since no such compute capability exists; "sm_480" and "48.0" mean an architecture.
std::optional<compute_capability> architecture_named(const std::string& name)
{
    const std::optional<compute_capability> capability = parse_compute_capability(name);
    const bool only_digits = name.find_first_not_of("0123456789") == std::string::npos;
    if (capability && only_digits && find_sm_limits(*capability) == nullptr && !gpus_named(name).models.empty())
        return std::nullopt;
    return capability;
}

// "GTX Titan X (sm_52) or Titan X Pascal (sm_61)"
std::string choices_of(const named_gpus& gpus)
{
    std::string text;
    for (std::size_t i = 0; i < gpus.models.size(); ++i) {
        if (i > 0) text += i + 1 == gpus.models.size() ? " or " : ", ";
        text += fmt::format("{} ({})", name_of(*gpus.models[i]), architecture_name(gpus.models[i]->capability).view());
    }
    return text;
}

target target_named(const std::string& name)
{
    if (const std::optional<compute_capability> capability = architecture_named(name))
        return {*capability, find_sm_limits(*capability)};
    const named_gpus gpus = gpus_named(name);
    if (const std::optional<compute_capability> capability = gpus.capability())
        return {*capability, find_sm_limits(*capability),
                gpus.whole && gpus.models.size() == 1 ? name_of(*gpus.models[0]) : name, gpus.sms()};
    const std::string shown = "'" + shortened(escape_for_terminal(name), 100) + "'";
    constexpr std::size_t max_choices = 6;
    if (gpus.models.empty() || gpus.models.size() > max_choices)
        throw error(shown + " is not an architecture",
                    "write --arch sm_80,sm_90a,12.0, a GPU such as H100, or --arch all; known are: " + known_names());
    throw error(shown + " can be " + choices_of(gpus), "write the whole name, or the architecture");
}

std::vector<target> refuse_unknown(std::vector<target> targets)
{
    for (const target& named : targets)
        if (named.limits == nullptr)
            throw error(fmt::format("unknown architecture '{}'", architecture_name(named.architecture).view()),
                        "known are: " + known_names());
    return targets;
}

}  // namespace

architecture_list::architecture_list(const std::string& text)
{
    for (std::size_t start = 0; !text.empty() && start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string name = text.substr(start, end - start);
        named_.push_back(name == "all" ? std::nullopt : std::optional(target_named(name)));
        start = end + 1;
    }
}

bool architecture_list::has_all() const
{
    return std::ranges::find(named_, false, &std::optional<target>::has_value) != named_.end();
}

std::vector<target> architecture_list::targets(const std::vector<compute_capability>& all, bool each_gpu) const
{
    std::vector<target> targets;
    const auto add = [&](const target& wanted) {
        const bool there = std::ranges::any_of(targets, [&](const target& other) {
            return other.architecture == wanted.architecture && (!each_gpu || other.gpu == wanted.gpu);
        });
        if (!there) targets.push_back(wanted);
    };
    for (const std::optional<target>& one : named_) {
        if (one) add(*one);
        for (const compute_capability& capability : one ? std::vector<compute_capability>{} : all)
            if (const sm_limits* limits = find_sm_limits(capability)) add({capability, limits});
    }
    return targets;
}

std::vector<target> architecture_list::named(const std::vector<compute_capability>& all) const
{
    return targets(all, false);
}

std::vector<target> architecture_list::known(const std::vector<compute_capability>& all) const
{
    return refuse_unknown(targets(all, false));
}

std::vector<target> architecture_list::gpus() const
{
    return refuse_unknown(targets(known_capabilities(), true));
}

target single_architecture(const std::string& text, const std::string& option)
{
    const std::vector<target> named = architecture_list(text).known(known_capabilities());
    if (named.size() != 1) throw error(option + " names one architecture", "write, for example, sm_75");
    return named.front();
}

std::vector<target> targets_of_kernel(const compute_capability& architecture, const std::vector<target>& named)
{
    const sm_limits* const limits = find_sm_limits(architecture);
    std::vector<target> targets;
    for (const target& one : named)
        if (!one.gpu.empty() && one.architecture.number() == architecture.number())
            targets.push_back({architecture, limits, one.gpu, one.sms});
    if (targets.empty()) targets.push_back({architecture, limits});
    return targets;
}

std::vector<compute_capability> known_capabilities()
{
    std::vector<compute_capability> all;
    for (const sm_limits& row : sm_limits_table) all.push_back(row.capability);
    return all;
}

target known_target(const compute_capability& architecture)
{
    return refuse_unknown({{architecture, find_sm_limits(architecture)}}).front();
}

target target_of_this_machine()
{
    const gpu_list gpus = find_gpus();
    if (gpus.devices.empty())
        throw error("no architecture was given, and this machine has no GPU", "add --arch sm_90, or another");
    return known_target(gpus.devices.front().capability);
}

}  // namespace launchbox
