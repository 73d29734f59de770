// SPDX-License-Identifier: Apache-2.0
#include "cli/triton_metadata.hpp"

#include <launchbox/sm_limits.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox::cli {

namespace {

constexpr std::size_t largest_metadata = std::size_t{1} << 20;  // it has some thousand bytes
constexpr std::int64_t largest_shared = std::int64_t{1} << 30;
constexpr std::int64_t max_registers = 255;  // of a thread

std::optional<std::int64_t> whole_number(const nlohmann::json& object, const char* name, std::int64_t most)
{
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    const auto value = found->get<std::int64_t>();
    return value >= 0 && value <= most ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<triton_metadata> metadata_beside(const std::string& file)
{
    std::filesystem::path beside = file;
    if (beside.extension() != ".cubin" && beside.extension() != ".ptx") return std::nullopt;
    beside.replace_extension(".json");
    std::error_code failure;
    if (!std::filesystem::is_regular_file(beside, failure)) return std::nullopt;
    try {
        return parse_triton_metadata(utf8_text(read_input(beside.string(), largest_metadata)));
    } catch (const error&) {
        return std::nullopt;  // the cubin can be read all the same
    }
}

std::optional<triton_metadata> parse_triton_metadata(const std::string& text)
{
    const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object() || !object.contains("shared") || !object.contains("num_warps")) return std::nullopt;
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
    return metadata;
}

}  // namespace launchbox::cli
