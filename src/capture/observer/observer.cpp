// The observer: the driver loads it into a program at start-up ($CUDA_INJECTION64_PATH) and calls InitializeInjection.
// Through CUPTI it notes which kernels run and which modules are loaded, and changes nothing. No code here may throw or
// end the program.
// SPDX-License-Identifier: Apache-2.0
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "capture/observer/cooperative_launches.hpp"
#include "capture/observer/cupti_library.hpp"
#include "capture/observer/launch_capture.hpp"
#include "capture/observer/record_writer.hpp"

namespace launchbox {

namespace {

// CUPTI 12.0: from here on, kernel records begin like CUpti_ActivityKernel9.
constexpr std::uint32_t oldest_cupti = 19;
using kernel_record = CUpti_ActivityKernel9;

constexpr std::size_t buffer_bytes = std::size_t{4} << 20, buffer_alignment = 8;

constexpr std::array<CUpti_CallbackId, 4> resources{
    CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
    CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED};

// How often data is flushed to the record; a killed program loses less than twice as much.
constexpr std::uint32_t flush_ms = 100;

// Never destroyed: CUPTI's threads may call at any time, even while statics are destroyed.
struct observer {
    std::mutex lock;
    record::record_writer record;
    cupti_library cupti{.library = loaded_library(nullptr)};
    CUpti_SubscriberHandle subscriber = nullptr;
    pid_t process = ::getpid();
    bool has_devices = false;
    cooperative_launches cooperative;
    std::unique_ptr<launch_capture> capture;  // null if no launch is wanted
    std::atomic<bool> has_stopped = false;

    explicit observer(const char* folder);
};
observer* the_observer = nullptr;

loaded_library loaded_driver()
{
    static void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return loaded_library(driver);
}

observer::observer(const char* folder)
    : record(folder), cooperative(loaded_driver().find("cuGraphKernelNodeGetAttribute"))
{
}

int driver_version()
{
    int version = 0;
    const decltype(&cuDriverGetVersion) ask = loaded_driver().find("cuDriverGetVersion");
    return ask != nullptr && ask(&version) == CUDA_SUCCESS ? version : 0;
}

// The devices in the numbering of this process, which kernel records use.
void note_devices(observer& of)
{
    const loaded_library driver = loaded_driver();
    const decltype(&cuDeviceGetCount) count_of = driver.find("cuDeviceGetCount");
    const decltype(&cuDeviceGet) get = driver.find("cuDeviceGet");
    const decltype(&cuDeviceGetName) name_of = driver.find("cuDeviceGetName");
    const decltype(&cuDeviceGetAttribute) attribute = driver.find("cuDeviceGetAttribute");
    int count = 0;
    if (count_of == nullptr || get == nullptr || name_of == nullptr || attribute == nullptr) return;
    if (count_of(&count) != CUDA_SUCCESS) return;
    for (int number = 0; number < count; ++number) {
        CUdevice device = 0;
        record::device_block block{};
        block.number = static_cast<std::uint32_t>(number);
        if (get(&device, number) != CUDA_SUCCESS) continue;
        if (name_of(block.name.data(), static_cast<int>(block.name.size()) - 1, device) != CUDA_SUCCESS) continue;
        if (attribute(&block.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS) continue;
        if (attribute(&block.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS) continue;
        if (attribute(&block.sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) != CUDA_SUCCESS) continue;
        of.record.add_device(block);
    }
}

void note_kernel(observer& of, const kernel_record& kernel)
{
    if (kernel.name == nullptr) return;
    if (kernel.end == 0) {
        ++of.record.process().untimed;
        return;
    }
    const auto number = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    const record::cooperative_state cooperative =
        kernel.launchType == CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_MULTI_DEVICE
            ? record::cooperative_state::yes
            : of.cooperative.of_record(kernel.correlationId, kernel.graphNodeId);
    const record::launch_key key{
        .device = kernel.deviceId,
        .grid = {number(kernel.gridX), number(kernel.gridY), number(kernel.gridZ)},
        .block = {number(kernel.blockX), number(kernel.blockY), number(kernel.blockZ)},
        .cluster = {kernel.clusterX, kernel.clusterY, kernel.clusterZ},
        .static_shared_bytes = kernel.staticSharedMemory,
        .dynamic_shared_bytes = kernel.dynamicSharedMemory,
        .registers = kernel.registersPerThread,
        .local_bytes = kernel.localMemoryPerThread,
        .carveout_percent = kernel.isSharedMemoryCarveoutRequested != 0 ? kernel.sharedMemoryCarveoutRequested : -1,
        .cooperative = cooperative,
        // CUPTI 13.0 reports all launches with attributes as cooperative.
        .extended =
            kernel.launchType != CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR && cooperative != record::cooperative_state::yes,
        .in_graph = kernel.graphNodeId != 0};
    of.record.add_launch(key, kernel.name, kernel.start, kernel.end);
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records)
{
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
    *size = *buffer == nullptr ? 0 : buffer_bytes;
    *max_records = 0;  // as many as fit
}

void read_buffer(observer& of, std::uint8_t* buffer, std::size_t valid)
{
    CUpti_Activity* activity = nullptr;
    while (valid > 0 && of.cupti.next_record(buffer, valid, &activity) == CUPTI_SUCCESS)
        if (activity->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || activity->kind == CUPTI_ACTIVITY_KIND_KERNEL)
            note_kernel(of, *reinterpret_cast<const kernel_record*>(activity));
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t, std::size_t valid)
{
    observer& of = *the_observer;
    if (buffer != nullptr && of.process == ::getpid()) try {
            const std::lock_guard guard(of.lock);
            std::size_t dropped = 0;
            if (of.cupti.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS)
                of.record.process().dropped += dropped;
            read_buffer(of, buffer, valid);
        } catch (const std::exception&) {  // out of memory: the rest of this buffer is lost
            ++of.record.process().buffers_lost;
        }
    std::free(buffer);
}

void note_module(observer& of, const void* what)
{
    if (what == nullptr) return;
    const auto& module = *static_cast<const CUpti_ModuleResourceData*>(what);
    if (module.pCubin == nullptr || module.cubinSize == 0) return;
    const record::module_block kept = of.record.add_module(module.pCubin, module.cubinSize);
    if (of.capture) of.capture->loaded({module.pCubin, module.cubinSize}, kept);
}

void note_node(observer& of, bool is_cloned, const void* what)
{
    if (what == nullptr) return;
    const auto& node = *static_cast<const CUpti_GraphData*>(what);
    std::uint64_t number = 0;
    if (node.nodeType != CU_GRAPH_NODE_TYPE_KERNEL) return;
    if (!is_cloned)
        of.cooperative.node_created();
    else if (of.cupti.node_id(node.node, &number) == CUPTI_SUCCESS)
        of.cooperative.node_cloned(node.node, number);
}

void note_resource(observer& of, CUpti_CallbackId id, const CUpti_ResourceData& data)
{
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED || id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
        return note_node(of, id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, data.resourceDescriptor);
    const std::lock_guard guard(of.lock);
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED && !of.has_devices) {
        of.has_devices = true;
        note_devices(of);
    }
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) note_module(of, data.resourceDescriptor);
}

// The wanted launch is kept, or cannot be: the rest of the program runs undisturbed.
void stop(observer& of)
{
    if (of.has_stopped.exchange(true)) return;
    of.cupti.disable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    for (const CUpti_CallbackId id : resources)
        of.cupti.enable_callback(0, of.subscriber, CUPTI_CB_DOMAIN_RESOURCE, id);
    const auto stop_calls = [&](const auto& calls) {
        for (const CUpti_CallbackId id : calls)
            of.cupti.enable_callback(0, of.subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    };
    stop_calls(cooperative_launches::calls());
    stop_calls(launch_capture::calls());
}

void CUPTIAPI hear(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data)
{
    observer& of = *the_observer;
    if (data == nullptr || of.process != ::getpid() || of.has_stopped) return;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) try {
            const auto& call = *static_cast<const CUpti_CallbackData*>(data);
            if (std::ranges::find(cooperative_launches::calls(), id) != cooperative_launches::calls().end())
                of.cooperative.called(id, call);
            if (of.capture == nullptr) return;
            of.capture->called(id, call);
            if (of.capture->is_over()) stop(of);
        } catch (const std::exception&) {  // out of memory: nothing is captured, which is reported at the end
        }
    if (domain != CUPTI_CB_DOMAIN_RESOURCE) return;
    try {
        note_resource(of, id, *static_cast<const CUpti_ResourceData*>(data));
    } catch (const std::exception&) {
        ++of.record.process().modules_not_kept;
    }
}

// Flushes CUPTI's buffers. A process forked without an exec must not.
void finish()
{
    observer& of = *the_observer;
    if (of.process != ::getpid()) return;
    of.cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard guard(of.lock);
    if (of.capture != nullptr)
        if (const std::string why = of.capture->failure(); !why.empty())
            of.record.add_note(record::note_kind::not_captured, why);
    of.record.process().ended = 1;
}

// False if CUPTI failed, which is noted.
bool succeeded(observer& of, CUptiResult result, std::string_view call)
{
    if (result == CUPTI_SUCCESS) return true;
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        of.record.add_note(record::note_kind::other_profiler, "");
        return false;
    }
    const char* text = nullptr;
    std::string what(call);
    what += ": ";
    what += of.cupti.result_text(result, &text) == CUPTI_SUCCESS && text != nullptr ? text : "error";
    of.record.add_note(record::note_kind::cupti_failed, what);
    return false;
}

bool listen(observer& of, CUpti_CallbackDomain domain, std::span<const CUpti_CallbackId> ids)
{
    return std::ranges::all_of(ids, [&](CUpti_CallbackId id) {
        return succeeded(of, of.cupti.enable_callback(1, of.subscriber, domain, id), "cuptiEnableCallback");
    });
}

// Prepares to keep a launch, if one is wanted. If that fails it is noted, and the program is observed without it.
void prepare_capture(observer& of, const char* folder)
{
    wanted_launch wanted = wanted_launch::of_environment();
    if (wanted.pattern.empty()) return;
    const driver_calls driver{.driver = loaded_driver()};
    if (const std::string& missing = driver.driver.missing(); !missing.empty()) {
        of.record.add_note(
            record::note_kind::not_captured,
            "the launch was not captured: the driver is older than CUDA 12.4 (it has no " + missing + ")");
        return;
    }
    of.capture = std::make_unique<launch_capture>(folder, std::move(wanted), driver);
    listen(of, CUPTI_CB_DOMAIN_DRIVER_API, launch_capture::calls());
}

bool start(observer& of, const char* folder)
{
    const int driver = driver_version();
    of.record.process().driver_version = static_cast<std::uint32_t>(driver);
    of.cupti = load_cupti(driver / 1000);
    if (of.cupti.path.empty()) {
        of.record.add_note(record::note_kind::no_cupti, of.cupti.missing);
        return false;
    }
    std::uint32_t version = 0;
    of.cupti.version(&version);
    of.record.process().cupti_version = version;
    if (version < oldest_cupti) {
        of.record.add_note(record::note_kind::cupti_too_old, of.cupti.path);
        return false;
    }
    if (!succeeded(of, of.cupti.subscribe(&of.subscriber, hear, nullptr), "cuptiSubscribe")) return false;
    if (listen(of, CUPTI_CB_DOMAIN_RESOURCE, resources) &&
        listen(of, CUPTI_CB_DOMAIN_DRIVER_API, cooperative_launches::calls()) &&
        succeeded(of, of.cupti.register_buffers(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks") &&
        succeeded(of, of.cupti.enable_activity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable") &&
        succeeded(of, of.cupti.flush_period(flush_ms), "cuptiActivityFlushPeriod")) {
        prepare_capture(of, folder);
        return true;
    }
    of.cupti.unsubscribe(of.subscriber);
    return false;
}

// Whether this is the process that the user started, or all processes are wanted.
bool is_wanted(const char* folder)
{
    const char* const only = std::getenv(record::process_variable);
    const std::string own = std::to_string(::getpid());
    if (only == nullptr || own == only) return true;
    const int file = ::open((std::string(folder) + "/" + record::unobserved_prefix + own).c_str(),
                            O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return false;
}

}  // namespace

}  // namespace launchbox

extern "C" [[gnu::visibility("default")]] int InitializeInjection()
{
    using namespace launchbox;
    const char* const folder = std::getenv(record::folder_variable);
    if (the_observer != nullptr || folder == nullptr) return 1;
    try {
        if (!is_wanted(folder)) return 1;
        the_observer = new observer(folder);
        if (!the_observer->record.usable()) return 1;
        if (start(*the_observer, folder))
            std::atexit(finish);
        else
            the_observer->record.process().ended = 1;
    } catch (const std::exception&) {
        return 1;
    }
    return 1;
}
