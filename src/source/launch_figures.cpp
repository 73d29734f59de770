// The size of a launch: the values of its expressions and configurations.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "source/source_launches.hpp"

namespace launchbox {

namespace {

constexpr source_extent one_of_each{1, 1, 1};

// Names of the members of a configuration, and their positions in an initialiser list.
struct config_members {
    std::string grid, block, shared;
    int grid_at = 0, block_at = 1, shared_at = 2;
};
const config_members& members_of(launch_form form)
{
    static const config_members of_runtime{"gridDim", "blockDim", "dynamicSmemBytes"};
    static const config_members of_node{"gridDim", "blockDim", "sharedMemBytes", 1, 2, 3};
    static const config_members of_launchbox{"grid", "threads", "dynamic_shared_bytes"};
    return form == launch_form::runtime_config ? of_runtime : form == launch_form::graph_node ? of_node : of_launchbox;
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
        launch_figures figures = with_config                                ? of_config()
                                 : launch_.form == launch_form::graph_node  ? of_node()
                                 : launch_.form == launch_form::driver_call ? of_numbers()
                                                                            : of_arguments();
        figures.raises_limits = launch_.form == launch_form::launchbox_config;
        return figures;
    }

    // Tries several values for each variable in turn that the block size depends on.
    [[nodiscard]] std::optional<shared_by_threads> read_by_threads()
    {
        std::vector<source_declaration> variables;
        add_variables(launch_.arguments.size() > 1 ? launch_.arguments[1] : launch_.config, launch_.first, 4,
                      variables);
        for (const source_declaration& one : variables)
            if (const auto found = taking(one)) return found;
        return std::nullopt;
    }

private:
    void add_variables(token_span words, std::size_t at, int depth, std::vector<source_declaration>& all) const
    {
        constexpr std::size_t most = 8;
        for (const source_token& word : words) {
            if (word.kind != source_token_kind::identifier || all.size() >= most) continue;
            const auto found = values_.names().find(word.text, at);
            const bool new_one = found && found->name != 0 && found->kind != declared_as::unknown &&
                                 std::ranges::none_of(all, [&](const auto& other) { return same(other, *found); });
            if (!new_one) continue;
            all.push_back(*found);
            const auto object = depth > 0 ? values_.state_of(word.text, at) : std::nullopt;
            if (!object) continue;
            add_variables(object->declared.value, object->declared.name, depth - 1, all);
            for (const auto& one : object->assigned) add_variables(one.value, one.at, depth - 1, all);
        }
    }

    [[nodiscard]] std::optional<shared_by_threads> taking(const source_declaration& variable) const
    {
        const auto figures_for = [&](std::int64_t value) {
            template_values instance = instance_;
            instance[assumed_name(variable)] = std::to_string(value);
            return figures_reader(launch_, values_, instance).read();
        };
        const std::optional<std::int64_t> least = volume_of(figures_for(1).block);
        if (!least || *least < 1) return std::nullopt;
        std::optional<shared_by_threads> fitted;
        std::optional<std::int64_t> first;
        int first_threads = 0;
        for (const int threads : {32, 64, 96, 128, 256, 512, 1024}) {
            if (threads % *least != 0) continue;
            const launch_figures figures = figures_for(threads / *least);
            if (volume_of(figures.block) != threads || !figures.dynamic_shared_bytes) return std::nullopt;
            const std::int64_t bytes = *figures.dynamic_shared_bytes;
            if (!first) {
                first = bytes;
                fitted = shared_by_threads{bytes, 0};
                first_threads = threads;
            } else if (threads == 2 * first_threads) {
                const std::int64_t per_warp = (bytes - *first) * 32 / first_threads;
                fitted = shared_by_threads{2 * *first - bytes, per_warp};
            }
            if (fitted->of(threads) != bytes) return std::nullopt;  // not linear
        }
        return fitted;
    }

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
        // launch_config has default values, except for threads.
        const std::optional<std::int64_t> missing = 1;
        figures.grid = values_.extent_member(*config, own.grid, own.grid_at, missing, instance_);
        figures.block = values_.extent_member(*config, own.block, own.block_at,
                                              of_runtime ? missing : std::optional<std::int64_t>(0), instance_);
        figures.dynamic_shared_bytes = member(*config, own.shared, own.shared_at, !of_runtime);
        figures.cluster = of_runtime ? cluster_of_attributes(*config)
                                     : values_.extent_member(*config, "cluster", 4, missing, instance_);
        return figures;
    }

    [[nodiscard]] launch_figures of_numbers() const
    {
        launch_figures figures{
            .grid = {}, .block = {}, .dynamic_shared_bytes = integer(launch_.arguments[6]), .cluster = one_of_each};
        for (std::size_t i = 0; i < 3; ++i) {
            figures.grid[i] = integer(launch_.arguments[i]);
            figures.block[i] = integer(launch_.arguments[3 + i]);
        }
        return figures;
    }

    [[nodiscard]] launch_figures of_node() const
    {
        launch_figures figures{.grid = {}, .block = {}, .dynamic_shared_bytes = {}, .cluster = one_of_each};
        const std::optional<object_state> config = config_object();
        if (!config) return figures;
        const config_members& own = members_of(launch_.form);
        const std::string part(launch_.part);
        const auto position = [&](int number) { return part.empty() ? number : -1; };
        // Parameters may also be those of a node that is no kernel.
        const auto kernel = values_.member_of(*config, part + "func", position(0));
        if (!kernel || kernel->words.empty()) return figures;
        figures.grid = values_.extent_member(*config, part + own.grid, position(own.grid_at), 1, instance_);
        figures.block = values_.extent_member(*config, part + own.block, position(own.block_at), 1, instance_);
        figures.dynamic_shared_bytes = member(*config, part + own.shared, position(own.shared_at), false);
        return figures;
    }

    // `config`, `&config`, or braces in the launch itself.
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

    // config.attrs names an array, an element of which may set the cluster size.
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
    figures_reader reader(launch, values, instance);
    launch_figures figures = reader.read();
    if (!figures.dynamic_shared_bytes && !volume_of(figures.block))
        figures.dynamic_shared_by_threads = reader.read_by_threads();
    return figures;
}

}  // namespace launchbox
