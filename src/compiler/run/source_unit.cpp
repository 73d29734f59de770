// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/source_unit.hpp"

#include <algorithm>
#include <string_view>

#include "compiler/run/nvcc_arguments.hpp"
#include "compiler/run/nvcc_run.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace {

constexpr std::size_t largest_text = std::size_t{16} << 20;

void add_macros(std::string_view preprocessed, std::unordered_set<std::string>& macros)
{
    constexpr std::string_view define = "#define ";
    while (!preprocessed.empty()) {
        std::string_view line = preprocessed.substr(0, preprocessed.find('\n'));
        preprocessed.remove_prefix(std::min(preprocessed.size(), line.size() + 1));
        if (!line.starts_with(define)) continue;
        line.remove_prefix(define.size());
        macros.emplace(line.substr(0, line.find_first_of(" (\r")));
    }
}

// Restores the user's spelling of the source, if nvcc was given another.
void name_source(user_text& text, const std::string& source)
{
    const std::string given = name_for_nvcc(source);
    if (given == source) return;
    for (source_location& line : text.lines)
        if (line.file == given) line.file = source;
    std::ranges::replace(text.files, given, source);
}

}  // namespace

std::optional<source_unit> read_source_unit(const toolchain& tools, const std::string& source,
                                            const std::vector<std::string>& flags,
                                            const std::vector<compute_capability>& architectures)
{
    if (architectures.empty() || is_ptx_source(source)) return std::nullopt;
    // -dD keeps #define, without which names of macros would have no value.
    nvcc_job job{.source = source, .architecture = architectures.front(), .flags = flags};
    job.flags.insert(job.flags.end(), {"-Xcompiler", "-dD"});
    nvcc_job for_host = job;
    for_host.flags.emplace_back("-U__CUDA_ARCH__");
    const auto host = preprocessed_text(tools, for_host);
    if (!host) return std::nullopt;
    source_unit unit{.host = read_user_text(*host), .devices = {}, .headers = {}, .macros = {}};
    if (unit.host.text.size() > largest_text) return std::nullopt;
    name_source(unit.host, source);
    add_macros(*host, unit.macros);
    bool reads_architecture = read_file(source).find("__CUDA_ARCH__") != std::string::npos;
    for (const std::string& name : unit.host.files) {
        if (name == source) continue;
        try {
            unit.headers.push_back({name, read_file(name, largest_text)});
        } catch (const error&) {
            continue;  // generated, and removed
        }
        reads_architecture |= unit.headers.back().text.find("__CUDA_ARCH__") != std::string::npos;
    }
    if (!reads_architecture) return unit;
    for (const compute_capability& architecture : architectures) {
        job.architecture = architecture;
        const auto text = preprocessed_text(tools, job);
        if (!text) continue;
        unit.devices.push_back({std::string(architecture_name(architecture).view()), read_user_text(*text)});
        name_source(unit.devices.back().text, source);
    }
    return unit;
}

}  // namespace launchbox
