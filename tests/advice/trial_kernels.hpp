// Kernels with launch attributes: made up, and from the real compiler.
#pragma once

#include <launchbox/launch_bounds.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "advice/bounds/kernel_trials.hpp"
#include "image/cubin.hpp"
#include "toolkit.hpp"

namespace launchbox {

/// Figures that a compiler could report.
struct made_code {
    int registers = 32;
    std::int64_t spill_bytes = 0;  // stores; there are as many loads
    std::int64_t code_bytes = 1000;
    std::uint64_t hash = 0;  // 0: one hash per combination of the figures
};

inline kernel_info kernel_of(const std::string& architecture, const launch_attribute& attribute, const made_code& code)
{
    kernel_info kernel;
    kernel.name = "merge";
    set_architecture(kernel, architecture);
    kernel.figures.registers = code.registers;
    kernel.figures.spill_store_bytes = kernel.figures.spill_load_bytes = code.spill_bytes;
    kernel.figures.static_shared_bytes = 0;
    kernel.figures.barriers = 0;
    kernel.figures.code_bytes = code.code_bytes;
    kernel.figures.code_hash = code.hash != 0 ? code.hash
                                              : static_cast<std::uint64_t>(code.registers) << 48 |
                                                    static_cast<std::uint64_t>(code.spill_bytes) << 24 |
                                                    static_cast<std::uint64_t>(code.code_bytes);
    if (attribute.threads > 0) kernel.bounds.max_threads = {attribute.threads, 1, 1};
    if (attribute.min_blocks > 0) kernel.bounds.min_blocks = attribute.min_blocks;
    if (attribute.max_cluster_blocks > 0) kernel.bounds.max_cluster_blocks = attribute.max_cluster_blocks;
    if (attribute.max_registers > 0) kernel.bounds.requested_max_registers = attribute.max_registers;
    return kernel;
}

/// `written` is the attribute in the source; its code is that of the trial with the same attribute, if there is one.
inline kernel_trials trials_of(const std::string& architecture, const launch_attribute& written,
                               const std::vector<int>& threads,
                               const std::vector<std::pair<launch_attribute, made_code>>& codes)
{
    kernel_trials trials{.written = kernel_of(architecture, written, {}),
                         .attribute = written,
                         .declared_at = std::nullopt,
                         .attribute_at = std::nullopt,
                         .threads = threads};
    for (const auto& [attribute, code] : codes) {
        trials.trials.push_back({attribute, kernel_of(architecture, attribute, code)});
        if (attribute == written) trials.written = trials.trials.back().kernel;
    }
    trials.written.demangled = "merge(float*)";
    trials.written.short_form = "merge";
    return trials;
}

/// Sixty values live at once, so that a register cap has an effect.
inline const char* const hungry_body = R"(
    float v[60];
    #pragma unroll
    for (int i = 0; i < 60; ++i) v[i] = in[threadIdx.x + i * 32];
    for (int k = 0; k < n; ++k) {
        #pragma unroll
        for (int i = 0; i < 60; ++i) v[i] = v[i] * v[(i + 7) % 60] + v[(i + 13) % 60];
    }
    #pragma unroll
    for (int i = 0; i < 60; ++i) out[threadIdx.x + i * 32] = v[i];
)";

/// Compiles one source with a kernel per attribute, and returns the kernels in that order. Throws if that fails.
inline std::vector<kernel_info> compile_attributes(const std::string& architecture, const std::string& body,
                                                   const std::vector<launch_attribute>& attributes,
                                                   std::string* log = nullptr,
                                                   const std::vector<std::string>& options = {})
{
    std::string source = "__device__ __forceinline__ void body(const float* in, float* out, int n) {" + body + "}\n";
    for (std::size_t i = 0; i < attributes.size(); ++i)
        source += "extern \"C\" __global__ void " + attribute_source(attributes[i]) + " k" + std::to_string(i) +
                  "(const float* in, float* out, int n) { body(in, out, n); }\n";
    const compiled made = compile_cuda(source, architecture, options);
    if (made.exit_code != 0) throw std::runtime_error(made.log);
    if (log != nullptr) *log = made.log;
    std::vector<kernel_info> kernels(attributes.size());
    for (kernel_info& kernel : read_cubin(made.image, "-", {.hash_code = true}).kernels) {
        const std::size_t i = std::stoul(kernel.name.substr(1));
        const launch_attribute& attribute = attributes.at(i);
        if (attribute.min_blocks > 0) kernel.bounds.min_blocks = attribute.min_blocks;  // not stored in a cubin
        if (attribute.max_registers > 0) kernel.bounds.requested_max_registers = attribute.max_registers;
        kernels.at(i) = std::move(kernel);
    }
    return kernels;
}

}  // namespace launchbox
