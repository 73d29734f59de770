// The functions of the CUDA driver that launchbox uses, on the double's machine.
#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <utility>

#include "graphs.hpp"
#include "image/cubin.hpp"
#include "listeners.hpp"
#include "machine.hpp"

using fake::event;
using fake::fault;
using fake::function;
using fake::gpu;
using fake::json;
using fake::module;

namespace {

// Like the driver: after an error the stream does nothing, and every call that checks it finds the error.
CUresult look_at_stream()
{
    if (gpu().dead != CUDA_SUCCESS) return gpu().dead;
    if (gpu().blocked_by != nullptr && *gpu().blocked_by == 0) return CUDA_ERROR_NOT_READY;
    if (gpu().pending != CUDA_SUCCESS) return gpu().dead = gpu().pending;
    if (gpu().hung) return CUDA_ERROR_NOT_READY;
    return CUDA_SUCCESS;
}

template <class Work>
CUresult work(double ns, Work what)
{
    if (gpu().dead != CUDA_SUCCESS) return gpu().dead;
    if (gpu().hung || gpu().pending != CUDA_SUCCESS) return CUDA_SUCCESS;  // queued behind work that never ends
    what();
    gpu().clock_ns += ns;
    return CUDA_SUCCESS;
}

int attribute(CUdevice_attribute which, const json& device)
{
    const auto capability = device.value("capability", std::vector<int>{9, 0});
    switch (which) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            return capability.at(0);
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            return capability.at(1);
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
            return device.value("sms", 132);
        case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
            return device.value("ecc", 1);
        case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
            return device.value("l2_bytes", 1 << 20);
        case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
            return device.value("sm_clock_khz", 1980000);
        case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
            return device.value("memory_clock_khz", 3201000);
        case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
            return device.value("memory_bus_bits", 6144);
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
            return device.value("threads_per_sm", 2048);
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
            return device.value("blocks_per_sm", 32);
        case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
        case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
            return 65536;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
            return device.value("shared_per_sm", 233472);
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
            return 49152;
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
            return device.value("shared_per_block", 232448);
        case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
            return 1024;
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
            return 64;
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
            return 2147483647;
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
            return 65535;
        default:
            return 0;
    }
}

std::size_t device_memory(int device)
{
    return fake::device_plan(device).value("memory_bytes", std::size_t{8} << 30);
}

char* at(CUdeviceptr pointer)
{
    return reinterpret_cast<char*>(pointer);  // NOLINT(performance-no-int-to-ptr): the driver's pointers are numbers
}

using sizes = std::array<unsigned, 3>;

fake::listeners& listeners()
{
    static fake::listeners all;
    return all;
}

struct kernel {
    CUmodule module;  // of the library; also the library's handle
    std::string name;
};
// Never destroyed, like libraries.
std::map<const void*, std::unique_ptr<kernel>>& kernels()
{
    static auto& all = *new std::map<const void*, std::unique_ptr<kernel>>;
    return all;
}
CUfunction function_of(const kernel& what)
{
    return reinterpret_cast<CUfunction>(&reinterpret_cast<module*>(what.module)->functions.at(what.name));
}

// A kernel of a library may be passed as a function.
function& launched_function(CUfunction what)
{
    const auto found = kernels().find(what);
    return *reinterpret_cast<function*>(found == kernels().end() ? what : function_of(*found->second));
}

// Launches of users' kernels; launchbox's own have extern "C" names.
std::atomic<long> launches_of_users = 0;

CUresult launch(CUfunction what, const sizes& grid, const sizes& block, const sizes& cluster, unsigned shared,
                bool extended, void** parameters, bool cooperative = false, std::uint64_t graph_node = 0)
{
    const auto all = [](const sizes& of) { return std::uint64_t{of[0]} * of[1] * of[2]; };
    function& of = launched_function(what);
    if (fake::is_capturing()) {
        fake::graph_node node{.what = what,
                              .grid = grid,
                              .block = block,
                              .cluster = cluster,
                              .shared = shared,
                              .cooperative = cooperative,
                              .parameters = {}};
        for (std::size_t i = 0; i < 3; ++i) std::memcpy(&node.parameters[i], parameters[i], i < 2 ? 8 : 4);
        fake::add_node(node);
        return CUDA_SUCCESS;
    }
    if (of.name == "plain" || of.name.starts_with("_Z")) ++launches_of_users;
    const double begin = gpu().clock_ns;
    const CUresult result =
        fake::launch(of, {all(grid), all(block), std::max<std::uint64_t>(1, all(cluster)), shared}, parameters);
    if (result == CUDA_SUCCESS && listeners().launched != nullptr) {
        static auto& names = *new std::set<std::string>;  // never destroyed: records are read while the process ends
        listeners().launched({.name = names.insert(of.name).first->c_str(),
                              .grid = grid,
                              .block = block,
                              .cluster = cluster,
                              .registers = of.kernel.figures.registers.value_or(0),
                              .static_shared = static_cast<int>(of.kernel.figures.static_shared_bytes.value_or(0)),
                              .dynamic_shared = static_cast<int>(shared),
                              .local_bytes = static_cast<int>(of.kernel.figures.stack_frame_bytes.value_or(0)),
                              .carveout = of.carveout,
                              .extended = extended,
                              .graph_node = graph_node,
                              .begin_ns = begin,
                              .end_ns = gpu().clock_ns});
    }
    return result;
}

}  // namespace

CUresult fake::run_node(const graph_node& node)
{
    auto parameters = node.parameters;
    std::array<void*, 3> places{&parameters[0], &parameters[1], &parameters[2]};
    return ::launch(node.what, node.grid, node.block, node.cluster, node.shared, false, places.data(), node.cooperative,
                    node.number);
}

namespace {

// Notifies listeners before and after a call.
template <class Parameters, class Work>
CUresult told(fake::call which, const Parameters& parameters, const char* kernel, Work what)
{
    const auto tell = [&](bool enters, CUresult result) {
        if (listeners().called != nullptr) listeners().called(which, &parameters, enters, result, kernel);
    };
    tell(true, CUDA_SUCCESS);
    const CUresult result = what();
    tell(false, result);
    return result;
}

const char* name_of(CUfunction what)
{
    static auto& names = *new std::set<std::string>;
    return names.insert(launched_function(what).name).first->c_str();
}

// $FAKE_GPU_MEMORY_AT: where the memory of this process starts; if not set: wherever there is room.
CUdeviceptr next_address(std::size_t bytes)
{
    static const char* const from = std::getenv("FAKE_GPU_MEMORY_AT");
    static CUdeviceptr next = from == nullptr ? 0 : std::strtoull(from, nullptr, 16);
    if (from == nullptr) return 0;
    const CUdeviceptr here = next;
    next += (bytes + 511) / 512 * 512;
    constexpr std::size_t page = 4096;
    const CUdeviceptr first = here / page * page;
    // The page of the previous one exists already.
    for (CUdeviceptr next_page = first; next_page < here + bytes; next_page += page)
        static_cast<void>(::mmap(at(next_page), page, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
    return here;
}

// Like the driver: once per process, at the first cuInit.
void load_injection()
{
    static bool is_loaded = false;
    const char* const library = std::getenv("CUDA_INJECTION64_PATH");
    if (is_loaded || library == nullptr) return;
    is_loaded = true;
    void* const loaded = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) return;
    if (const auto start = reinterpret_cast<int (*)()>(::dlsym(loaded, "InitializeInjection")); start != nullptr)
        start();
}

}  // namespace

#define DOUBLE extern "C" [[gnu::visibility("default")]] CUresult

extern "C" [[gnu::visibility("default")]] fake::listeners* fake_driver_listeners()
{
    return &listeners();
}

DOUBLE cuInit(unsigned)
{
    load_injection();
    return fault("init", "");
}
DOUBLE cuDriverGetVersion(int* version)
{
    *version = fake::plan().value("driver_version", 13000);
    return CUDA_SUCCESS;
}
DOUBLE cuGetErrorName(CUresult code, const char** name)
{
    static const std::map<int, const char*> names{{1, "CUDA_ERROR_INVALID_VALUE"},
                                                  {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                  {500, "CUDA_ERROR_NOT_FOUND"},
                                                  {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                  {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                  {710, "CUDA_ERROR_ASSERT"},
                                                  {719, "CUDA_ERROR_LAUNCH_FAILED"}};
    const auto found = names.find(code);
    *name = found == names.end() ? "CUDA_ERROR_OF_THE_DOUBLE" : found->second;
    return CUDA_SUCCESS;
}
DOUBLE cuGetErrorString(CUresult, const char** text)
{
    *text = "as the plan says";
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceGetCount(int* count)
{
    *count = fake::plan().contains("devices") ? static_cast<int>(fake::plan().at("devices").size()) : 1;
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceGet(CUdevice* device, int number)
{
    int count = 0;
    cuDeviceGetCount(&count);
    if (number < 0 || number >= count) return CUDA_ERROR_INVALID_DEVICE;
    *device = number;
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceGetName(char* name, int length, CUdevice device)
{
    std::strncpy(name, fake::device_plan(device).value("name", std::string("Double")).c_str(),
                 static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device)
{
    *value = attribute(which, fake::device_plan(device));
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device)
{
    *bytes = device_memory(device);
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceGetPCIBusId(char* bus, int length, CUdevice device)
{
    std::strncpy(bus, ("0000:0" + std::to_string(device) + ":00.0").c_str(), static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
}
DOUBLE cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device)
{
    std::memset(uuid->bytes, 0, sizeof uuid->bytes);
    uuid->bytes[sizeof uuid->bytes - 1] = static_cast<char>(device + 1);
    return CUDA_SUCCESS;
}
DOUBLE cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned)
{
    return CUDA_SUCCESS;
}
DOUBLE cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice)
{
    *context = reinterpret_cast<CUcontext>(&gpu());
    if (listeners().context_created != nullptr) listeners().context_created();
    return fault("context", "");
}
DOUBLE cuCtxSetCurrent(CUcontext)
{
    return gpu().dead;
}

// Like a context, keeps modules that a program never unloads. Never destroyed: threads may still use them.
struct loaded_modules {
    std::mutex lock;
    std::map<CUmodule, std::unique_ptr<module>> all;
};
static loaded_modules& modules()
{
    static auto* const all = new loaded_modules;
    return *all;
}

static CUresult load_module(CUmodule* to, const void* image)
{
    if (gpu().dead != CUDA_SUCCESS) return gpu().dead;
    auto loaded = std::make_unique<module>();
    const char* bytes = static_cast<const char*>(image);
    std::string compiled;
    if (const std::string cubin = fake::plan().value("compiled", std::string());
        !cubin.empty() && std::memcmp(bytes,
                                      "\x7f"
                                      "ELF",
                                      4) != 0) {
        std::ifstream in(cubin, std::ios::binary);
        compiled.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        bytes = compiled.c_str();
    }
    if (std::strncmp(bytes, ".version", 8) == 0) {  // the helpers, known by name
        const std::string_view ptx(bytes), entry = ".entry ";
        for (std::size_t at = ptx.find(entry); at != ptx.npos; at = ptx.find(entry, at + 1)) {
            const std::size_t start = at + entry.size();
            const std::string name(ptx.substr(start, ptx.find('(', start) - start));
            loaded->functions[name].name = name;
        }
    } else {
        if (std::memcmp(bytes,
                        "\x7f"
                        "ELF",
                        4) != 0)
            return CUDA_ERROR_INVALID_IMAGE;
        // The driver gets no size either: the section table comes last.
        std::uint64_t table = 0;
        std::uint16_t size = 0, count = 0;
        std::memcpy(&table, bytes + 0x28, 8);
        std::memcpy(&size, bytes + 0x3a, 2);
        std::memcpy(&count, bytes + 0x3c, 2);
        std::uint64_t end = table + std::uint64_t{size} * count;
        std::uint64_t programs = 0;
        std::uint16_t program_size = 0, program_count = 0;
        std::memcpy(&programs, bytes + 0x20, 8);
        std::memcpy(&program_size, bytes + 0x36, 2);
        std::memcpy(&program_count, bytes + 0x38, 2);
        end = std::max(end, programs + std::uint64_t{program_size} * program_count);
        for (const launchbox::kernel_info& kernel : launchbox::read_cubin({bytes, end}, "module").kernels) {
            function& function = loaded->functions[kernel.name];
            function.name = kernel.name;
            function.kernel = kernel;
            function.owner = loaded.get();
        }
        gpu().kernel.clear();
        for (const auto& function : loaded->functions) gpu().kernel += function.first + " ";
        if (const CUresult due = fault("load", gpu().kernel); due != CUDA_SUCCESS) return due;
        if (listeners().module_loaded != nullptr) listeners().module_loaded(bytes, end);
    }
    *to = reinterpret_cast<CUmodule>(loaded.get());
    const std::lock_guard guard(modules().lock);
    modules().all.emplace(*to, std::move(loaded));
    return CUDA_SUCCESS;
}
DOUBLE cuModuleLoadData(CUmodule* to, const void* image)
{
    return told(fake::call::load, fake::load_parameters{to, image}, nullptr, [&] { return load_module(to, image); });
}
DOUBLE cuModuleLoad(CUmodule* to, const char* file)
{
    return told(fake::call::load_file, fake::load_file_parameters{to, file}, nullptr, [&] {
        std::ifstream in(file, std::ios::binary);
        const std::string image{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        return in ? load_module(to, image.c_str()) : CUDA_ERROR_FILE_NOT_FOUND;
    });
}
DOUBLE cuModuleUnload(CUmodule what)
{
    return told(fake::call::unload, fake::unload_parameters{what}, nullptr, [&] {
        const std::lock_guard guard(modules().lock);
        modules().all.erase(what);
        return gpu().dead;
    });
}
DOUBLE cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes, const char* name,
                        unsigned count, CUjit_option* options, void** values)
{
    return told(fake::call::link, fake::link_parameters{state, type, data, bytes, name, count, options, values},
                nullptr, [] { return CUDA_SUCCESS; });
}
DOUBLE cuLibraryLoadData(CUlibrary* to, const void* image, CUjit_option* compiler_options, void** compiler_values,
                         unsigned compiler_count, CUlibraryOption* options, void** values, unsigned count)
{
    const fake::load_library_parameters all{to,     image, compiler_options, compiler_values, compiler_count, options,
                                            values, count};
    return told(fake::call::load_library, all, nullptr,
                [&] { return load_module(reinterpret_cast<CUmodule*>(to), image); });
}
DOUBLE cuLibraryGetKernel(CUkernel* to, CUlibrary from, const char* name)
{
    auto made = std::make_unique<kernel>(kernel{.module = reinterpret_cast<CUmodule>(from), .name = name});
    *to = reinterpret_cast<CUkernel>(made.get());
    const void* const handle = made.get();
    kernels()[handle] = std::move(made);
    return CUDA_SUCCESS;
}
DOUBLE cuKernelGetLibrary(CUlibrary* to, CUkernel what)
{
    const auto found = kernels().find(what);
    if (found == kernels().end()) return CUDA_ERROR_INVALID_HANDLE;
    *to = reinterpret_cast<CUlibrary>(found->second->module);
    return CUDA_SUCCESS;
}
DOUBLE cuKernelGetFunction(CUfunction* to, CUkernel what)
{
    return told(fake::call::kernel_function, fake::kernel_function_parameters{to, what}, nullptr, [&] {
        const auto found = kernels().find(what);
        if (found == kernels().end()) return CUDA_ERROR_INVALID_HANDLE;
        *to = function_of(*found->second);
        return CUDA_SUCCESS;
    });
}
DOUBLE cuModuleGetFunction(CUfunction* to, CUmodule from, const char* name)
{
    auto& functions = reinterpret_cast<module*>(from)->functions;
    const auto found = functions.find(name);
    if (found == functions.end()) return CUDA_ERROR_NOT_FOUND;
    if (const CUresult due = fault("function", name); due != CUDA_SUCCESS) return due;
    *to = reinterpret_cast<CUfunction>(&found->second);
    return CUDA_SUCCESS;
}
DOUBLE cuModuleGetGlobal_v2(CUdeviceptr* to, std::size_t* bytes, CUmodule from, const char* name)
{
    const json there = fake::plan().value("variables", json::object());
    if (!there.contains(name)) return CUDA_ERROR_NOT_FOUND;
    std::vector<char>& variable = reinterpret_cast<module*>(from)->variables[name];
    variable.resize(there.at(name).get<std::size_t>());
    gpu().variable = &variable;
    *to = reinterpret_cast<CUdeviceptr>(variable.data());
    *bytes = variable.size();
    return CUDA_SUCCESS;
}
DOUBLE cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction what)
{
    const function& of = *reinterpret_cast<function*>(what);
    *value = 0;
    if (which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
        *value = static_cast<int>(of.kernel.figures.static_shared_bytes.value_or(0));
    if (which == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = of.kernel.figures.registers.value_or(0);
    if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) *value = of.carveout;
    if (which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
        *value = of.kernel.bounds.max_threads
                     ? of.kernel.bounds.max_threads->at(0) * of.kernel.bounds.max_threads->at(1)
                     : 1024;
    return gpu().dead;
}
DOUBLE cuFuncSetAttribute(CUfunction what, CUfunction_attribute which, int value)
{
    function& of = *reinterpret_cast<function*>(what);
    if (const CUresult due = fault("attribute", of.name); due != CUDA_SUCCESS) return due;
    if (which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        const auto fixed = static_cast<int>(of.kernel.figures.static_shared_bytes.value_or(0));
        if (value + fixed > attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, fake::device_plan(0)))
            return CUDA_ERROR_INVALID_VALUE;
        of.allowed_dynamic_shared = value;
    }
    if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) of.carveout = value;
    if (which == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) of.large_clusters = value != 0;
    return CUDA_SUCCESS;
}
// From the plan, since the double computes with these three: two pointers and a count.
DOUBLE cuFuncGetParamInfo(CUfunction what, std::size_t index, std::size_t* offset, std::size_t* bytes)
{
    if (kernels().contains(what)) return CUDA_ERROR_INVALID_HANDLE;
    const auto sizes = fake::plan().value("parameter_bytes", std::vector<std::size_t>{8, 8, 4});
    if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
    *bytes = sizes[index];
    *offset = 8 * index;
    return CUDA_SUCCESS;
}
// NVRTC looks for a driver too, and calls this without checking whether it exists.
DOUBLE cuGetExportTable(const void**, const CUuuid*)
{
    return CUDA_ERROR_NOT_SUPPORTED;
}
DOUBLE cuLaunchKernel(CUfunction what, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b, unsigned c,
                      unsigned shared, CUstream stream, void** parameters, void** extra)
{
    const fake::launch_parameters all{what, x, y, z, a, b, c, shared, stream, parameters, extra};
    return told(fake::call::launch, all, name_of(what), [&] {
        return launch(what, {x, y, z}, {a, b, c}, {0, 0, 0}, shared, false, parameters);
    });
}
DOUBLE cuLaunchCooperativeKernel(CUfunction what, unsigned x, unsigned y, unsigned z, unsigned a, unsigned b,
                                 unsigned c, unsigned shared, CUstream stream, void** parameters)
{
    const fake::launch_parameters all{what, x, y, z, a, b, c, shared, stream, parameters, nullptr};
    return told(fake::call::launch_cooperative, all, name_of(what), [&] {
        return launch(what, {x, y, z}, {a, b, c}, {0, 0, 0}, shared, true, parameters, true);
    });
}
extern "C" [[gnu::visibility("default")]] long fake_gpu_launches()
{
    return launches_of_users;
}

DOUBLE cuLaunchKernelEx(const CUlaunchConfig* how, CUfunction what, void** parameters, void** extra)
{
    sizes cluster{};
    bool cooperative = false;
    for (unsigned i = 0; i < how->numAttrs; ++i)
        if (how->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
            cooperative = how->attrs[i].value.cooperative != 0;
        else if (how->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            cluster = {how->attrs[i].value.clusterDim.x, how->attrs[i].value.clusterDim.y,
                       how->attrs[i].value.clusterDim.z};
    const fake::launch_ex_parameters all{how, what, parameters, extra};
    return told(fake::call::launch_ex, all, name_of(what), [&] {
        return launch(what, {how->gridDimX, how->gridDimY, how->gridDimZ},
                      {how->blockDimX, how->blockDimY, how->blockDimZ}, cluster, how->sharedMemBytes, how->numAttrs > 0,
                      parameters, cooperative);
    });
}
DOUBLE cuFuncGetModule(CUmodule* to, CUfunction what)
{
    if (kernels().contains(what)) return CUDA_ERROR_INVALID_HANDLE;
    *to = reinterpret_cast<CUmodule>(reinterpret_cast<function*>(what)->owner);
    return CUDA_SUCCESS;
}
DOUBLE cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status)
{
    *status = fake::is_capturing() || fake::plan().value("in_stream_capture", false) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                                                     : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
DOUBLE cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode*)
{
    return CUDA_SUCCESS;
}
DOUBLE cuCtxSynchronize()
{
    return look_at_stream();
}
DOUBLE cuPointerGetAttribute(void* to, CUpointer_attribute which, CUdeviceptr what)
{
    if (which != CU_POINTER_ATTRIBUTE_MEMORY_TYPE) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& [start, size] : gpu().host)
        if (what - start < size) {
            *static_cast<unsigned*>(to) = CU_MEMORYTYPE_HOST;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

DOUBLE cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*, CUmemAllocationGranularity_flags)
{
    *bytes = std::size_t{2} << 20;
    return CUDA_SUCCESS;
}
DOUBLE cuMemAddressReserve(CUdeviceptr* to, std::size_t bytes, std::size_t, CUdeviceptr wanted, unsigned long long)
{
    if (std::getenv("FAKE_GPU_NO_ADDRESSES") != nullptr) wanted = 0;
    void* const got = ::mmap(::at(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *to = reinterpret_cast<CUdeviceptr>(got);
    return got == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
DOUBLE cuMemAddressFree(CUdeviceptr what, std::size_t bytes)
{
    ::munmap(::at(what), bytes);
    return CUDA_SUCCESS;
}
DOUBLE cuMemCreate(CUmemGenericAllocationHandle* to, std::size_t bytes, const CUmemAllocationProp*, unsigned long long)
{
    if (gpu().used + bytes > device_memory(0)) return CUDA_ERROR_OUT_OF_MEMORY;
    gpu().used += bytes;
    *to = bytes;
    return CUDA_SUCCESS;
}
DOUBLE cuMemRelease(CUmemGenericAllocationHandle what)
{
    gpu().used -= what;
    return CUDA_SUCCESS;
}
DOUBLE cuMemMap(CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle, unsigned long long)
{
    return CUDA_SUCCESS;
}
DOUBLE cuMemSetAccess(CUdeviceptr at, std::size_t bytes, const CUmemAccessDesc*, std::size_t)
{
    return ::mprotect(::at(at), bytes, PROT_READ | PROT_WRITE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
DOUBLE cuMemUnmap(CUdeviceptr at, std::size_t bytes)
{
    return ::mprotect(::at(at), bytes, PROT_NONE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
DOUBLE cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes)
{
    return work(100, [&] { std::memcpy(to, at(from), bytes); });
}

DOUBLE cuMemAlloc_v2(CUdeviceptr* to, std::size_t bytes)
{
    if (const CUresult due = fault("alloc", gpu().kernel); due != CUDA_SUCCESS) return due;
    if (gpu().used + bytes > device_memory(0)) return CUDA_ERROR_OUT_OF_MEMORY;
    return told(fake::call::allocate, fake::allocate_parameters{to, bytes}, nullptr, [&] {
        std::unique_ptr<char[]> block;
        *to = next_address(bytes);
        if (*to == 0) {
            block.reset(new (std::nothrow) char[bytes + 512]);
            if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
            *to = (reinterpret_cast<CUdeviceptr>(block.get()) + 255) & ~CUdeviceptr{255};
        }
        gpu().memory[*to] = {std::move(block), bytes};
        gpu().used += bytes;
        return CUDA_SUCCESS;
    });
}
DOUBLE cuMemFree_v2(CUdeviceptr what)
{
    const auto found = gpu().memory.find(what);
    if (found == gpu().memory.end()) return CUDA_ERROR_INVALID_VALUE;
    return told(fake::call::free, fake::free_parameters{what}, nullptr, [&] {
        gpu().used -= found->second.second;
        gpu().memory.erase(found);
        return gpu().dead;
    });
}
DOUBLE cuMemHostAlloc(void** to, std::size_t bytes, unsigned flags)
{
    return told(fake::call::pin, fake::pin_parameters{to, bytes, flags}, nullptr, [&] {
        *to = ::operator new(bytes, std::align_val_t{4096});
        gpu().host[reinterpret_cast<CUdeviceptr>(*to)] = bytes;
        return gpu().dead;
    });
}
DOUBLE cuMemHostGetDevicePointer_v2(CUdeviceptr* to, void* host, unsigned)
{
    *to = reinterpret_cast<CUdeviceptr>(host);
    return gpu().dead;
}
DOUBLE cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream)
{
    return work(100, [&] { std::memcpy(at(to), from, bytes); });
}
DOUBLE cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream)
{
    return work(100, [&] { std::memcpy(to, at(from), bytes); });
}
DOUBLE cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream)
{
    return work(100, [&] { std::memmove(at(to), at(from), bytes); });
}
DOUBLE cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream)
{
    return work(100, [&] { std::memset(at(to), value, bytes); });
}
DOUBLE cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t words, CUstream)
{
    return work(100, [&] { std::fill_n(reinterpret_cast<unsigned*>(at(to)), words, value); });
}

DOUBLE cuStreamCreate(CUstream* to, unsigned)
{
    *to = reinterpret_cast<CUstream>(&gpu());
    return gpu().dead;
}
DOUBLE cuStreamQuery(CUstream)
{
    return look_at_stream();
}
DOUBLE cuEventCreate(CUevent* to, unsigned)
{
    *to = reinterpret_cast<CUevent>(new event);
    return gpu().dead;
}
DOUBLE cuEventRecord(CUevent what, CUstream)
{
    return work(0, [&] { reinterpret_cast<event*>(what)->at_ns = gpu().clock_ns; });
}
DOUBLE cuEventQuery(CUevent)
{
    return look_at_stream();
}
DOUBLE cuEventElapsedTime_v2(float* milliseconds, CUevent begin, CUevent end)
{
    *milliseconds =
        static_cast<float>((reinterpret_cast<event*>(end)->at_ns - reinterpret_cast<event*>(begin)->at_ns) * 1e-6);
    return gpu().dead;
}
