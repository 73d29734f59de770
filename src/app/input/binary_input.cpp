// SPDX-License-Identifier: Apache-2.0
#include "app/input/input_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "image/binary.hpp"
#include "support/files/packed_files.hpp"
#include "support/files/riegeli.hpp"

namespace launchbox {

bool promises_kernels(std::string_view file)
{
    return std::ranges::any_of(std::array{".cubin", ".fatbin", ".ptx"},
                               [&](const char* ending) { return file.ends_with(ending); });
}

bool may_hold_code(std::string_view bytes)
{
    return looks_like_binary(bytes) || holds_records(bytes);
}

void read_binary_file(input_reading& reading, const std::string& file, const file_content& whole, given how)
{
    unpacked_records records;
    const bool is_packed = holds_records(whole.bytes);
    if (is_packed) records = unpack_records(whole.bytes);
    const file_content& content = is_packed ? file_content{records.bytes} : whole;
    const kernel_request& options = reading.request;
    const asked_architectures& wanted = reading.asked;
    kernel_input& result = reading.found;
    std::set<std::string> beside;  // other architectures whose code runs on the wanted one
    const auto read = [&] {
        const auto reads = [&](std::string_view name) {
            return wanted.has(name) || beside.contains(std::string(name));
        };
        return read_binary(content.bytes, file,
                           {.wanted = reads,
                            .name_others = !wanted.all(),
                            .jobs = options.jobs,
                            // Triton keeps cubins this way, with a file beside them that describes their launch.
                            .grid_dependency = file.ends_with(".cubin"),
                            .hash_code = options.hash_code,
                            .lines = options.lines,
                            .examine = options.examine,
                            .memory_of_run = &reading.memory,
                            .before_linking = options.before_linking,
                            .data = content.data});
    };
    binary_contents contents = read();
    if (!contents.others.empty()) {
        std::vector<const kernel_info*> there;
        for (const std::vector<kernel_info>& kernels : contents.kernels)
            for (const kernel_info& info : kernels) there.push_back(&info);
        for (const kernel_info& info : contents.others) there.push_back(&info);
        beside = wanted.needed_beside(there);
        std::erase_if(beside, [&](const std::string& name) { return wanted.has(name); });
        if (!beside.empty()) contents = read();
    }
    input_summary summary{.file = file, .kind = contents.kind};
    summary.in_container = how == given::found;
    if (!records.damage.empty()) summary.errors.push_back(std::move(records.damage));
    for (const image_diagnostic& diagnostic : contents.diagnostics)
        summary.errors.push_back(fmt::format("byte {}: {}", diagnostic.offset, diagnostic.what));
    for (std::vector<kernel_info>& kernels : contents.kernels) summary.kernels += kernels.size();
    for (std::vector<kernel_info>& kernels : contents.kernels) {
        for (kernel_info& info : kernels) reading.add(std::move(info));
        kernels = {};
    }
    for (kernel_info& info : contents.others) reading.others.push_back({std::move(info), result.inputs.size()});
    const bool may_be_without = contents.not_wanted > 0 || !promises_kernels(file);
    const bool nothing = contents.images.empty() && contents.others.empty();
    if (how == given::found && nothing && summary.errors.empty() && may_be_without) return;
    if (const std::string_view kind = kind_of_other_archive(content.bytes); contents.images.empty() && !kind.empty())
        summary.errors.push_back(fmt::format("it is a packed file ({}), which is not opened: unpack it", kind));
    const bool says_so = how == given::by_name || contents.others.empty();
    if (says_so && contents.images.empty() && summary.errors.empty())
        summary.errors.push_back(options.architectures.empty() ? "it contains no compiled CUDA code"
                                                               : "it contains no CUDA code for " + wanted.words());
    summary.images = std::move(contents.images);
    result.inputs.push_back(std::move(summary));
}

}  // namespace launchbox
