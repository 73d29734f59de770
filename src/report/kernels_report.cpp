#include "report/kernels_report.hpp"

#include <fmt/format.h>
#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <map>

#include "advice/kernel_question.hpp"
#include "report/json.hpp"
#include "report/occupancy_report.hpp"

namespace launchbox {

namespace {

// "?" in narrow tables, where "unknown" would not fit; the legend below says so.
template <class Value>
std::string known_short(const std::optional<Value>& value)
{
    return value ? with_commas(*value) : "?";
}

std::string bounds_of(const kernel_info& info)
{
    const auto dimensions = [](const std::array<int, 3>& d) {
        if (d[1] == 1 && d[2] == 1) return std::to_string(d[0]);
        return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
    };
    std::string text;
    if (info.required_threads)
        text = "exactly " + dimensions(*info.required_threads);
    else if (info.max_threads)
        text = dimensions(*info.max_threads);
    if (info.min_blocks.value_or(0) > 0) text += fmt::format(",{}", *info.min_blocks);
    if (info.requested_max_registers)
        text += fmt::format("{}maxnreg {}", text.empty() ? "" : " ", *info.requested_max_registers);
    if (info.cluster) text += fmt::format("{}cluster {}", text.empty() ? "" : " ", dimensions(*info.cluster));
    return text.empty() ? "–" : text;
}

std::string toolkit_name(int version)
{
    return fmt::format("{}.{}", version / 10, version % 10);
}

std::string spills_of(const kernel_info& info)
{
    if (!info.spill_store_bytes && !info.spill_load_bytes) return "?";
    return known_short(info.spill_store_bytes) + "/" + known_short(info.spill_load_bytes);
}

std::string constants_of(const kernel_info& info)
{
    if (info.constant_banks.empty()) return "?";
    std::int64_t sum = 0;
    for (const constant_bank& bank : info.constant_banks) sum += bank.bytes;
    return with_commas(sum);
}

tone tone_of(severity level)
{
    return level == severity::problem ? tone::bad : level == severity::warning ? tone::warning : tone::plain;
}

const char* severity_name(severity level)
{
    return level == severity::problem ? "problem" : level == severity::warning ? "warning" : "note";
}

std::vector<cell> row_of(const inspected_kernel& kernel)
{
    const kernel_info& info = kernel.info;
    const bool spills = info.spill_store_bytes.value_or(0) + info.spill_load_bytes.value_or(0) > 0;
    std::string architecture = info.architecture.empty() ? "?" : escape_for_terminal(info.architecture);
    if (info.linked) architecture += " linked";
    if (info.relocatable) architecture += " -rdc";
    std::vector<cell> row{architecture,
                          known_short(info.registers),
                          {spills_of(info), spills ? tone::bad : tone::plain},
                          known_short(info.stack_frame_bytes),
                          known_short(info.static_shared_bytes),
                          constants_of(info),
                          known_short(info.barriers),
                          bounds_of(info)};
    if (!kernel.account) {
        row.emplace_back("?");
        row.emplace_back("?");
        const std::optional<compute_capability> known = parse_compute_capability(info.architecture);
        row.emplace_back(!info.registers                              ? "the report of this kernel is incomplete"
                         : known && find_sm_limits(*known) != nullptr ? "give --threads"
                                                                      : "no limits known for this architecture");
        return row;
    }
    const occupancy_result& result = kernel.account->result;
    row.emplace_back(fmt::format("{}x{}", result.resident_blocks, kernel.account->question.shape.threads));
    row.emplace_back(percent(result.occupancy()));
    if (!kernel.account->obstacle.empty()) {
        row.emplace_back("cannot launch: " + kernel.account->obstacle, tone::bad);
        return row;
    }
    std::string last = limiter_names(result);
    if (kernel.account->next) last += "; " + kernel.account->next->text;
    row.emplace_back(last);
    return row;
}

}  // namespace

document kernels_document(const inspection& found)
{
    document page;
    bool unknown = false;
    // Grouped by kernel and input, architectures side by side, in the order in which they were found.
    std::vector<std::vector<const inspected_kernel*>> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> group_of;
    for (const inspected_kernel& kernel : found.kernels) {
        const auto [place, is_new] = group_of.try_emplace({kernel.info.source.file, kernel.info.name}, groups.size());
        if (is_new) groups.emplace_back();
        groups[place->second].push_back(&kernel);
    }
    for (const auto& group : groups) {
        const inspected_kernel& first = *group.front();
        std::string title = escape_for_terminal(first.short_form);
        if (found.inputs.size() > 1) title += "  (" + escape_for_terminal(first.info.source.file) + ")";
        page.heading(title);
        table rows{{{"arch"},
                    {"regs", true},
                    {"spills", true},
                    {"stack", true},
                    {"shared", true},
                    {"const", true},
                    {"bar", true},
                    {"bounds"},
                    {"resident", true},
                    {"occ.", true},
                    {"limited by; next step"}},
                   {}};
        for (const inspected_kernel* kernel : group) rows.rows.push_back(row_of(*kernel));
        for (const auto& row : rows.rows)
            for (const cell& each : row) unknown |= each.text == "?";
        page.add(std::move(rows));

        // The same finding for several architectures is one line.
        std::vector<std::pair<const diagnosis*, std::string>> findings;
        for (const inspected_kernel* kernel : group)
            for (const diagnosis& each : kernel->diagnoses) {
                const auto same = std::find_if(findings.begin(), findings.end(), [&](const auto& other) {
                    return other.first->message == each.message && other.first->fix == each.fix;
                });
                if (same == findings.end())
                    findings.emplace_back(&each, kernel->info.architecture);
                else
                    same->second += ", " + kernel->info.architecture;
            }
        for (const auto& [each, architectures] : findings) {
            page.line(fmt::format("  {} ({}): {}", each->id, architectures, escape_for_terminal(each->message)),
                      tone_of(each->level));
            page.line("    → " + each->fix);
        }
    }
    if (unknown) {
        page.line("");
        page.line("  ?: the input does not tell", tone::faint);
    }
    return page;
}

nlohmann::ordered_json kernels_json(const inspection& found)
{
    using nlohmann::ordered_json;
    const auto or_null = [](const auto& value) { return value ? ordered_json(*value) : ordered_json(nullptr); };
    ordered_json json;
    json["schema"] = "launchbox.kernels/1";
    json["inputs"] = ordered_json::array();
    for (const inspected_input& input : found.inputs) {
        ordered_json errors = ordered_json::array();
        for (const std::string& each : input.errors) errors.push_back(json_text(each));
        json["inputs"].push_back({{"file", json_text(input.file)},
                                  {"kind", input.kind},
                                  {"kernels", input.kernels},
                                  {"errors", std::move(errors)}});
    }
    json["kernels"] = ordered_json::array();
    for (const inspected_kernel& kernel : found.kernels) {
        const kernel_info& info = kernel.info;
        ordered_json each;
        each["name"] = json_text(info.name);
        each["demangled"] = json_text(kernel.demangled);
        each["short_name"] = json_text(kernel.short_form);
        each["architecture"] =
            info.architecture.empty() ? ordered_json(nullptr) : ordered_json(json_text(info.architecture));
        each["source"] = {
            {"file", json_text(info.source.file)},
            {"container", info.source.container},
            {"entry", info.source.entry.empty() ? ordered_json(nullptr) : ordered_json(json_text(info.source.entry))}};
        each["registers"] = or_null(info.registers);
        each["spill_store_bytes"] = or_null(info.spill_store_bytes);
        each["spill_load_bytes"] = or_null(info.spill_load_bytes);
        each["stack_frame_bytes"] = or_null(info.stack_frame_bytes);
        each["cumulative_stack_bytes"] = or_null(info.cumulative_stack_bytes);
        each["static_shared_bytes"] = or_null(info.static_shared_bytes);
        each["reserved_shared_bytes"] = or_null(info.reserved_shared_bytes);
        each["constant_bytes"] = nullptr;
        if (!info.constant_banks.empty()) {
            each["constant_bytes"] = ordered_json::object();
            for (const constant_bank& bank : info.constant_banks)
                each["constant_bytes"][std::to_string(bank.bank)] = bank.bytes;
        }
        each["parameter_bytes"] = or_null(info.parameter_bytes);
        each["barriers"] = or_null(info.barriers);
        each["max_threads"] = or_null(info.max_threads);
        each["required_threads"] = or_null(info.required_threads);
        each["min_blocks"] = or_null(info.min_blocks);
        each["min_blocks_inferred"] = info.min_blocks_inferred;
        each["register_cap"] = or_null(info.register_cap);
        each["requested_max_registers"] = or_null(info.requested_max_registers);
        each["cluster"] = or_null(info.cluster);
        each["max_cluster_blocks"] = or_null(info.max_cluster_blocks);
        each["code_bytes"] = or_null(info.code_bytes);
        each["code_hash"] =
            info.code_hash ? ordered_json(fmt::format("{:016x}", *info.code_hash)) : ordered_json(nullptr);
        each["toolkit"] =
            info.toolkit_version ? ordered_json(toolkit_name(*info.toolkit_version)) : ordered_json(nullptr);
        each["virtual_architecture"] = info.virtual_architecture.empty()
                                           ? ordered_json(nullptr)
                                           : ordered_json(json_text(info.virtual_architecture));
        each["features"] = info.features.names();
        each["written_at"] = nullptr;
        if (info.written_at)
            each["written_at"] = {{"file", json_text(info.written_at->file)}, {"line", info.written_at->line}};
        each["relocatable"] = info.relocatable;
        each["linked"] = info.linked;
        each["stack_unbounded"] = info.stack_unbounded;
        each["callees"] = ordered_json::array();
        for (const callee_info& callee : info.callees)
            each["callees"].push_back({{"name", json_text(callee.name)},
                                       {"stack_frame_bytes", or_null(callee.stack_frame_bytes)},
                                       {"spill_store_bytes", or_null(callee.spill_store_bytes)},
                                       {"spill_load_bytes", or_null(callee.spill_load_bytes)}});
        each["occupancy"] = kernel.account ? account_json(*kernel.account) : ordered_json(nullptr);
        each["diagnoses"] = ordered_json::array();
        for (const diagnosis& finding : kernel.diagnoses)
            each["diagnoses"].push_back({{"id", finding.id},
                                         {"severity", severity_name(finding.level)},
                                         {"message", json_text(finding.message)},
                                         {"fix", json_text(finding.fix)}});
        each["errors"] = ordered_json::array();
        for (const std::string& warning : info.warnings) each["errors"].push_back(json_text(warning));
        json["kernels"].push_back(std::move(each));
    }
    return json;
}

table kernels_table(const inspection& found)
{
    table rows;
    for (const char* title : {"file",
                              "name",
                              "demangled",
                              "architecture",
                              "registers",
                              "spill_store_bytes",
                              "spill_load_bytes",
                              "stack_frame_bytes",
                              "cumulative_stack_bytes",
                              "static_shared_bytes",
                              "constant_bytes",
                              "parameter_bytes",
                              "barriers",
                              "max_threads",
                              "min_blocks",
                              "register_cap",
                              "code_bytes",
                              "threads",
                              "resident_blocks",
                              "occupancy",
                              "limiters",
                              "next_step",
                              "diagnoses"})
        rows.columns.push_back({title});
    const auto text = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
    for (const inspected_kernel& kernel : found.kernels) {
        const kernel_info& info = kernel.info;
        std::int64_t constants = 0;
        for (const constant_bank& bank : info.constant_banks) constants += bank.bytes;
        std::vector<cell> row{escape_for_terminal(info.source.file),
                              escape_for_terminal(info.name),
                              escape_for_terminal(kernel.demangled),
                              escape_for_terminal(info.architecture),
                              text(info.registers),
                              text(info.spill_store_bytes),
                              text(info.spill_load_bytes),
                              text(info.stack_frame_bytes),
                              text(info.cumulative_stack_bytes),
                              text(info.static_shared_bytes),
                              info.constant_banks.empty() ? "" : std::to_string(constants),
                              text(info.parameter_bytes),
                              text(info.barriers),
                              text(bound_threads(info)),
                              text(info.min_blocks),
                              text(info.register_cap),
                              text(info.code_bytes)};
        std::string limiters, ids;
        for (const diagnosis& finding : kernel.diagnoses) ids += (ids.empty() ? "" : " ") + finding.id;
        if (kernel.account) {
            for (const limit_account& limit : kernel.account->limits)
                if (limit.limiting) limiters += (limiters.empty() ? "" : " ") + limit.name;
            row.emplace_back(std::to_string(kernel.account->question.shape.threads));
            row.emplace_back(std::to_string(kernel.account->result.resident_blocks));
            row.emplace_back(fmt::format("{:.6g}", kernel.account->result.occupancy()));
            row.emplace_back(limiters);
            row.emplace_back(kernel.account->next ? kernel.account->next->text : "");
        } else {
            for (int i = 0; i < 5; ++i) row.emplace_back("");
        }
        row.emplace_back(ids);
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace launchbox
