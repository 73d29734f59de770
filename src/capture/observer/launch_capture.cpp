// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/launch_capture.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "capture/record/launch_format.hpp"
#include "capture/record/no_size_signal.hpp"
#include "image/elf.hpp"

namespace launchbox {

struct launch_capture::launch {
    CUfunction function = nullptr;
    std::array<unsigned, 3> grid{}, block{}, cluster{1, 1, 1};
    unsigned dynamic_shared = 0;
    CUstream stream = nullptr;
    void** parameters = nullptr;
    void** extra = nullptr;
    bool cooperative = false;
    std::string other_attributes;  ///< numbers of those that a replay does not have
    const char* name = nullptr;
};

namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 20, max_parameter_bytes = 64 << 10, max_parameters = 4096;
constexpr std::size_t max_demangled_bytes = 4096;  // libstdc++'s demangler recurses
constexpr std::uint8_t symbol_object = 1;

constexpr std::array launch_calls{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

// Ends the capture, not the program.
struct cannot_capture {
    std::string why;
};

// Calls that we make ourselves on this thread are not the program's.
thread_local bool is_ours = false;

class own_calls {
public:
    explicit own_calls(const driver_calls& driver) : driver_(driver)
    {
        is_ours = true;
        driver_.exchange_capture_mode(&mode_);
    }
    ~own_calls()
    {
        driver_.exchange_capture_mode(&mode_);
        is_ours = false;
    }
    own_calls(const own_calls&) = delete;
    own_calls& operator=(const own_calls&) = delete;

private:
    const driver_calls& driver_;
    // Another thread's capture of a stream into a graph is not to be ended by our copies.
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

std::string text_of(std::uint64_t number)
{
    return std::to_string(number);
}

std::string hex(std::uint64_t number)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%" PRIx64, number);
    return text.data();
}

// "void ns::kernel<int, 4>(float*)" -> "ns::kernel".
std::string qualified_name(const std::string& demangled)
{
    std::string name;
    int depth = 0;
    for (const char letter : demangled) {
        if (letter == '<') ++depth;
        if (depth == 0 && letter == '(' && !name.ends_with("operator") && !name.ends_with("::") && !name.empty()) break;
        if (depth == 0 && letter == ' ')
            name.clear();
        else if (depth == 0)
            name += letter;
        if (letter == '>' && depth > 0) --depth;
    }
    return name;
}

bool matches(const std::string& pattern, const char* name)
{
    const auto fits = [&](const std::string& one) {
        return one == pattern || ::fnmatch(pattern.c_str(), one.c_str(), 0) == 0;
    };
    if (fits(name)) return true;
    if (std::strlen(name) > max_demangled_bytes) return false;
    int status = 0;
    char* const demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const std::string full = demangled == nullptr ? "" : demangled;
    std::free(demangled);
    if (full.empty()) return false;
    const std::string qualified = qualified_name(full);
    const std::size_t colons = qualified.rfind("::");
    return fits(full) || fits(qualified) || (colons != qualified.npos && fits(qualified.substr(colons + 2)));
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise)
{
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

bool write_all(int file, const unsigned char* bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t written = ::write(file, bytes, size);
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

wanted_launch wanted_launch::of_environment()
{
    wanted_launch wanted;
    const char* const pattern = std::getenv(record::kernel_variable);
    if (pattern == nullptr) return wanted;
    wanted.pattern = pattern;
    wanted.nth = std::max<std::uint64_t>(1, number_in(record::nth_variable, 1));
    wanted.limit = number_in(record::limit_variable, std::uint64_t{4} << 30);
    wanted.all_memory = number_in(record::all_memory_variable, 0) != 0;
    if (const char* const shape = std::getenv(record::shape_variable)) {
        auto& s = wanted.shape;
        wanted.has_shape = std::sscanf(shape, "%u %u %u %u %u %u", &s[0], &s[1], &s[2], &s[3], &s[4], &s[5]) == 6;
    }
    return wanted;
}

std::vector<CUpti_CallbackId> launch_capture::calls()
{
    std::vector<CUpti_CallbackId> all(tracked_memory::calls().begin(), tracked_memory::calls().end());
    all.insert(all.end(), launch_calls.begin(), launch_calls.end());
    return all;
}

void launch_capture::called(CUpti_CallbackId id, const CUpti_CallbackData& call)
{
    if (is_ours || over_ || call.functionParams == nullptr) return;
    const bool enters = call.callbackSite == CUPTI_API_ENTER;
    if (std::ranges::find(launch_calls, static_cast<CUpti_driver_api_trace_cbid>(id)) == launch_calls.end()) {
        if (enters || *static_cast<const CUresult*>(call.functionReturnValue) != CUDA_SUCCESS) return;
        const std::lock_guard guard(lock_);
        memory_.called(id, call.functionParams);
        return;
    }
    launch what;
    what.name = call.symbolName;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
        const auto& given = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams);
        const CUlaunchConfig& config = *given.config;
        what.function = given.f;
        what.grid = {config.gridDimX, config.gridDimY, config.gridDimZ};
        what.block = {config.blockDimX, config.blockDimY, config.blockDimZ};
        what.dynamic_shared = config.sharedMemBytes;
        what.stream = config.hStream;
        what.parameters = given.kernelParams;
        what.extra = given.extra;
        for (unsigned i = 0; i < config.numAttrs; ++i) {
            const CUlaunchAttribute& attribute = config.attrs[i];
            if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
                what.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y,
                                attribute.value.clusterDim.z};
            else if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
                what.cooperative = attribute.value.cooperative != 0;
            else if (attribute.id != CU_LAUNCH_ATTRIBUTE_IGNORE)
                what.other_attributes += " " + std::to_string(static_cast<int>(attribute.id));
        }
    } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
               id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz) {
        const auto& given = *static_cast<const cuLaunchCooperativeKernel_params*>(call.functionParams);
        what.function = given.f;
        what.grid = {given.gridDimX, given.gridDimY, given.gridDimZ};
        what.block = {given.blockDimX, given.blockDimY, given.blockDimZ};
        what.dynamic_shared = given.sharedMemBytes;
        what.stream = given.hStream;
        what.parameters = given.kernelParams;
        what.cooperative = true;
    } else {
        const auto& given = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
        what.function = given.f;
        what.grid = {given.gridDimX, given.gridDimY, given.gridDimZ};
        what.block = {given.blockDimX, given.blockDimY, given.blockDimZ};
        what.dynamic_shared = given.sharedMemBytes;
        what.stream = given.hStream;
        what.parameters = given.kernelParams;
        what.extra = given.extra;
    }
    if (what.name == nullptr) return;

    constexpr std::uint64_t is_this_one = 0x6c626f78;
    if (enters) {
        if (call.correlationData == nullptr || !is_wanted(what)) return;
        const own_calls guard(driver_);
        try {
            before(what);
            *call.correlationData = is_this_one;
        } catch (const cannot_capture& failure) {
            fail(failure.why);
        } catch (const std::exception&) {
            fail("the launch was not captured: the program has no memory left for that");
        }
    } else if (call.correlationData != nullptr && *call.correlationData == is_this_one && function_ == what.function) {
        *call.correlationData = 0;
        const own_calls guard(driver_);
        try {
            if (*static_cast<const CUresult*>(call.functionReturnValue) != CUDA_SUCCESS)
                throw cannot_capture{"the launch was not captured: the driver refused it, error " +
                                     text_of(*static_cast<const CUresult*>(call.functionReturnValue))};
            after(what);
            over_ = true;
        } catch (const cannot_capture& failure) {
            fail(failure.why);
        } catch (const std::exception&) {
            fail("the launch was not captured: the program has no memory left for that");
        }
    }
}

bool launch_capture::fits(CUfunction function, const char* name)
{
    // A function of a module that is gone may come again as another.
    const auto [known, is_new] = fits_.try_emplace(function, name, false);
    if (is_new || known->second.first != name) known->second = {name, matches(wanted_.pattern, name)};
    return known->second.second;
}

bool launch_capture::is_wanted(const launch& what)
{
    const std::lock_guard guard(lock_);
    if (over_ || function_ != nullptr || !fits(what.function, what.name)) return false;
    if (wanted_.has_shape && wanted_.shape != std::array{what.grid[0], what.grid[1], what.grid[2], what.block[0],
                                                         what.block[1], what.block[2]})
        return false;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    is_ours = true;
    const CUresult asked = driver_.is_capturing(what.stream, &status);
    is_ours = false;
    if (asked != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE) {
        ++in_stream_capture_;
        return false;
    }
    if (++seen_ != wanted_.nth) return false;
    if (!claim()) {
        over_ = true;
        return false;
    }
    function_ = what.function;
    return true;
}

// Of several processes that are observed, one keeps the launch.
bool launch_capture::claim()
{
    const int file = ::open(path(record::claim_file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    ::close(file);
    return true;
}

void launch_capture::before(const launch& what)
{
    if (const CUresult waited = driver_.synchronize(); waited != CUDA_SUCCESS)
        throw cannot_capture{"the launch was not captured: waiting for what was launched before it ended with error " +
                             text_of(waited) +
                             (waited == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                  ? ", since another stream was being captured into a graph: try --nth"
                                  : "")};
    take_arguments(what);
    take_variables();
    look_for_pointers(arguments_);
    refuse_foreign_pointers();
    if (wanted_.all_memory) {
        const std::lock_guard guard(lock_);
        for (const memory_range& range : memory_.all())
            if (known_ranges_.insert(range.address).second)
                kept_.push_back({"memory", kept_.size(), range.address, range.bytes, range.kind, {}, false});
    }
    take_memory();
}

void launch_capture::take_arguments(const launch& what)
{
    CUfunction function = what.function;
    std::size_t offset = 0, bytes = 0, end = 0;
    CUresult told = driver_.parameter(function, 0, &offset, &bytes);
    if (told != CUDA_SUCCESS) {  // a CUkernel may be given as a CUfunction
        CUfunction of_kernel = nullptr;
        if (driver_.function_of_kernel(&of_kernel, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS)
            function = of_kernel;
        told = driver_.parameter(function, 0, &offset, &bytes);
    }
    for (std::size_t i = 0; told == CUDA_SUCCESS && i < max_parameters;
         told = driver_.parameter(function, ++i, &offset, &bytes)) {
        if (bytes > max_parameter_bytes || offset > max_parameter_bytes) break;
        parameters_.emplace_back(offset, bytes);
        end = std::max(end, offset + bytes);
    }
    arguments_.assign(end, 0);
    if (what.parameters != nullptr) {
        for (std::size_t i = 0; i < parameters_.size(); ++i)
            if (what.parameters[i] != nullptr)
                std::memcpy(arguments_.data() + parameters_[i].first, what.parameters[i], parameters_[i].second);
    } else if (what.extra != nullptr) {
        const void* buffer = nullptr;
        std::size_t size = 0;
        for (void** word = what.extra; *word != CU_LAUNCH_PARAM_END; word += 2) {
            if (*word == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = word[1];
            if (*word == CU_LAUNCH_PARAM_BUFFER_SIZE) size = *static_cast<const std::size_t*>(word[1]);
        }
        if (buffer != nullptr) std::memcpy(arguments_.data(), buffer, std::min(size, arguments_.size()));
    }
    constexpr std::array wanted{CU_FUNC_ATTRIBUTE_NUM_REGS,
                                CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
                                CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES};
    for (std::size_t i = 0; i < wanted.size(); ++i) driver_.attribute(&attributes_[i], wanted[i], function);

    CUmodule module = nullptr;
    if (driver_.module_of(&module, function) != CUDA_SUCCESS) return;
    std::set<std::string> names;
    {
        const std::lock_guard guard(lock_);
        for (const known_module& known : modules_)
            if (known.kernels.contains(std::string_view(what.name)))
                names.insert(known.variables.begin(), known.variables.end());
    }
    // Without the lock: looking a variable up may load a module, which `loaded` hears of on this thread.
    for (const std::string& name : names) {
        CUdeviceptr address = 0;
        std::size_t size = 0;
        if (driver_.variable(&address, &size, module, name.c_str()) != CUDA_SUCCESS || size == 0) continue;
        variables_at_[address] = kept_.size();
        kept_.push_back({"variable", kept_.size(), address, size, "variable", name, false});
    }
}

void launch_capture::take_variables()
{
    const std::size_t count = kept_.size();
    for (std::size_t i = 0; i < count; ++i) {
        const kept_memory variable = kept_[i];
        copy(variable, false, true);
    }
}

// Grows while it goes on: buffers lead to others.
void launch_capture::take_memory()
{
    for (std::size_t i = 0; i < kept_.size(); ++i) {
        if (kept_[i].what != "memory") continue;
        const kept_memory memory = kept_[i];
        copy(memory, false, true);
    }
}

void launch_capture::look_for_pointers(std::span<const unsigned char> bytes)
{
    CUdeviceptr lowest = 0, highest = 0;
    {
        const std::lock_guard guard(lock_);
        lowest = memory_.lowest();
        highest = memory_.highest();
    }
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
        CUdeviceptr word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if (word >= lowest && word < highest) look_up(word);
        if (variables_at_.empty() || word < variables_at_.begin()->first) continue;
        const auto variable = std::prev(variables_at_.upper_bound(word));
        kept_memory& of = kept_[variable->second];
        if (word - of.address < of.bytes) of.referenced = true;
    }
}

void launch_capture::look_up(CUdeviceptr address)
{
    const std::lock_guard guard(lock_);
    const memory_range range = memory_.find(address);
    if (range.bytes > 0 && known_ranges_.insert(range.address).second)
        kept_.push_back({"memory", kept_.size(), range.address, range.bytes, range.kind, {}, false});
}

bool launch_capture::is_tracked(CUdeviceptr address)
{
    const std::lock_guard guard(lock_);
    return memory_.find(address).bytes > 0;
}

// Words of arguments that point to memory that a replay cannot have.
void launch_capture::refuse_foreign_pointers()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        for (std::size_t at = parameters_[i].first; at + 8 <= parameters_[i].first + parameters_[i].second; at += 8) {
            CUdeviceptr word = 0;
            std::memcpy(&word, arguments_.data() + at, sizeof word);
            unsigned type = 0;
            if (word < 4096 || is_tracked(word) ||
                driver_.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, word) != CUDA_SUCCESS)
                continue;
            const std::string where = "the launch was not captured: its parameter " + text_of(i + 1);
            if (type == CU_MEMORYTYPE_HOST)
                throw cannot_capture{where + " points to pinned host memory, which is not captured"};
            bool is_variable = false;
            for (const kept_memory& variable : kept_)
                is_variable = is_variable || word - variable.address < variable.bytes;
            if (!is_variable)
                throw cannot_capture{where + " points to device memory at " + hex(word) +
                                     " that was not allocated in this process by a call that is followed: another "
                                     "process's (IPC), an array's, or a module's"};
        }
}

void launch_capture::copy(const kept_memory& memory, bool after, bool search)
{
    if (!after) {
        total_ += memory.bytes;
        if (total_ > wanted_.limit)
            throw cannot_capture{"the launch was not captured: it reaches at least " + text_of(total_) +
                                 " bytes of memory, and the limit is " + text_of(wanted_.limit) +
                                 ": raise it with --memory-limit"};
    }
    const record::no_size_signal guard;
    const std::string file = path(record::memory_file_name(memory.what.c_str(), memory.number, after));
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = to >= 0;
    piece_.resize(std::min(piece_bytes, std::max(piece_.size(), memory.bytes)));
    CUresult copied = CUDA_SUCCESS;
    for (std::size_t at = 0; written && copied == CUDA_SUCCESS && at < memory.bytes; at += piece_.size()) {
        const std::size_t bytes = std::min(piece_.size(), memory.bytes - at);
        copied = driver_.copy_to_host(piece_.data(), memory.address + at, bytes);
        if (copied != CUDA_SUCCESS) break;
        written = write_all(to, piece_.data(), bytes);
        if (search) look_for_pointers(std::span(piece_).first(bytes));
    }
    if (to >= 0) ::close(to);
    if (copied != CUDA_SUCCESS)
        throw cannot_capture{"the launch was not captured: copying " + text_of(memory.bytes) + " bytes of " +
                             memory.kind + " memory at " + hex(memory.address) + " ended with error " +
                             text_of(copied)};
    if (!written) throw cannot_capture{"the launch was not captured: there is no room on the disk for its memory"};
}

void launch_capture::after(const launch& what)
{
    if (const CUresult waited = driver_.synchronize(); waited != CUDA_SUCCESS)
        throw cannot_capture{"the launch was not captured: the kernel ended with error " + text_of(waited)};
    for (const kept_memory& memory : kept_) copy(memory, true, false);
    write_text(what);
}

void launch_capture::write_text(const launch& what)
{
    std::string text = std::string(record::launch_magic) + "\n";
    const auto line = [&](const std::string& key, const std::string& value) { text += key + " " + value + "\n"; };
    const auto three = [](const std::array<unsigned, 3>& of) {
        return text_of(of[0]) + " " + text_of(of[1]) + " " + text_of(of[2]);
    };
    line("process", text_of(static_cast<std::uint64_t>(::getpid())));
    line("number", text_of(seen_));
    line("grid", three(what.grid));
    line("block", three(what.block));
    line("cluster", three(what.cluster));
    line("dynamic_shared", text_of(what.dynamic_shared));
    line("cooperative", what.cooperative ? "1" : "0");
    line("registers", std::to_string(attributes_[0]));
    line("static_shared", std::to_string(attributes_[1]));
    line("local", std::to_string(attributes_[2]));
    line("carveout", std::to_string(attributes_[3]));
    line("max_threads", std::to_string(attributes_[4]));
    line("max_dynamic_shared", std::to_string(attributes_[5]));
    if (!what.other_attributes.empty()) line("other_attributes", what.other_attributes.substr(1));
    for (const auto& [offset, bytes] : parameters_) line("parameter", text_of(offset) + " " + text_of(bytes));
    std::string bytes;
    for (const unsigned char byte : arguments_) {
        constexpr std::string_view digits = "0123456789abcdef";
        bytes += digits[byte >> 4];
        bytes += digits[byte & 15];
    }
    line("arguments", bytes);
    {
        const std::lock_guard guard(lock_);
        for (const known_module& known : modules_)
            if (known.kernels.contains(std::string_view(what.name)))
                line("module", text_of(known.module.hash) + " " + text_of(known.module.bytes));
    }
    for (const kept_memory& memory : kept_) {
        const std::string place =
            text_of(memory.number) + " " + hex(memory.address) + " " + text_of(memory.bytes) + " ";
        if (memory.what == "memory")
            line("memory", place + memory.kind);
        else
            line("variable", place + (memory.referenced ? "1 " : "0 ") + memory.name);
    }
    line("name", what.name);
    const record::no_size_signal guard;
    const std::string unfinished = path(std::string(record::launch_file) + ".part");
    const int to = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written = to >= 0 && write_all(to, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    if (to >= 0) ::close(to);
    if (!written || ::rename(unfinished.c_str(), path(record::launch_file).c_str()) != 0)
        throw cannot_capture{"the launch was not captured: there is no room on the disk for its memory"};
}

void launch_capture::loaded(std::string_view image, const record::module_block& module)
{
    std::vector<image_diagnostic> ignored;
    const std::optional<elf_image> elf = read_elf(image, ignored);
    if (!elf) return;
    known_module known{.module = module, .kernels = {}, .variables = {}};
    for (const elf_symbol& symbol : elf->symbols) {
        if (symbol.section >= elf->sections.size()) continue;
        const std::string_view section = elf->sections[symbol.section].name;
        if (symbol.type == elf::symbol_function && (symbol.other & elf::symbol_is_entry) != 0)
            known.kernels.emplace(elf->symbol_name(symbol));
        else if (symbol.type == symbol_object && (section.starts_with(".nv.global") || section == ".nv.constant3"))
            known.variables.emplace(elf->symbol_name(symbol));
    }
    const std::lock_guard guard(lock_);
    modules_.push_back(std::move(known));
}

std::string launch_capture::failure()
{
    const std::lock_guard guard(lock_);
    if (!failure_.empty() || over_) return failure_;
    if (function_ != nullptr) return "the launch was not captured: the program ended before it was over";
    if (seen_ > 0)
        return "the launch was not captured: " + text_of(seen_) + " fit, and number " + text_of(wanted_.nth) +
               " was wanted (--nth)";
    if (in_stream_capture_ > 0)
        return "the launch was not captured: all " + text_of(in_stream_capture_) +
               " that fit became nodes of a graph, which are not captured; run the program without CUDA graphs";
    return {};
}

void launch_capture::fail(const std::string& why)
{
    remove_files();
    const std::lock_guard guard(lock_);
    failure_ = why;
    over_ = true;
}

void launch_capture::remove_files()
{
    for (const kept_memory& memory : kept_)
        for (const bool after : {false, true})
            ::unlink(path(record::memory_file_name(memory.what.c_str(), memory.number, after)).c_str());
    ::unlink(path(std::string(record::launch_file) + ".part").c_str());
}

}  // namespace launchbox
