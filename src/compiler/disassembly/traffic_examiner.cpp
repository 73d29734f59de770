// SPDX-License-Identifier: Apache-2.0
#include "compiler/disassembly/traffic_examiner.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compiler/disassembly/nvdisasm.hpp"
#include "image/code/disassembly.hpp"

namespace launchbox {

std::function<void(const cubin_examination&)> traffic_examiner(std::filesystem::path nvdisasm,
                                                               std::function<bool(const kernel_info& kernel)> wanted)
{
    return [nvdisasm = std::move(nvdisasm), wanted = std::move(wanted)](const cubin_examination& cubin) {
        const auto has_code = [&](const kernel_info& kernel) {
            return cubin.sections[static_cast<std::size_t>(&kernel - cubin.kernels.data())] != 0 && wanted(kernel);
        };
        disassemble(cubin, {nvdisasm, {}}, has_code, [&](const disassembled_kernels& batch) {
            std::unordered_map<std::string, std::size_t> by_section;
            for (const std::size_t i : batch.kernels) by_section.emplace(".text." + cubin.kernels[i].name, i);
            disassembly_reader reader([&](const disassembled_code& code) {
                const auto found = by_section.find(code.section);
                if (found == by_section.end() || code.instructions.empty()) return;
                const std::size_t i = found->second;
                cubin.kernels[i].analysis.traffic = traffic_of(code, [&](std::uint64_t byte) {
                    return cubin.lines == nullptr ? no_line : cubin.lines->at(cubin.sections[i], byte);
                });
                if (cubin.memory != nullptr &&
                    !cubin.memory->take(cubin.kernels[i].analysis.traffic->uses.capacity() * sizeof(memory_use)))
                    cubin.kernels[i].analysis.traffic = {};
                if (cubin.lines != nullptr && cubin.kernels[i].analysis.lines)
                    cubin.kernels[i].analysis.lines->places = cubin.lines->places();
            });
            batch.for_each_line([&](std::string_view line) { reader.line(line); });
            reader.finish();
            for (const std::size_t i : batch.kernels)
                if (!cubin.kernels[i].analysis.traffic)
                    cubin.kernels[i].analysis.traffic.emplace().problem =
                        batch.problem.empty() ? "nvdisasm does not show it" : batch.problem;
        });
    };
}

}  // namespace launchbox
