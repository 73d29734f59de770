// A double of CUPTI's callback and activity interfaces; the driver's double notifies it of launches. Records have the
// layout of NVIDIA's header. The plan (tests/tune/fake_driver/README.md) controls it.
#include <cupti.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "listeners.hpp"
#include "plan.hpp"

namespace {

using record = CUpti_ActivityKernel10;

struct machinery {
    std::mutex lock;
    CUpti_CallbackFunc callback = nullptr;
    void* callback_data = nullptr;
    CUpti_BuffersCallbackRequestFunc give = nullptr;
    CUpti_BuffersCallbackCompleteFunc take = nullptr;
    bool sees_kernels = false, sees_contexts = false, sees_modules = false, sees_new_nodes = false,
         sees_cloned_nodes = false;
    std::set<CUpti_CallbackId> calls;
    std::vector<record> waiting;
    std::uint32_t modules = 0;
};

machinery& all()
{
    static auto* const the = new machinery;  // never destroyed, because threads may still call it
    return *the;
}

fake::json cupti_plan()
{
    return fake::plan().value("cupti", fake::json::object());
}

CUptiResult planned(const char* call)
{
    return static_cast<CUptiResult>(cupti_plan().value("errors", fake::json::object()).value(call, 0));
}

std::uint32_t planned_version()
{
    return cupti_plan().value("version", 130001U);
}

// Records are smaller in CUPTI 12.
std::size_t record_bytes()
{
    return planned_version() >= 130000 ? sizeof(CUpti_ActivityKernel10) : sizeof(CUpti_ActivityKernel9);
}

// On a thread of its own, as in CUPTI.
void deliver()
{
    std::vector<record> records;
    {
        const std::lock_guard guard(all().lock);
        records.swap(all().waiting);
    }
    if (all().give == nullptr || records.empty()) return;
    std::thread([&] {
        std::size_t next = 0;
        while (next < records.size()) {
            std::uint8_t* buffer = nullptr;
            std::size_t size = 0, limit = 0, used = 0;
            all().give(&buffer, &size, &limit);
            for (; buffer != nullptr && next < records.size() && used + record_bytes() <= size; ++next) {
                std::memcpy(buffer + used, &records[next], record_bytes());
                used += record_bytes();
            }
            all().take(nullptr, 0, buffer, size, used);
            if (buffer == nullptr) return;
        }
    }).join();
}

// Writes the events that the observer sees, one per line, to the file named in the plan.
void note(const char* what)
{
    if (const std::string file = cupti_plan().value("told", std::string()); !file.empty())
        std::ofstream(file, std::ios::app) << what << '\n';
}

void tell(CUpti_CallbackId id, const void* descriptor)
{
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) note("module");
    CUpti_ResourceData data{};
    data.resourceDescriptor = const_cast<void*>(descriptor);
    if (all().callback != nullptr) all().callback(all().callback_data, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

void context_created()
{
    if (all().sees_contexts) tell(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr);
}

void module_loaded(const void* bytes, std::size_t size)
{
    const CUpti_ModuleResourceData data{
        .moduleId = ++all().modules, .cubinSize = size, .pCubin = static_cast<const char*>(bytes)};
    if (all().sees_modules) tell(CUPTI_CBID_RESOURCE_MODULE_LOADED, &data);
}

void node_told(CUpti_CallbackId id, CUgraphNode node)
{
    CUpti_GraphData data{};
    data.node = node;
    data.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
    tell(id, &data);
}

void node_created(CUgraphNode node)
{
    if (all().sees_new_nodes) node_told(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, node);
}

void node_cloned(CUgraphNode node)
{
    if (all().sees_cloned_nodes) node_told(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, node);
}

CUpti_CallbackId id_of(fake::call which)
{
    switch (which) {
        case fake::call::launch:
            return CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
        case fake::call::launch_cooperative:
            return CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel;
        case fake::call::launch_ex:
            return CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx;
        case fake::call::allocate:
            return CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2;
        case fake::call::load:
            return CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData;
        case fake::call::load_file:
            return CUPTI_DRIVER_TRACE_CBID_cuModuleLoad;
        case fake::call::unload:
            return CUPTI_DRIVER_TRACE_CBID_cuModuleUnload;
        case fake::call::load_library:
            return CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData;
        case fake::call::kernel_function:
            return CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction;
        case fake::call::link:
            return CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2;
        case fake::call::pin:
            return CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc;
        default:
            return CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2;
    }
}

// The correlation id of this thread's current call.
thread_local std::uint32_t correlation_id = 0;

void called(fake::call which, const void* parameters, bool enters, CUresult result, const char* kernel)
{
    static std::atomic<std::uint32_t> last_id = 0;
    if (enters) correlation_id = ++last_id;
    if (all().callback == nullptr || !all().calls.contains(id_of(which))) return;
    thread_local std::uint64_t correlation = 0;
    if (enters) correlation = 0;
    if (kernel != nullptr) note("launch");
    CUpti_CallbackData data{};
    data.callbackSite = enters ? CUPTI_API_ENTER : CUPTI_API_EXIT;
    data.functionParams = parameters;
    data.functionReturnValue = &result;
    data.symbolName = kernel;
    data.correlationData = &correlation;
    data.correlationId = correlation_id;
    all().callback(all().callback_data, CUPTI_CB_DOMAIN_DRIVER_API, id_of(which), &data);
}

void launched(const fake::launched_kernel& kernel)
{
    if (!all().sees_kernels) return;
    note("record");
    record made{};
    made.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    made.name = kernel.name;
    made.gridX = static_cast<int>(kernel.grid[0]);
    made.gridY = static_cast<int>(kernel.grid[1]);
    made.gridZ = static_cast<int>(kernel.grid[2]);
    made.blockX = static_cast<int>(kernel.block[0]);
    made.blockY = static_cast<int>(kernel.block[1]);
    made.blockZ = static_cast<int>(kernel.block[2]);
    made.clusterX = kernel.cluster[0];
    made.clusterY = kernel.cluster[1];
    made.clusterZ = kernel.cluster[2];
    made.registersPerThread = static_cast<std::uint16_t>(std::max(16, kernel.registers));  // as on an H200
    made.staticSharedMemory = kernel.static_shared;
    made.dynamicSharedMemory = kernel.dynamic_shared;
    made.localMemoryPerThread = static_cast<std::uint32_t>(kernel.local_bytes);
    made.isSharedMemoryCarveoutRequested = kernel.carveout >= 0 ? 1 : 0;
    made.sharedMemoryCarveoutRequested = static_cast<std::uint8_t>(kernel.carveout >= 0 ? kernel.carveout : 0);
    made.correlationId = correlation_id;
    made.graphNodeId = kernel.graph_node;
    made.launchType =
        kernel.extended ? CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE : CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
    made.start = 1'000'000 + static_cast<std::uint64_t>(kernel.begin_ns);
    made.end = 1'000'000 + static_cast<std::uint64_t>(kernel.end_ns);
    const std::string graph = cupti_plan().value("in_graph", std::string());
    if (!graph.empty() && std::regex_search(kernel.name, std::regex(graph))) made.graphNodeId = 7;
    std::size_t waiting = 0;
    {
        const std::lock_guard guard(all().lock);
        all().waiting.push_back(made);
        waiting = all().waiting.size();
    }
    if (cupti_plan().value("deliver", std::string()) == "each" || waiting >= 10'000) deliver();
}

}  // namespace

#define DOUBLE extern "C" [[gnu::visibility("default")]] CUptiResult

DOUBLE cuptiGetVersion(std::uint32_t* version)
{
    *version = planned_version();
    return CUPTI_SUCCESS;
}
DOUBLE cuptiGetResultString(CUptiResult, const char** text)
{
    *text = "CUPTI_ERROR_OF_THE_DOUBLE";
    return CUPTI_SUCCESS;
}
DOUBLE cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* data)
{
    if (const CUptiResult due = planned("cuptiSubscribe"); due != CUPTI_SUCCESS) return due;
    all().callback = callback;
    all().callback_data = data;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&all());
    *fake_driver_listeners() = {called, context_created, module_loaded, launched, node_created, node_cloned};
    return CUPTI_SUCCESS;
}
DOUBLE cuptiUnsubscribe(CUpti_SubscriberHandle)
{
    *fake_driver_listeners() = {};
    all().callback = nullptr;
    return CUPTI_SUCCESS;
}
DOUBLE cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                           CUpti_CallbackId id)
{
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
        if (enable != 0)
            all().calls.insert(id);
        else
            all().calls.erase(id);
        return planned("cuptiEnableCallback");
    }
    if (domain != CUPTI_CB_DOMAIN_RESOURCE) return CUPTI_ERROR_INVALID_PARAMETER;
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) all().sees_contexts = enable != 0;
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) all().sees_modules = enable != 0;
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) all().sees_new_nodes = enable != 0;
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) all().sees_cloned_nodes = enable != 0;
    return planned("cuptiEnableCallback");
}
DOUBLE cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give, CUpti_BuffersCallbackCompleteFunc take)
{
    all().give = give;
    all().take = take;
    return planned("cuptiActivityRegisterCallbacks");
}
DOUBLE cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return CUPTI_ERROR_INVALID_KIND;
    all().sees_kernels = true;
    return planned("cuptiActivityEnable");
}
DOUBLE cuptiActivityDisable(CUpti_ActivityKind)
{
    all().sees_kernels = false;
    return CUPTI_SUCCESS;
}
DOUBLE cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id)
{
    *id = fake_driver_node_number(node);
    return CUPTI_SUCCESS;
}
DOUBLE cuptiActivityFlushPeriod(std::uint32_t)
{
    return planned("cuptiActivityFlushPeriod");
}
DOUBLE cuptiActivityFlushAll(std::uint32_t)
{
    const std::size_t unfinished = cupti_plan().value("unfinished", std::size_t{0});
    {
        const std::lock_guard guard(all().lock);
        for (std::size_t i = 0; i < unfinished && i < all().waiting.size(); ++i) {
            record& last = all().waiting[all().waiting.size() - 1 - i];
            last.start = last.end = 0;
        }
    }
    deliver();
    return CUPTI_SUCCESS;
}
DOUBLE cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** activity)
{
    std::uint8_t* const next =
        *activity == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*activity) + record_bytes();
    if (next + record_bytes() > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *activity = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
}
DOUBLE cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped)
{
    static bool is_told = false;
    *dropped = is_told ? 0 : cupti_plan().value("dropped", std::size_t{0});
    is_told = true;
    return CUPTI_SUCCESS;
}
