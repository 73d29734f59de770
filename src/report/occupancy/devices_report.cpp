// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/devices_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/model/gpu_models.hpp"
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "support/text/counted.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

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
        rows.rows.push_back({std::string(architecture_name(row.capability).view()), with_commas(row.threads_per_sm),
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

namespace {

std::string known_text(const gpu_device& gpu)
{
    return find_sm_limits(gpu.capability) != nullptr ? "yes" : "no: launchbox does not know its limits";
}

std::string gigabytes(std::int64_t bytes)
{
    return fmt::format("{:.1f}", static_cast<double>(bytes) / 1e9);
}

table gpus_for_people(const gpu_list& gpus)
{
    table rows{{{"gpu", true}, {"name"}, {"architecture"}, {"SMs", true}, {"memory GB", true}, {"known"}}, {}};
    for (const gpu_device& gpu : gpus.devices)
        rows.rows.push_back({std::to_string(gpu.index), escape_for_terminal(gpu.name),
                             std::string(architecture_name(gpu.capability).view()), std::to_string(gpu.sms),
                             gigabytes(gpu.memory_bytes), known_text(gpu)});
    return rows;
}

// "GPU 0: 1,980 MHz; memory 3,201 MHz × 6,144 bits = 4,917 GB/s, ECC on, 139.2 GB free; L2 60 MB; PCI 0000:19:00.0".
std::string hardware_text(const gpu_device& gpu)
{
    const gpu_hardware& of = gpu.hardware;
    const auto figure = [](const std::optional<std::int64_t>& value, const char* unit) {
        return (value ? with_commas(*value) : "?") + unit;
    };
    const std::optional<double> rate = memory_gb_per_second(of);
    return fmt::format("  GPU {}: {}; memory {} × {} = {} GB/s, ECC {}, {} GB free; L2 {} MB; PCI {}", gpu.index,
                       figure(of.sm_clock_mhz, " MHz"), figure(of.memory_clock_mhz, " MHz"),
                       figure(of.memory_bus_bits, " bits"), rate ? with_commas(std::llround(*rate)) : "?",
                       gpu.ecc != 0 ? "on" : "off", of.free_memory_bytes ? gigabytes(*of.free_memory_bytes) : "?",
                       of.l2_bytes ? fmt::format("{:.1f}", static_cast<double>(*of.l2_bytes) / (1 << 20)) : "?",
                       of.pci_bus.empty() ? "?" : escape_for_terminal(of.pci_bus));
}

std::vector<const sm_limits*> limits_in(const devices_view& view)
{
    std::vector<const sm_limits*> all;
    if (view.chips.empty())
        for (const sm_limits& row : sm_limits_table) all.push_back(&row);
    for (const requested_chip& chip : view.chips)
        if (std::ranges::find(all, chip.limits) == all.end()) all.push_back(chip.limits);
    return all;
}

std::vector<const gpu_model*> models_of(const sm_limits& limits)
{
    std::vector<const gpu_model*> models;
    for (const gpu_model& model : gpu_models())
        if (model.capability.number() == limits.capability.number()) models.push_back(&model);
    return models;
}

ordered_json gpus_json(const gpu_list& gpus)
{
    ordered_json json = ordered_json::array();
    for (const gpu_device& gpu : gpus.devices) {
        ordered_json one{{"index", gpu.index},
                         {"name", json_text(gpu.name)},
                         {"architecture", architecture_name(gpu.capability).view()}};
        add_members(one, gpu, gpu_figures(gpu));
        one["differences_from_table"] = differences_from_table(gpu);
        one["ecc"] = gpu.ecc != 0;
        one["hardware"] = json_of(gpu.hardware);
        json.push_back(std::move(one));
    }
    return json;
}

ordered_json limits_json(const devices_view& view)
{
    ordered_json json = ordered_json::array();
    for (const sm_limits* limits : limits_in(view)) {
        const sm_limits& row = *limits;
        json.push_back({{"compute_capability", compute_capability_name(row.capability).view()},
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
        ordered_json& models = json.back()["gpus"] = ordered_json::array();
        for (const gpu_model* model : models_of(row))
            models.push_back({{"name", name_of(*model)}, {"sms", model->sms}});
    }
    return json;
}

}  // namespace

table gpu_rows(const gpu_list& gpus)
{
    ordered_json rows = gpus_json(gpus);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i]["ecc"] = gpus.devices[i].ecc != 0 ? "yes" : "no";
        rows[i]["known"] = known_text(gpus.devices[i]);
    }
    return json_table({{"gpu", "/index"},
                       {"name"},
                       {"architecture"},
                       {"sms"},
                       {"memory_bytes"},
                       {"sm_clock_mhz", "/hardware/sm_clock_mhz"},
                       {"memory_clock_mhz", "/hardware/memory_clock_mhz"},
                       {"memory_bus_bits", "/hardware/memory_bus_bits"},
                       {"l2_bytes", "/hardware/l2_bytes"},
                       {"free_memory_bytes", "/hardware/free_memory_bytes"},
                       {"memory_gb_per_second", "/hardware/memory_gb_per_second"},
                       {"ecc"},
                       {"pci_bus", "/hardware/pci_bus"},
                       {"known"}},
                      rows, "unknown");
}

table limits_rows(const devices_view& view)
{
    return json_table({{"compute_capability"},
                       {"architecture"},
                       {"threads_per_sm"},
                       {"blocks_per_sm"},
                       {"registers_per_sm"},
                       {"registers_per_block"},
                       {"registers_per_thread"},
                       {"register_unit"},
                       {"sub_partitions"},
                       {"shared_per_sm"},
                       {"shared_per_block"},
                       {"shared_per_block_opt_in"},
                       {"reserved_shared_per_block"},
                       {"shared_unit"},
                       {"barriers_per_sm"},
                       {"portable_cluster"},
                       {"non_portable_cluster"},
                       {"shared_configurations"},
                       {"threads_per_block"},
                       {"block_dimensions"},
                       {"grid_dimensions"}},
                      limits_json(view), "unknown");
}

namespace {

// One chip with everything known about it.
void add_chip(document& page, const requested_chip& chip)
{
    const sm_limits& of = *chip.limits;
    const std::string name(compute_capability_name(of.capability).view());
    std::string heading = fmt::format("{} (compute capability {})", architecture_name(of.capability).view(), name);
    if (!chip.gpu.empty()) heading = escape_for_terminal(chip.gpu) + ", " + heading;
    if (chip.sms) heading += ": " + counted(*chip.sms, "SM", "SMs");
    page.heading(heading);
    table rows{{{"of one SM"}, {"", true}, {""}}, {}};
    const auto add = [&](const char* what, const std::string& value, const std::string& more = "") {
        rows.rows.push_back({std::string(what), value, more});
    };
    add("threads", with_commas(of.threads_per_sm), counted(of.warps_per_sm(), "warp", "warps") + " of 32");
    add("blocks", with_commas(of.blocks_per_sm));
    add("threads of a block", with_commas(max_threads_per_block),
        dimensions_text(max_block_dimensions) + " in x, y, z");
    add("registers", with_commas(of.registers_per_sm),
        "in " + counted(of.sub_partitions, "sub-partition", "sub-partitions"));
    add("registers of a block", with_commas(of.registers_per_block));
    add("registers of a thread", with_commas(of.registers_per_thread));
    add("register unit", with_commas(of.register_unit), "a warp's registers are a multiple of it");
    add("shared memory", with_commas(of.shared_per_sm) + " B");
    add("shared memory of a block", with_commas(of.shared_per_block) + " B",
        of.shared_per_block_opt_in > of.shared_per_block
            ? with_commas(of.shared_per_block_opt_in) + " B with cudaFuncAttributeMaxDynamicSharedMemorySize"
            : "");
    add("shared memory unit", with_commas(of.shared_unit) + " B", "a block's shared memory is a multiple of it");
    add("reserved for a block", with_commas(of.reserved_shared_per_block) + " B");
    std::string sizes;
    for (const int size : of.shared_sizes.sizes()) sizes += (sizes.empty() ? "" : ", ") + kib_text(size);
    add("configurations", fmt::format("{}", of.shared_sizes.sizes().size()),
        of.shared_sizes.sizes().size() > 1 ? sizes + " KB as shared memory" : "fixed");
    add("barriers", of.barriers_per_sm ? with_commas(*of.barriers_per_sm) : "–",
        of.barriers_per_sm ? "" : "not counted before 9.0");
    if (of.portable_cluster == 0)
        add("blocks of a cluster", "–", "no clusters");
    else
        add("blocks of a cluster", of.portable_cluster ? with_commas(*of.portable_cluster) : "?",
            of.non_portable_cluster
                ? fmt::format("{} with cudaFuncAttributeNonPortableClusterSizeAllowed",
                              with_commas(*of.non_portable_cluster))
                : "the maximum with cudaFuncAttributeNonPortableClusterSizeAllowed is not published");
    add("blocks of a grid", with_commas(max_grid_dimensions(of.capability)[0]),
        dimensions_text(max_grid_dimensions(of.capability)) + " in x, y, z");
    page.add(std::move(rows));
    std::string models;
    for (const gpu_model* model : models_of(of))
        models += fmt::format("{}{} ({})", models.empty() ? "" : ", ", name_of(*model), model->sms);
    if (models.empty() || !chip.gpu.empty()) return;
    page.line("");
    page.line("  GPUs (SMs): " + models, tone::faint);
}

void add_gpus(document& page, const gpu_list& gpus)
{
    page.heading("GPUs of this machine");
    if (gpus.devices.empty())
        page.line("  none: " + gpus.reason);
    else
        page.add(gpus_for_people(gpus));
    for (const gpu_device& gpu : gpus.devices) page.line(hardware_text(gpu));
    if (!gpus.driver_version.empty()) page.line("  the driver supports CUDA " + gpus.driver_version);
    for (const gpu_device& gpu : gpus.devices)
        for (const std::string& difference : differences_from_table(gpu))
            page.line("  note: " + difference, tone::warning);
}

}  // namespace

document devices_document(const gpu_list& gpus, const devices_view& view)
{
    document page;
    for (const requested_chip& chip : view.chips) add_chip(page, chip);
    if (!view.chips.empty()) {
        page.line("");
        page.line("  Sources: docs/limits.md, docs/gpus.md", tone::faint);
        return page;
    }
    add_gpus(page, gpus);
    if (!view.limits) return page;
    page.heading("Compute capabilities known (limits of one SM)");
    page.add(limits_for_people());
    page.line("");
    page.line(
        fmt::format("  A block has at most {} threads, {} in x, y, z. A grid has at most {} blocks in x, y, z; "
                    "on 2.x {}.",
                    with_commas(max_threads_per_block), dimensions_text(max_block_dimensions),
                    dimensions_text(max_grid_dimensions({9, 0})), dimensions_text(max_grid_dimensions({2, 0}))));
    page.line("");
    page.line(
        "  Clusters, barriers, units and configurations: --arch sm_90, or --format json or csv. Sources: "
        "docs/limits.md",
        tone::faint);
    return page;
}

nlohmann::ordered_json devices_json(const gpu_list& gpus, const devices_view& view)
{
    ordered_json json;
    json["schema"] = "launchbox.devices/1";
    json["driver_version"] = text_or_null(gpus.driver_version);
    json["reason"] = text_or_null(gpus.reason);
    json["gpus"] = gpus_json(gpus);
    if (!view.limits) return json;
    json["compute_capabilities"] = limits_json(view);
    return json;
}

}  // namespace launchbox
