// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_launch.hpp"

#include <fmt/format.h>

#include <array>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace {

constexpr std::int64_t shared_without_asking = 48 << 10;

std::int64_t cluster_blocks(const gpu_task& task)
{
    return std::int64_t{task.cluster[0]} * task.cluster[1] * task.cluster[2];
}

// Values that do not fit the driver's types would reach it as other numbers.
void check_shape(const gpu_task& task)
{
    for (int i = 0; i < 3; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (task.threads[at] < 1 || task.cluster[at] < 1 || task.blocks[at] < 1 || task.blocks[at] > 0x7fffffff)
            throw error(fmt::format("{} x {} x {} blocks of {} x {} x {} threads cannot be launched", task.blocks[0],
                                    task.blocks[1], task.blocks[2], task.threads[0], task.threads[1], task.threads[2]));
    }
    if (task.dynamic_shared_bytes < 0 || task.dynamic_shared_bytes > 0x7fffffff)
        throw error(fmt::format("{} bytes of dynamic shared memory are not available", task.dynamic_shared_bytes));
}

}  // namespace

loaded_kernel::loaded_kernel(gpu_context& gpu, const gpu_task& task) : gpu_(gpu), task_(task)
{
    check_shape(task);
    const std::string cubin = read_file(task.cubin_file);
    const cuda_driver& driver = gpu.driver();
    gpu.check(driver.load_module(&module_, cubin.c_str()), "when its module was loaded");
    try {
        gpu.check(driver.get_function(&function_, module_, task.kernel.c_str()),
                  "when '" + task.kernel + "' was looked up in its module");
        compare_parameters();
        state_.emplace(gpu, module_, cubin, task);
        state_->remember(gpu);
        allow_shared_memory();
        if (task.carveout_percent >= 0)
            gpu.check(driver.set_function_attribute(function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                                    task.carveout_percent),
                      "when its shared memory carveout was set");
        if (cluster_blocks(task) > 8)
            gpu.check(driver.set_function_attribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                      fmt::format("when clusters of {} blocks were requested", cluster_blocks(task)));
    } catch (...) {
        state_.reset();
        driver.unload_module(module_);
        throw;
    }
}

loaded_kernel::~loaded_kernel()
{
    state_.reset();
    if (!gpu_.hangs()) gpu_.driver().unload_module(module_);
}

// The driver reads as many parameters as the kernel has, even if fewer are passed.
void loaded_kernel::compare_parameters() const
{
    if (gpu_.driver().parameter_info == nullptr || !task_.capture.empty()) return;
    std::size_t offset = 0, bytes = 0, count = 0;
    for (; gpu_.driver().parameter_info(function_, count, &offset, &bytes) == CUDA_SUCCESS; ++count) {
        if (count >= task_.arguments.size()) continue;
        const task_argument& argument = task_.arguments[count];
        const std::size_t given =
            argument.scalar ? static_cast<std::size_t>(element_type_of(argument.type).bytes) : sizeof(CUdeviceptr);
        if (given != bytes)
            throw error(fmt::format("parameter {} of the kernel has {} bytes, and '{}' has {}", count + 1, bytes,
                                    argument.name, given));
    }
    if (count != task_.arguments.size())
        throw error(
            fmt::format("the kernel has {} parameters, but {} arguments are given", count, task_.arguments.size()));
}

void loaded_kernel::allow_shared_memory() const
{
    int fixed = 0;
    gpu_.driver().function_attribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function_);
    if (task_.dynamic_shared_bytes + fixed <= shared_without_asking) return;
    gpu_.check(gpu_.driver().set_function_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    static_cast<int>(task_.dynamic_shared_bytes)),
               fmt::format("when {} bytes of dynamic shared memory were requested beside {} static ones",
                           task_.dynamic_shared_bytes, fixed));
}

void loaded_kernel::launch(void** parameters, const char* stage) const
{
    const auto number = [](auto value) { return static_cast<unsigned>(value); };
    const cuda_driver& driver = gpu_.driver();
    const auto& blocks = task_.blocks;
    const auto &threads = task_.threads, &cluster = task_.cluster;
    if (cluster_blocks(task_) == 1 && !task_.cooperative) {
        gpu_.check(driver.launch(function_, number(blocks[0]), number(blocks[1]), number(blocks[2]), number(threads[0]),
                                 number(threads[1]), number(threads[2]), number(task_.dynamic_shared_bytes),
                                 gpu_.stream(), parameters, nullptr),
                   stage);
        return;
    }
    if (driver.launch_ex == nullptr) throw error("this driver is too old for clusters and cooperative launches");
    std::array<CUlaunchAttribute, 2> attributes{};
    CUlaunchAttribute& attribute = attributes[0];
    attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    attribute.value.clusterDim.x = number(cluster[0]);
    attribute.value.clusterDim.y = number(cluster[1]);
    attribute.value.clusterDim.z = number(cluster[2]);
    attributes[1].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[1].value.cooperative = 1;
    CUlaunchConfig shape{};
    shape.gridDimX = number(blocks[0]);
    shape.gridDimY = number(blocks[1]);
    shape.gridDimZ = number(blocks[2]);
    shape.blockDimX = number(threads[0]);
    shape.blockDimY = number(threads[1]);
    shape.blockDimZ = number(threads[2]);
    shape.sharedMemBytes = number(task_.dynamic_shared_bytes);
    shape.hStream = gpu_.stream();
    const bool clustered = cluster_blocks(task_) > 1;
    shape.attrs = attributes.data() + (clustered ? 0 : 1);
    shape.numAttrs = (clustered ? 1 : 0) + (task_.cooperative ? 1 : 0);
    gpu_.check(driver.launch_ex(&shape, function_, parameters, nullptr), stage);
}

}  // namespace launchbox
