#include "tune/kernel_builder.hpp"

#include <gtest/gtest.h>

using namespace launchbox;

TEST(kernel_builder, builds)
{
    tune_spec spec;
    spec.folder = LAUNCHBOX_SOURCE_DIR "/examples/block_sort";
    spec.kernel.emplace();
    spec.kernel->source = "block_sort.cu";
    spec.kernel->name = "block_sort<{type}, {threads}, {items}, {min_blocks}>";
    assignment values;
    values.values = {{"type", std::string("int")},
                     {"threads", std::int64_t{256}},
                     {"items", std::int64_t{11}},
                     {"min_blocks", std::int64_t{0}}};
    for (const char* compiler : {"nvrtc", "nvcc"}) {
        kernel_builder builder(spec, {.compiler = compiler});
        for (std::int64_t m : {0, 1, 3, 1}) {
            values.values[3].second = m;
            const build_result r = builder.build(values, {9, 0});
            printf("%s %s: '%s' name %s regs %d min %d code %s %f s cache %d cubin %zu\n%s\n", compiler,
                   builder.compiler().c_str(), r.reason.c_str(), r.kernel.name.c_str(), r.kernel.registers.value_or(-1),
                   r.kernel.min_blocks.value_or(-1), r.code.c_str(), r.seconds, r.from_cache, r.cubin.size(),
                   r.log.c_str());
        }
    }
}
