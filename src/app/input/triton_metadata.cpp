// SPDX-License-Identifier: Apache-2.0
#include "app/input/triton_metadata.hpp"

#include <launchbox/sm_limits.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox {

namespace {

constexpr std::size_t largest_metadata = std::size_t{1} << 20;  // real ones have a few thousand bytes
constexpr std::int64_t largest_shared = std::int64_t{1} << 30;
constexpr std::int64_t max_registers = 255;  // per thread
constexpr const char* unknown_launch = ": how Triton launches the kernel is not known";

std::optional<std::int64_t> whole_number(const nlohmann::json& object, const char* name, std::int64_t most)
{
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    const auto value = found->get<std::int64_t>();
    return value >= 0 && value <= most ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::string> stem_of_compiled(const std::string& file)
{
    for (const std::string_view ending : {"cubin", "ptx"})
        if (file.ends_with("." + std::string(ending))) return file.substr(0, file.size() - ending.size());
    return std::nullopt;
}

metadata_reading metadata_beside(const std::string& stem)
{
    const std::string file = stem + "json";
    std::error_code failure;
    if (!std::filesystem::exists(file, failure)) return {};
    try {
        return parse_triton_metadata(utf8_text(read_file(file, largest_metadata)), file);
    } catch (const error& problem) {
        return {.value = {}, .problem = std::string(problem.what()) + unknown_launch};
    }
}

metadata_reading parse_triton_metadata(const std::string& text, const std::string& name)
{
    const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
    if (object.is_discarded())
        return {.value = {}, .problem = escape_for_terminal(name) + " is not JSON, or cut off" + unknown_launch};
    if (!object.is_object() || !object.contains("shared") || !object.contains("num_warps")) return {};
    triton_metadata metadata;
    if (const auto name = object.find("name"); name != object.end() && name->is_string())
        metadata.kernel = name->get<std::string>();
    metadata.shared_bytes = whole_number(object, "shared", largest_shared);
    if (const auto warps = whole_number(object, "num_warps", max_threads_per_block / warp_size); warps && *warps > 0)
        metadata.threads = static_cast<int>(*warps) * warp_size;
    if (const auto registers = whole_number(object, "maxnreg", max_registers); registers && *registers > 0)
        metadata.max_registers = static_cast<int>(*registers);
    if (const auto early = object.find("launch_pdl"); early != object.end() && early->is_boolean())
        metadata.launched_early = early->get<bool>();
    return {.value = std::move(metadata)};
}

}  // namespace launchbox
