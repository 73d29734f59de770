// SPDX-License-Identifier: Apache-2.0
#include "tune/space/task_hash.hpp"

#include <fmt/format.h>

#include "compiler/run/compile_cache.hpp"

namespace launchbox {

namespace {

class parts {
public:
    void add(const std::string& text) { all_.push_back(text); }
    void add(double number) { add(fmt::format("{}", number)); }
    template <class Texts>
    void add_all(const Texts& texts)
    {
        add(fmt::format("{} parts", texts.size()));
        for (const auto& text : texts) add(text);
    }
    [[nodiscard]] std::string hash() const { return key_of({all_.begin(), all_.end()}); }

private:
    std::vector<std::string> all_;
};

void add_kernel(parts& all, const kernel_target& kernel)
{
    all.add(kernel.source);
    all.add(kernel.name);
    for (const auto* shape : {&kernel.threads, &kernel.blocks, &kernel.cluster}) all.add_all(*shape);
    all.add(kernel.dynamic_shared);
    all.add_all(kernel.flags);
    all.add(kernel.compiler);
    if (!kernel.capture.empty() || !kernel.carveout.empty())
        all.add_all(std::vector<std::string>{"capture and carveout", kernel.capture, kernel.carveout});
    // Specs without variables keep the hash that they had before variables existed.
    std::vector<kernel_argument> described = kernel.arguments;
    if (!kernel.variables.empty()) all.add("behind these, variables");
    described.insert(described.end(), kernel.variables.begin(), kernel.variables.end());
    for (const kernel_argument& argument : described) {
        all.add_all(
            std::vector<std::string>{argument.name, argument.type, argument.count, argument.value, argument.file});
        all.add(static_cast<double>(argument.fill));
        all.add(static_cast<double>(argument.role));
        all.add(fmt::format("{}", argument.seed));
        all.add(argument.low ? fmt::format("{}", *argument.low) : "");
        all.add(argument.high ? fmt::format("{}", *argument.high) : "");
    }
}

}  // namespace

std::string task_hash(const tune_spec& spec, const search_space& space)
{
    parts all;
    if (spec.kernel) add_kernel(all, *spec.kernel);
    if (spec.program) {
        all.add_all(spec.program->build);
        all.add_all(spec.program->run);
        all.add(spec.program->metric);
        all.add(spec.program->unit);
    }
    // The command depends on where a program is installed; results depend on `sources` and `software`.
    if (spec.callback) all.add(spec.callback->on_gpu ? "callback on a GPU" : "callback on the processor");
    // The reference: without a baseline, the first in order that can be measured.
    const verification& verify = spec.verify;
    all.add(static_cast<double>(verify.against));
    if (verify.against == verification::source::baseline && spec.baseline) all.add(parameter_text(*spec.baseline));
    for (const auto& [output, file] : verify.files) all.add_all(std::vector<std::string>{output, file});
    all.add_all(verify.command);
    all.add(verify.absolute);
    all.add(verify.relative);
    const measure_settings& measure = spec.measure;
    for (const double value :
         {measure.cold ? 1.0 : 0.0, measure.rotate_inputs ? 1.0 : 0.0, static_cast<double>(measure.min_samples),
          static_cast<double>(measure.max_samples), measure.relative_error, measure.max_seconds, measure.give_up_ratio,
          measure.hang_ratio, measure.hang_seconds, spec.screen.min_occupancy})
        all.add(value);
    all.add_all(space.workload_constraints());
    // Which quantities are measured, and which candidates are given up early. Objectives of time keep their old hash.
    if (!spec.goal.is_plain()) all.add("objective " + spec.goal.text());
    return all.hash();
}

}  // namespace launchbox
