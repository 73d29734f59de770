// How large a launch is: the numbers behind its expressions and configurations.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "source/source_launches.hpp"

namespace launchbox {

namespace {

constexpr source_extent one_of_each{1, 1, 1};

// What the members of a configuration are called, and which of a list they are.
struct config_members {
    std::string grid, block, shared;
    int grid_at = 0, block_at = 1, shared_at = 2;
};
const config_members& members_of(launch_form form)
{
    static const config_members of_runtime{"gridDim", "blockDim", "dynamicSmemBytes"};
    static const config_members of_launchbox{"grid", "threads", "dynamic_shared_bytes"};
    return form == launch_form::runtime_config ? of_runtime : of_launchbox;
}

class figures_reader {
public:
    figures_reader(const source_launch& launch, const source_values& values, const template_values& instance)
        : launch_(launch), values_(values), instance_(instance)
    {
    }

    launch_figures read()
    {
        const bool with_config =
            launch_.form == launch_form::runtime_config || launch_.form == launch_form::launchbox_config;
        launch_figures figures = with_config ? of_config() : of_arguments();
        figures.raises_limits = launch_.form == launch_form::launchbox_config;
        return figures;
    }

private:
    [[nodiscard]] launch_figures of_arguments() const
    {
        launch_figures figures{.grid = extent(launch_.arguments[0]),
                               .block = extent(launch_.arguments[1]),
                               .dynamic_shared_bytes = 0,
                               .cluster = one_of_each};
        if (launch_.arguments.size() > 2) figures.dynamic_shared_bytes = integer(launch_.arguments[2]);
        return figures;
    }

    [[nodiscard]] launch_figures of_config() const
    {
        launch_figures figures{.grid = {}, .block = {}, .dynamic_shared_bytes = {}, .cluster = {}};
        const std::optional<object_state> config = config_object();
        if (!config) return figures;
        const config_members& own = members_of(launch_.form);
        const bool of_runtime = launch_.form == launch_form::runtime_config;
        // launch_config has default values, and threads without one are none.
        const std::optional<std::int64_t> missing = 1;
        figures.grid = values_.extent_member(*config, own.grid, own.grid_at, missing, instance_);
        figures.block = values_.extent_member(*config, own.block, own.block_at,
                                              of_runtime ? missing : std::optional<std::int64_t>(0), instance_);
        figures.dynamic_shared_bytes = member(*config, own.shared, own.shared_at, !of_runtime);
        figures.cluster = of_runtime ? cluster_of_attributes(*config)
                                     : values_.extent_member(*config, "cluster", 4, missing, instance_);
        return figures;
    }

    // `config`, `&config`, or braces at the launch itself.
    [[nodiscard]] std::optional<object_state> config_object() const
    {
        token_span words = launch_.config;
        if (!words.empty() && words[0].is("&")) words = words.subspan(1);
        if (words.empty()) return std::nullopt;
        if (words.size() == 1) return values_.state_of(words[0].text, launch_.first);
        const auto open = std::ranges::find_if(words, [](const source_token& token) { return token.is("{"); });
        const std::size_t begin = static_cast<std::size_t>(open - words.begin());
        if (begin == words.size() || closing_bracket(words, begin) + 1 != words.size()) return std::nullopt;
        object_state object{.declared = {.kind = declared_as::variable,
                                         .name = launch_.first,
                                         .type = {},
                                         .value = words.subspan(begin + 1, words.size() - begin - 2),
                                         .form = '{'},
                            .assigned = {},
                            .doubtful = {}};
        return object;
    }

    [[nodiscard]] std::optional<std::int64_t> member(const object_state& object, const std::string& path, int position,
                                                     bool has_default) const
    {
        if (has_default && object.declared.form == 0 && !object.begins_unknown()) {
            const bool assigned =
                std::ranges::any_of(object.assigned, [&](const auto& one) { return one.path == path; });
            if (!assigned && object.doubtful.empty()) return 0;
        }
        const auto found = values_.member_of(object, path, position);
        if (!found) return std::nullopt;
        return found->words.empty() ? std::optional<std::int64_t>(0)
                                    : values_.integer(found->words, found->at, instance_);
    }

    // config.attrs names an array, some element of which may say how large clusters are.
    [[nodiscard]] source_extent cluster_of_attributes(const object_state& config) const
    {
        const std::optional<std::int64_t> count = member(config, "numAttrs", 5, false);
        if (count == 0) return one_of_each;
        const auto attributes = values_.member_of(config, "attrs", 4);
        if (!attributes) return {};
        token_span words = attributes->words;
        if (words.empty() || (words.size() == 1 && words[0].is_any({"nullptr", "NULL", "0"}))) return one_of_each;
        bool is_address = words[0].is("&");
        if (is_address) words = words.subspan(1);
        if (words.size() == 4 && words[1].is("[") && words[2].is("0")) words = words.subspan(0, 1), is_address = false;
        if (words.size() != 1 || !count) return {};
        const std::optional<object_state> array = values_.state_of(words[0].text, launch_.first);
        if (!array) return {};
        constexpr std::int64_t most = 16;
        if (*count > most || *count < 0) return {};
        source_extent cluster = one_of_each;
        for (std::int64_t i = 0; i < *count; ++i) {
            const std::string element = is_address ? "" : "[" + std::to_string(i) + "].";
            const auto id = values_.member_of(*array, element + "id", -1);
            if (!id || id->words.empty()) return {};
            if (!id->words.back().is_any(
                    {"cudaLaunchAttributeClusterDimension", "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"}))
                continue;
            cluster = values_.extent_member(*array, element + "val.clusterDim", -1, 1, instance_);
        }
        return cluster;
    }

    [[nodiscard]] source_extent extent(token_span words) const
    {
        return values_.extent(words, launch_.first, instance_);
    }
    [[nodiscard]] std::optional<std::int64_t> integer(token_span words) const
    {
        return values_.integer(words, launch_.first, instance_);
    }

    const source_launch& launch_;
    const source_values& values_;
    const template_values& instance_;
};

}  // namespace

launch_figures figures_of(const source_launch& launch, const source_values& values, const template_values& instance)
{
    return figures_reader(launch, values, instance).read();
}

}  // namespace launchbox
