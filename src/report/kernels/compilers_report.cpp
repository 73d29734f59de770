// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/compilers_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_listed_equal = 40;  // beyond this, only those that differ are listed

struct compared_kernel {
    const inspected_kernel* first = nullptr;    // from the first compiler that has it
    std::vector<const inspected_kernel*> made;  // by compiler; null if it did not compile it
    bool differs = false;
};

std::string figures_text(const kernel_info& info)
{
    std::string text = info.figures.registers ? std::to_string(*info.figures.registers) : "?";
    const auto spills = spill_bytes(info);
    if (!spills || *spills > 0) text += fmt::format(", {} spilled", spills ? with_commas(*spills) : "?");
    if (const auto shared = shared_spill_bytes(info).value_or(0); shared > 0)
        text += fmt::format(", {} spilled to shared memory", with_commas(shared));
    if (deepest_stack(info).value_or(0) > 0) text += fmt::format(", stack {}", with_commas(*deepest_stack(info)));
    return text;
}

bool same_figures(const kernel_info& a, const kernel_info& b)
{
    return a.figures.registers == b.figures.registers && a.figures.spill_store_bytes == b.figures.spill_store_bytes &&
           a.figures.spill_load_bytes == b.figures.spill_load_bytes && shared_spill_bytes(a) == shared_spill_bytes(b) &&
           a.figures.stack_frame_bytes == b.figures.stack_frame_bytes &&
           a.figures.static_shared_bytes == b.figures.static_shared_bytes && a.figures.barriers == b.figures.barriers;
}

// Copies with the same name are matched by size: the n-th largest of each compiler are compared.
std::vector<compared_kernel> compared(const std::vector<compiler_result>& results)
{
    // The short form, since names of unnamed namespaces differ between compilers.
    using kernel_key = std::pair<std::string_view, std::string_view>;
    std::vector<compared_kernel> kernels;
    std::map<std::pair<kernel_key, std::size_t>, std::size_t> place_of;
    for (std::size_t c = 0; c < results.size(); ++c) {
        std::map<kernel_key, std::vector<const inspected_kernel*>> copies;
        std::vector<kernel_key> order;
        for (const inspected_kernel& kernel : results[c].kernels) {
            auto& known = copies[{kernel.info.short_form, kernel.info.architecture}];
            if (known.empty()) order.emplace_back(kernel.info.short_form, kernel.info.architecture);
            known.push_back(&kernel);
        }
        for (const kernel_key& key : order) {
            std::vector<const inspected_kernel*>& same = copies[key];
            std::ranges::stable_sort(same, std::ranges::greater{}, [](const inspected_kernel* kernel) {
                const kernel_info& info = kernel->info;
                return std::tie(info.figures.registers, info.figures.spill_store_bytes, info.figures.spill_load_bytes,
                                info.figures.stack_frame_bytes, info.figures.static_shared_bytes, info.figures.barriers,
                                info.figures.code_bytes);
            });
            for (std::size_t i = 0; i < same.size(); ++i) {
                const auto [place, is_new] = place_of.try_emplace({key, i}, kernels.size());
                if (is_new) kernels.push_back({same[i], std::vector<const inspected_kernel*>(results.size()), false});
                kernels[place->second].made[c] = same[i];
            }
        }
    }
    for (compared_kernel& kernel : kernels)
        kernel.differs = std::ranges::any_of(kernel.made, [&](const inspected_kernel* made) {
            return made == nullptr || !same_figures(made->info, kernel.first->info);
        });
    std::stable_partition(kernels.begin(), kernels.end(), [](const compared_kernel& kernel) { return kernel.differs; });
    return kernels;
}

}  // namespace

std::string column_name(const compiler_result& result)
{
    std::string name = "CUDA " + escape_for_terminal(result.name);
    if (result.flags) name += " " + (result.flags->empty() ? "as it is" : escape_for_terminal(*result.flags));
    return name;
}

document compilers_document(const std::vector<compiler_result>& results)
{
    document page;
    const std::vector<compared_kernel> kernels = compared(results);
    table rows{{{"arch"}}, {}};
    for (const compiler_result& result : results) rows.columns.push_back({column_name(result)});
    rows.columns.push_back({"kernel"});
    std::size_t equal = 0;
    for (const compared_kernel& kernel : kernels) {
        if (!kernel.differs) {
            ++equal;
            if (kernels.size() > max_listed_equal) continue;
        }
        std::vector<cell> row{architecture_label(kernel.first->info)};
        for (const inspected_kernel* made : kernel.made)
            row.emplace_back(made == nullptr ? cell("not built", tone::bad) : cell(figures_text(made->info)));
        row.emplace_back(escape_for_terminal(kernel.first->info.short_form));
        rows.rows.push_back(std::move(row));
    }
    if (!rows.rows.empty()) {
        page.add(std::move(rows));
        page.line("  registers, bytes of spills (stored and loaded) and of stack, a thread", tone::faint);
    }
    if (equal > 0)
        page.line(fmt::format("  {} {} the same registers, spills, stack, shared memory and barriers with all of them",
                              counted(equal, "kernel", "kernels"), equal == 1 ? "has" : "have"));
    return page;
}

ordered_json compilers_json(const std::vector<compiler_result>& results)
{
    ordered_json json{{"schema", "launchbox.compilers/1"}};
    json["compilers"] = ordered_json::array();
    for (const compiler_result& result : results) {
        ordered_json compiler{{"version", json_text(result.name)}};
        if (result.flags) compiler["flags"] = json_text(*result.flags);
        compiler["errors"] = value_json(result.errors);
        json["compilers"].push_back(std::move(compiler));
    }
    json["kernels"] = ordered_json::array();
    for (const compared_kernel& kernel : compared(results)) {
        ordered_json one{{"name", json_text(kernel.first->info.name)},
                         {"short_name", json_text(kernel.first->info.short_form)},
                         {"architecture", json_text(kernel.first->info.architecture)},
                         {"differs", kernel.differs}};
        one["made"] = ordered_json::array();
        for (const inspected_kernel* made : kernel.made) {
            if (made == nullptr) {
                one["made"].push_back(nullptr);
                continue;
            }
            const kernel_info& info = made->info;
            one["made"].push_back({{"registers", or_null(info.figures.registers)},
                                   {"spill_store_bytes", or_null(info.figures.spill_store_bytes)},
                                   {"spill_load_bytes", or_null(info.figures.spill_load_bytes)},
                                   {"shared_spill_store_bytes", or_null(info.figures.shared_spill_store_bytes)},
                                   {"shared_spill_load_bytes", or_null(info.figures.shared_spill_load_bytes)},
                                   {"stack_frame_bytes", or_null(info.figures.stack_frame_bytes)},
                                   {"static_shared_bytes", or_null(info.figures.static_shared_bytes)},
                                   {"barriers", or_null(info.figures.barriers)},
                                   {"code_bytes", or_null(info.figures.code_bytes)}});
        }
        json["kernels"].push_back(std::move(one));
    }
    return json;
}

table compilers_table(const std::vector<compiler_result>& results)
{
    ordered_json rows = ordered_json::array();
    const ordered_json json = compilers_json(results);
    for (const ordered_json& kernel : json["kernels"])
        for (std::size_t c = 0; c < results.size(); ++c) {
            if (kernel["made"][c].is_null()) continue;
            rows.push_back(kernel["made"][c]);
            rows.back().update({{"kernel", kernel["name"]}, {"architecture", kernel["architecture"]}});
            rows.back()["compiler"] = json["compilers"][c];
        }
    return json_table({{"kernel"},
                       {"architecture"},
                       {"compiler", "/compiler/version"},
                       {"flags", "/compiler/flags"},
                       {"registers"},
                       {"spill_store_bytes"},
                       {"spill_load_bytes"},
                       {"stack_frame_bytes"},
                       {"code_bytes"},
                       {"shared_spill_store_bytes"},
                       {"shared_spill_load_bytes"}},
                      rows);
}

}  // namespace launchbox
