// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/loaded_images.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "capture/record/launch_format.hpp"
#include "capture/record/no_size_signal.hpp"

namespace launchbox {

namespace {

constexpr std::array<CUpti_CallbackId, 12> image_calls{
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,          CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
    CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,        CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile, CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,
    CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule,    CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction,
    CUPTI_DRIVER_TRACE_CBID_cuLinkAddData,         CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2};

// A program that keeps loading modules must not fill the disk.
constexpr std::size_t max_images = 4096, max_image_bytes = std::size_t{1} << 30;

// The headers of a fat binary and of its images, and the struct by which nvcc's code points to one.
struct fatbin_header {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t bytes;  // after the header
};
struct fatbin_image {
    std::uint16_t kind, version;
    std::uint32_t header_bytes;
    std::uint64_t bytes;  // after the header
};
struct fatbin_wrapper {
    std::uint32_t magic, version;
    const void* data;
};
constexpr std::uint32_t fatbin_header_magic = 0xba55ed50, fatbin_wrapper_magic = 0x466243b1;
constexpr std::uint16_t ptx_image = 1;

bool has_ptx(std::string_view fatbin)
{
    fatbin_header header{};
    std::memcpy(&header, fatbin.data(), sizeof header);
    fatbin.remove_prefix(std::min<std::size_t>(header.header_bytes, fatbin.size()));
    for (fatbin_image image{}; fatbin.size() >= sizeof image;) {
        std::memcpy(&image, fatbin.data(), sizeof image);
        if (image.kind == ptx_image) return true;
        const std::uint64_t whole = image.header_bytes + std::min<std::uint64_t>(image.bytes, fatbin.size());
        if (whole == 0 || whole > fatbin.size()) return false;
        fatbin.remove_prefix(whole);
    }
    return false;
}

// nvcc's code passes a pointer to the image.
const void* image_behind(const void* data)
{
    fatbin_wrapper wrapper{};
    if (data == nullptr || std::memcmp(data, &fatbin_wrapper_magic, sizeof fatbin_wrapper_magic) != 0) return data;
    std::memcpy(&wrapper, data, sizeof wrapper);
    return wrapper.data;
}

// The PTX text, or fat binary with PTX, at this address; empty if it is something else. At most `bytes` are readable.
std::string_view ptx_at(const void* data, std::size_t bytes = max_image_bytes)
{
    if (data == nullptr) return {};
    const char* const text = static_cast<const char*>(data);
    // A text ends at a zero byte; the other formats begin with a header.
    if (*text == '.' || *text == '/' || *text == '\n' || *text == ' ' || *text == '\t' || *text == '\r') {
        const std::string_view ptx(text);
        return ptx.find(".entry") == ptx.npos ? std::string_view{} : ptx;
    }
    if (std::memcmp(data, &fatbin_header_magic, sizeof fatbin_header_magic) != 0) return {};
    fatbin_header header{};
    if (bytes < sizeof header) return {};
    std::memcpy(&header, data, sizeof header);
    if (header.bytes > bytes - std::min<std::size_t>(bytes, header.header_bytes)) return {};
    const std::string_view fatbin(text, static_cast<std::size_t>(header.header_bytes + header.bytes));
    return has_ptx(fatbin) ? fatbin : std::string_view{};
}

bool is_cubin(const void* data)
{
    return data != nullptr && std::memcmp(data,
                                          "\x7f"
                                          "ELF",
                                          4) == 0;
}

// For either version of the call; empty if it adds something else.
template <class Parameters>
std::string_view ptx_linked_by(const Parameters& call)
{
    if (call.type != CU_JIT_INPUT_PTX || call.data == nullptr) return {};
    return {static_cast<const char*>(call.data), call.size};
}

std::string absolute(const char* file)
{
    char* const path = ::realpath(file, nullptr);
    std::string text = path == nullptr ? "" : path;
    std::free(path);
    return text;
}

// The read-only file of the program, or of a library, that contains this address; empty if none does. `dladdr` would
// wait for a thread that is loading a library, and that thread may be waiting for the driver.
std::string library_with(const void* address)
{
    struct search {
        std::uintptr_t address;
        std::string file;
    } wanted{.address = reinterpret_cast<std::uintptr_t>(address), .file = {}};
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
            auto& of = *static_cast<search*>(to);
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const auto& part = object->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0 ||
                    of.address - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz)
                    continue;
                const bool is_named = object->dlpi_name != nullptr && *object->dlpi_name != '\0';
                of.file = is_named ? object->dlpi_name : "/proc/self/exe";
                return 1;
            }
            return 0;
        },
        &wanted);
    return wanted.file.empty() ? wanted.file : absolute(wanted.file.c_str());
}

// The files whose code this process runs, its own first.
std::string program_files()
{
    std::ifstream maps("/proc/self/maps");
    std::set<std::string> known;
    std::string files;
    for (std::string line; std::getline(maps, line);) {
        const std::size_t at = line.find('/');
        const std::size_t flags = line.find(' ');
        if (at == line.npos || flags == line.npos || line.size() < flags + 4 || line[flags + 3] != 'x') continue;
        if (std::string file = line.substr(at); known.insert(file).second) files += "file " + file + "\n";
    }
    return files;
}

template <class Call>
const Call& as(const void* parameters)
{
    return *static_cast<const Call*>(parameters);
}

}  // namespace

std::span<const CUpti_CallbackId> loaded_images::calls()
{
    return image_calls;
}

void loaded_images::called(CUpti_CallbackId id, const void* parameters)
{
    const auto loaded = [](auto& where, auto handle, origin from) { where.insert_or_assign(handle, std::move(from)); };
    const auto linked = [&](std::string_view ptx) {
        if (const auto copy = keep(ptx)) linked_.push_back(*copy);
    };
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad: {
            const auto& call = as<cuModuleLoad_params>(parameters);
            return loaded(modules_, *call.module, origin_in(call.fname));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData: {
            const auto& call = as<cuModuleLoadData_params>(parameters);
            return loaded(modules_, *call.module, origin_at(call.image));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx: {
            const auto& call = as<cuModuleLoadDataEx_params>(parameters);
            return loaded(modules_, *call.module, origin_at(call.image));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary: {
            const auto& call = as<cuModuleLoadFatBinary_params>(parameters);
            return loaded(modules_, *call.module, origin_at(call.fatCubin));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData: {
            const auto& call = as<cuLibraryLoadData_params>(parameters);
            return loaded(libraries_, *call.library, origin_at(call.code));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile: {
            const auto& call = as<cuLibraryLoadFromFile_params>(parameters);
            return loaded(libraries_, *call.library, origin_in(call.fileName));
        }
        case CUPTI_DRIVER_TRACE_CBID_cuModuleUnload: {
            const CUmodule gone = as<cuModuleUnload_params>(parameters).hmod;
            modules_.erase(gone);
            library_of_module_.erase(gone);
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload: {
            const CUlibrary gone = as<cuLibraryUnload_params>(parameters).library;
            libraries_.erase(gone);
            std::erase_if(library_of_module_, [gone](const auto& known) { return known.second == gone; });
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule: {
            const auto& call = as<cuLibraryGetModule_params>(parameters);
            library_of_module_.insert_or_assign(*call.pMod, call.library);
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction: {
            const auto& call = as<cuKernelGetFunction_params>(parameters);
            kernel_of_function_.insert_or_assign(*call.pFunc, call.kernel);
            return;
        }
        case CUPTI_DRIVER_TRACE_CBID_cuLinkAddData:
            return linked(ptx_linked_by(as<cuLinkAddData_params>(parameters)));
        case CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2:
            return linked(ptx_linked_by(as<cuLinkAddData_v2_params>(parameters)));
        default:
            return;
    }
}

// An image in memory that the program may free is copied now; one in a library, only when needed.
loaded_images::origin loaded_images::origin_at(const void* image)
{
    image = image_behind(image);
    if (image == nullptr || is_cubin(image)) return {};
    if (std::string library = library_with(image); !library.empty())
        return {.copy = {}, .in_library = image, .library = std::move(library)};
    return {.copy = keep(ptx_at(image)), .in_library = nullptr, .library = {}};
}

loaded_images::origin loaded_images::origin_in(const char* file)
{
    std::ifstream in(file == nullptr ? "" : file, std::ios::binary);
    std::array<char, 4> magic{};
    if (!in.read(magic.data(), magic.size()) || is_cubin(magic.data())) return {};
    std::string image(magic.begin(), magic.end());
    image.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    return {.copy = keep(ptx_at(image.c_str(), image.size())), .in_library = nullptr, .library = {}};
}

CUkernel loaded_images::kernel_of(CUfunction function) const
{
    const auto known = kernel_of_function_.find(function);
    return known == kernel_of_function_.end() ? nullptr : known->second;
}

const loaded_images::origin* loaded_images::find(CUlibrary library, CUmodule module) const
{
    if (const auto known = modules_.find(module); known != modules_.end()) return &known->second;
    if (const auto of = library_of_module_.find(module); library == nullptr && of != library_of_module_.end())
        library = of->second;
    const auto known = libraries_.find(library);
    return known == libraries_.end() ? nullptr : &known->second;
}

std::string loaded_images::ptx_sources(CUlibrary library, CUmodule module)
{
    std::string lines;
    const auto add = [&](std::size_t copy) { lines += "image " + record::image_file_name(::getpid(), copy) + "\n"; };
    const origin* const from = find(library, module);
    if (from == nullptr) {  // loaded by a call that is not followed: may be anywhere
        for (std::size_t i = 0; i < count_; ++i) add(i);
        return lines + program_files();
    }
    if (from->copy) {
        add(*from->copy);
    } else if (from->in_library != nullptr) {
        if (const auto copy = keep(ptx_at(from->in_library))) add(*copy);
        lines += "linked " + from->library + "\n";
    } else {
        for (const std::size_t copy : linked_) add(copy);
    }
    return lines;
}

// Returns the number of the copy; `nullopt` if it was not kept.
std::optional<std::size_t> loaded_images::keep(std::string_view image)
{
    if (image.empty() || count_ >= max_images || image.size() > max_image_bytes - bytes_) return std::nullopt;
    const record::no_size_signal guard;
    const std::string file = folder_ + "/" + record::image_file_name(::getpid(), count_);
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0) return std::nullopt;
    bytes_ += image.size();
    while (!image.empty()) {
        const ssize_t written = ::write(to, image.data(), image.size());
        if (written <= 0) break;  // incomplete: the launch is captured without PTX
        image.remove_prefix(static_cast<std::size_t>(written));
    }
    ::close(to);
    return count_++;
}

}  // namespace launchbox
