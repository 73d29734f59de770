// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/launch_capture.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "capture/observer/program_launch.hpp"
#include "capture/record/launch_format.hpp"
#include "image/container/elf.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_demangled_bytes = 4096;  // libstdc++'s demangler recurses

constexpr std::array launch_calls{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz};

// Our own calls on this thread are not the program's.
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
    // Our copies must not invalidate another thread's capture of a stream into a graph.
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

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
    all.insert(all.end(), loaded_images::calls().begin(), loaded_images::calls().end());
    return all;
}

void launch_capture::called(CUpti_CallbackId id, const CUpti_CallbackData& call)
{
    if (is_ours || over_ || call.functionParams == nullptr) return;
    const bool enters = call.callbackSite == CUPTI_API_ENTER;
    const CUresult result = enters ? CUDA_SUCCESS : *static_cast<const CUresult*>(call.functionReturnValue);
    if (std::ranges::find(launch_calls, static_cast<CUpti_driver_api_trace_cbid>(id)) == launch_calls.end()) {
        if (enters || result != CUDA_SUCCESS) return;
        const std::lock_guard guard(lock_);
        images_.called(id, call.functionParams);
        memory_.called(id, call.functionParams);
        return;
    }
    const launch current = launch::of_call(id, call);
    if (current.name == nullptr || call.correlationData == nullptr) return;

    constexpr std::uint64_t is_this_one = 0x6c626f78;
    if (enters && is_wanted(current)) {
        capture([&] {
            before(current);
            *call.correlationData = is_this_one;
        });
    } else if (!enters && *call.correlationData == is_this_one && function_ == current.function) {
        *call.correlationData = 0;
        capture([&] {
            if (result != CUDA_SUCCESS)
                throw cannot_capture{"the launch was not captured: the driver refused it, error " +
                                     std::to_string(static_cast<int>(result))};
            after(current);
            over_ = true;
        });
    }
}

template <class Step>
void launch_capture::capture(const Step& step)
{
    const own_calls guard(driver_);
    try {
        step();
    } catch (const cannot_capture& failure) {
        fail(failure.why);
    } catch (const std::exception&) {
        fail("the launch was not captured: the program has no memory left");
    }
}

bool launch_capture::fits(CUfunction function, const char* name)
{
    // A function handle may be reused after its module was unloaded.
    const auto [known, is_new] = fits_.try_emplace(function, name, false);
    if (is_new || known->second.first != name) known->second = {name, matches(wanted_.pattern, name)};
    return known->second.second;
}

bool launch_capture::is_wanted(const launch& current)
{
    const std::lock_guard guard(lock_);
    if (over_ || function_ != nullptr || !fits(current.function, current.name)) return false;
    if (wanted_.has_shape && wanted_.shape != std::array{current.grid[0], current.grid[1], current.grid[2],
                                                         current.block[0], current.block[1], current.block[2]})
        return false;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    is_ours = true;
    const CUresult asked = driver_.is_capturing(current.stream, &status);
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
    function_ = current.function;
    return true;
}

// Among several observed processes, one keeps the launch.
bool launch_capture::claim()
{
    const int file = ::open(path(record::claim_file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    ::close(file);
    return true;
}

void launch_capture::loaded(std::string_view image, const record::module_block& module)
{
    std::vector<image_diagnostic> ignored;
    const std::optional<elf_image> elf = read_elf(image, ignored);
    if (!elf) return;
    known_module known{.module = module, .kernels = {}, .variables = {}};
    for (const elf_symbol& symbol : elf->symbols) {
        if (symbol.section >= elf->sections.size()) continue;
        if (symbol.type == elf::symbol_function && (symbol.other & elf::symbol_is_entry) != 0)
            known.kernels.emplace(elf->symbol_name(symbol));
        else if (elf->is_variable(symbol))
            known.variables.emplace(elf->symbol_name(symbol));
    }
    const std::lock_guard guard(lock_);
    modules_.push_back(std::move(known));
}

std::string launch_capture::failure()
{
    const std::lock_guard guard(lock_);
    if (!failure_.empty() || over_) return failure_;
    if (function_ != nullptr) return "the launch was not captured: the program ended before the launch did";
    if (seen_ > 0)
        return "the launch was not captured: " + std::to_string(seen_) + " match, and number " +
               std::to_string(wanted_.nth) + " was requested (--nth)";
    if (in_stream_capture_ > 0)
        return "the launch was not captured: all " + std::to_string(in_stream_capture_) +
               " that match became nodes of a graph, which are not captured; run the program without CUDA graphs";
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
            ::unlink(path(record::memory_file_name(memory.group.c_str(), memory.number, after)).c_str());
    ::unlink(path(std::string(record::launch_file) + ".part").c_str());
}

}  // namespace launchbox
