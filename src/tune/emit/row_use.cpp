// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/row_use.hpp"

#include <launchbox/detail/launch_box/row_origin.hpp>

#include <cstdint>
#include <span>

#include "tune/emit/predicted_rows.hpp"

namespace launchbox {

namespace {

// A table in the form of launch_box.
struct rows_of_table {
    explicit rows_of_table(const header_table& table)
    {
        for (const header_row& row : table.rows) {
            architectures.push_back(row.architecture);
            gpus.emplace_back(row.gpus);
        }
        for (const header_gpu& gpu : table.measured)
            measured.push_back({gpu.name.c_str(), gpu.architecture, static_cast<int>(gpu.sms), gpu.memory_bytes,
                                gpu.l2_bytes, gpu.memory_gb_per_second});
    }
    [[nodiscard]] detail::row_places places() const { return {architectures, gpus}; }

    std::vector<compute_capability> architectures;
    std::vector<std::span<const gpu_range>> gpus;
    std::vector<measured_gpu> measured;
};

}  // namespace

detail::gpu_properties properties_of(const environment_info& where, const std::vector<device_record>& devices)
{
    detail::gpu_properties properties{.sms = where.sms, .memory_bytes = where.memory_bytes};
    for (const device_record& device : devices) {
        if (!device.hardware) continue;
        if (device.hardware->l2_bytes) properties.l2_bytes = *device.hardware->l2_bytes;
        if (const auto rate = memory_gb_per_second(*device.hardware))
            properties.memory_gb_per_second = static_cast<std::int64_t>(*rate);
    }
    return properties;
}

std::optional<std::size_t> place_of_row(const header_table& table, const compute_capability& code,
                                        const std::optional<detail::gpu_properties>& gpu)
{
    const rows_of_table rows(table);
    const std::size_t variant = gpu ? detail::select_variant(rows.places(), code, *gpu) : 0;
    const int place = detail::select_row(rows.places(), code, variant);
    return place < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(place));
}

std::string origin_of_row(const header_table& table, std::size_t place, const compute_capability& code,
                          const std::optional<detail::gpu_properties>& gpu)
{
    const header_row& row = table.rows[place];
    std::string of = "the row of " + place_text(row);
    if (is_predicted(row)) return of + ", predicted, not measured";
    if (is_unmeasured(row)) return of + ", baseline, not measured";
    const rows_of_table rows(table);
    if (rows.measured.empty()) return of;  // a header of an earlier version
    // A GPU has at least one SM: 0 SMs means that nothing was measured here.
    std::string measured = detail::measured_text(rows.measured, rows.places(), static_cast<int>(place), code,
                                                 gpu.value_or(detail::gpu_properties{}));
    constexpr std::string_view inherited = ", inherited";
    if (!gpu && row.architecture == code && measured.ends_with(inherited))
        measured.resize(measured.size() - inherited.size());
    return of + ", " + measured;
}

}  // namespace launchbox
