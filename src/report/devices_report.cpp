// SPDX-License-Identifier: Apache-2.0
#include "report/devices_report.hpp"

#include <fmt/format.h>
#include <launchbox/sm_limits.hpp>

#include "report/json.hpp"

namespace launchbox {

namespace {

std::string kib_text(int bytes)
{
    return fmt::format("{}", bytes / 1024);
}

std::string dimensions_text(const std::array<int, 3>& sizes)
{
    return fmt::format("{} × {} × {}", with_commas(sizes[0]), with_commas(sizes[1]), with_commas(sizes[2]));
}

// Narrow enough for 80 columns; the full table is in JSON and CSV.
table limits_for_people()
{
    table rows{{{"arch"},
                {"threads", true},
                {"blocks", true},
                {"regs/SM", true},
                {"per block", true},
                {"per thread", true},
                {"shared/SM KB", true},
                {"per block KB", true}},
               {}};
    for (const sm_limits& row : sm_limits_table) {
        std::string per_block = kib_text(row.shared_per_block);
        if (row.shared_per_block_opt_in > row.shared_per_block)
            per_block += "/" + kib_text(row.shared_per_block_opt_in);
        rows.rows.push_back({std::string(architecture_name(row.capability).view()), std::to_string(row.threads_per_sm),
                             std::to_string(row.blocks_per_sm), with_commas(row.registers_per_sm),
                             with_commas(row.registers_per_block), std::to_string(row.registers_per_thread),
                             kib_text(row.shared_per_sm), per_block});
    }
    return rows;
}

}  // namespace

std::vector<std::string> differences_from_table(const gpu_device& gpu)
{
    const sm_limits* row = find_sm_limits(gpu.capability);
    if (row == nullptr) return {};
    std::vector<std::string> found;
    const auto compare = [&](const char* what, int reported, int known) {
        if (reported != known)
            found.push_back(fmt::format("GPU {} reports {} {}; the table of compute capability {} has {}", gpu.index,
                                        with_commas(reported), what, compute_capability_name(gpu.capability).view(),
                                        with_commas(known)));
    };
    compare("threads per SM", gpu.threads_per_sm, row->threads_per_sm);
    compare("blocks per SM", gpu.blocks_per_sm, row->blocks_per_sm);
    compare("registers per SM", gpu.registers_per_sm, row->registers_per_sm);
    compare("registers per block", gpu.registers_per_block, row->registers_per_block);
    compare("B of shared memory per SM", gpu.shared_per_sm, row->shared_per_sm);
    compare("B of shared memory per block", gpu.shared_per_block, row->shared_per_block);
    compare("B of shared memory per block after opting in", gpu.shared_per_block_opt_in, row->shared_per_block_opt_in);
    compare("B reserved per block", gpu.reserved_shared_per_block, row->reserved_shared_per_block);
    compare("threads per block", gpu.threads_per_block, max_threads_per_block);
    const std::array<int, 3> grid = max_grid_dimensions(gpu.capability);
    for (std::size_t i = 0; i < 3; ++i) {
        const std::string in = std::string(" in ") + "xyz"[i];
        compare(("threads per block" + in).c_str(), gpu.block_dimensions[i], max_block_dimensions[i]);
        compare(("blocks per grid" + in).c_str(), gpu.grid_dimensions[i], grid[i]);
    }
    return found;
}

table gpu_rows(const gpu_list& gpus)
{
    table rows{{{"gpu", true}, {"name"}, {"architecture"}, {"SMs", true}, {"memory GB", true}, {"known"}}, {}};
    for (const gpu_device& gpu : gpus.devices)
        rows.rows.push_back({std::to_string(gpu.index), escape_for_terminal(gpu.name),
                             std::string(architecture_name(gpu.capability).view()), std::to_string(gpu.sms),
                             fmt::format("{:.1f}", static_cast<double>(gpu.memory_bytes) / 1e9),
                             find_sm_limits(gpu.capability) != nullptr ? "yes" : "no: launchbox has no limits for it"});
    return rows;
}

table limits_rows()
{
    table rows;
    for (const char* title : {"compute_capability",
                              "architecture",
                              "threads_per_sm",
                              "blocks_per_sm",
                              "registers_per_sm",
                              "registers_per_block",
                              "registers_per_thread",
                              "register_unit",
                              "sub_partitions",
                              "shared_per_sm",
                              "shared_per_block",
                              "shared_per_block_opt_in",
                              "reserved_shared_per_block",
                              "shared_unit",
                              "barriers_per_sm",
                              "portable_cluster",
                              "non_portable_cluster",
                              "shared_configurations",
                              "threads_per_block",
                              "block_dimensions",
                              "grid_dimensions"})
        rows.columns.push_back({title});
    for (const sm_limits& row : sm_limits_table) {
        std::string sizes;
        for (int size : row.shared_sizes.sizes()) sizes += (sizes.empty() ? "" : " ") + std::to_string(size);
        std::vector<cell> cells{std::string(compute_capability_name(row.capability).view()),
                                std::string(architecture_name(row.capability).view())};
        for (int value :
             {row.threads_per_sm, row.blocks_per_sm, row.registers_per_sm, row.registers_per_block,
              row.registers_per_thread, row.register_unit, row.sub_partitions, row.shared_per_sm, row.shared_per_block,
              row.shared_per_block_opt_in, row.reserved_shared_per_block, row.shared_unit})
            cells.emplace_back(std::to_string(value));
        for (const std::optional<int>& value : {row.barriers_per_sm, row.portable_cluster, row.non_portable_cluster})
            cells.emplace_back(value ? std::to_string(*value) : "unknown");
        cells.emplace_back(sizes);
        cells.emplace_back(std::to_string(max_threads_per_block));
        cells.emplace_back(fmt::format("{}", fmt::join(max_block_dimensions, " ")));
        cells.emplace_back(fmt::format("{}", fmt::join(max_grid_dimensions(row.capability), " ")));
        rows.rows.push_back(std::move(cells));
    }
    return rows;
}

document devices_document(const gpu_list& gpus, bool with_limits)
{
    document page;
    page.heading("GPUs of this machine");
    if (gpus.devices.empty())
        page.line("  none: " + gpus.reason);
    else
        page.add(gpu_rows(gpus));
    if (!gpus.driver_version.empty()) page.line("  the driver supports CUDA " + gpus.driver_version);
    for (const gpu_device& gpu : gpus.devices)
        for (const std::string& difference : differences_from_table(gpu))
            page.line("  note: " + difference, tone::warning);
    if (!with_limits) return page;
    page.heading("Compute capabilities known (limits of one SM)");
    page.add(limits_for_people());
    page.line("");
    page.line(
        fmt::format("  A block has at most {} threads, {} in x, y, z. A grid has at most {} blocks in x, y, z; "
                    "on 2.x {}.",
                    with_commas(max_threads_per_block), dimensions_text(max_block_dimensions),
                    dimensions_text(max_grid_dimensions({9, 0})), dimensions_text(max_grid_dimensions({2, 0}))));
    page.line("");
    page.line("  Clusters, barriers, units and configurations: --format json or csv. Sources: docs/limits.md",
              tone::faint);
    return page;
}

nlohmann::ordered_json devices_json(const gpu_list& gpus, bool with_limits)
{
    using nlohmann::ordered_json;
    ordered_json json;
    json["schema"] = "launchbox.devices/1";
    json["driver_version"] = gpus.driver_version.empty() ? ordered_json(nullptr) : ordered_json(gpus.driver_version);
    json["reason"] = gpus.reason.empty() ? ordered_json(nullptr) : ordered_json(gpus.reason);
    json["gpus"] = ordered_json::array();
    for (const gpu_device& gpu : gpus.devices)
        json["gpus"].push_back({{"index", gpu.index},
                                {"name", json_text(gpu.name)},
                                {"architecture", architecture_name(gpu.capability).view()},
                                {"sms", gpu.sms},
                                {"memory_bytes", gpu.memory_bytes},
                                {"threads_per_sm", gpu.threads_per_sm},
                                {"blocks_per_sm", gpu.blocks_per_sm},
                                {"registers_per_sm", gpu.registers_per_sm},
                                {"registers_per_block", gpu.registers_per_block},
                                {"shared_per_sm", gpu.shared_per_sm},
                                {"shared_per_block", gpu.shared_per_block},
                                {"shared_per_block_opt_in", gpu.shared_per_block_opt_in},
                                {"reserved_shared_per_block", gpu.reserved_shared_per_block},
                                {"threads_per_block", gpu.threads_per_block},
                                {"block_dimensions", gpu.block_dimensions},
                                {"grid_dimensions", gpu.grid_dimensions},
                                {"differences_from_table", differences_from_table(gpu)}});
    if (!with_limits) return json;
    json["compute_capabilities"] = ordered_json::array();
    for (const sm_limits& row : sm_limits_table)
        json["compute_capabilities"].push_back(
            {{"compute_capability", compute_capability_name(row.capability).view()},
             {"architecture", architecture_name(row.capability).view()},
             {"threads_per_sm", row.threads_per_sm},
             {"blocks_per_sm", row.blocks_per_sm},
             {"registers_per_sm", row.registers_per_sm},
             {"registers_per_block", row.registers_per_block},
             {"registers_per_thread", row.registers_per_thread},
             {"register_unit", row.register_unit},
             {"sub_partitions", row.sub_partitions},
             {"shared_per_sm", row.shared_per_sm},
             {"shared_per_block", row.shared_per_block},
             {"shared_per_block_opt_in", row.shared_per_block_opt_in},
             {"reserved_shared_per_block", row.reserved_shared_per_block},
             {"shared_unit", row.shared_unit},
             {"shared_configurations",
              std::vector<int>(row.shared_sizes.sizes().begin(), row.shared_sizes.sizes().end())},
             {"barriers_per_sm", or_null(row.barriers_per_sm)},
             {"portable_cluster", or_null(row.portable_cluster)},
             {"non_portable_cluster", or_null(row.non_portable_cluster)},
             {"threads_per_block", max_threads_per_block},
             {"block_dimensions", max_block_dimensions},
             {"grid_dimensions", max_grid_dimensions(row.capability)}});
    return json;
}

}  // namespace launchbox
