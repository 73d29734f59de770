// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/program_launch.hpp"

namespace launchbox {

launch_capture::launch launch_capture::launch::of_call(CUpti_CallbackId id, const CUpti_CallbackData& call)
{
    launch what;
    what.name = call.symbolName;
    const auto take = [&what](const auto& shape, CUfunction function, void** parameters) {
        what.grid = {shape.gridDimX, shape.gridDimY, shape.gridDimZ};
        what.block = {shape.blockDimX, shape.blockDimY, shape.blockDimZ};
        what.dynamic_shared = shape.sharedMemBytes;
        what.stream = shape.hStream;
        what.function = function;
        what.parameters = parameters;
    };
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const auto& given = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams);
        take(*given.config, given.f, given.kernelParams);
        what.extra = given.extra;
        for (unsigned i = 0; i < given.config->numAttrs; ++i) what.take_attribute(given.config->attrs[i]);
    } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
               id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
        const auto& given = *static_cast<const cuLaunchCooperativeKernel_params*>(call.functionParams);
        take(given, given.f, given.kernelParams);
        what.cooperative = true;
    } else {
        const auto& given = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
        take(given, given.f, given.kernelParams);
        what.extra = given.extra;
    }
    return what;
}

void launch_capture::launch::take_attribute(const CUlaunchAttribute& attribute)
{
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z};
    else if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        cooperative = attribute.value.cooperative != 0;
    else if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        early = attribute.value.programmaticStreamSerializationAllowed != 0;
    else if (attribute.id != CU_LAUNCH_ATTRIBUTE_IGNORE)
        other_attributes += " " + std::to_string(static_cast<int>(attribute.id));
}

}  // namespace launchbox
