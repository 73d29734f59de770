// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/loaded_images.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>

#include "capture/record/launch_format.hpp"
#include "capture/record/no_size_signal.hpp"

namespace launchbox {

namespace {

constexpr std::array<CUpti_CallbackId, 6> image_calls{
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,      CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,
    CUPTI_DRIVER_TRACE_CBID_cuLinkAddData,         CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2};

// A program that loads modules without end must not fill the disk.
constexpr std::size_t max_images = 4096, max_image_bytes = std::size_t{1} << 30;

// How a fat binary begins, and the struct with which nvcc's code points to one.
struct fatbin_header {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t bytes;  // behind the header
};
struct fatbin_wrapper {
    std::uint32_t magic, version;
    const void* data;
};
constexpr std::uint32_t fatbin_header_magic = 0xba55ed50, fatbin_wrapper_magic = 0x466243b1;

// What the driver would read; empty: nothing that can hold PTX.
std::string_view image_at(const void* data)
{
    if (data == nullptr) return {};
    const char* const text = static_cast<const char*>(data);
    // A text is everything up to a zero; the other formats begin with a header.
    if (*text == '.' || *text == '/' || *text == '\n' || *text == ' ' || *text == '\t' || *text == '\r') {
        const std::string_view ptx(text);
        return ptx.find(".entry") == ptx.npos ? std::string_view{} : ptx;
    }
    std::uint32_t magic = 0;
    std::memcpy(&magic, data, sizeof magic);
    if (magic == fatbin_wrapper_magic) {
        fatbin_wrapper wrapper{};
        std::memcpy(&wrapper, data, sizeof wrapper);
        if (wrapper.data == nullptr) return {};
        data = wrapper.data;
        std::memcpy(&magic, data, sizeof magic);
    }
    if (magic != fatbin_header_magic) return {};
    fatbin_header header{};
    std::memcpy(&header, data, sizeof header);
    if (header.bytes > max_image_bytes) return {};
    return {static_cast<const char*>(data), static_cast<std::size_t>(header.header_bytes + header.bytes)};
}

// Of either version of the call; empty: it adds something else.
template <class Parameters>
std::string_view ptx_linked_by(const Parameters& call)
{
    if (call.type != CU_JIT_INPUT_PTX || call.data == nullptr) return {};
    return {static_cast<const char*>(call.data), call.size};
}

}  // namespace

std::span<const CUpti_CallbackId> loaded_images::calls()
{
    return image_calls;
}

void loaded_images::called(CUpti_CallbackId id, const void* parameters)
{
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
            return keep(image_at(static_cast<const cuModuleLoadData_params*>(parameters)->image));
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
            return keep(image_at(static_cast<const cuModuleLoadDataEx_params*>(parameters)->image));
        case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
            return keep(image_at(static_cast<const cuModuleLoadFatBinary_params*>(parameters)->fatCubin));
        case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
            return keep(image_at(static_cast<const cuLibraryLoadData_params*>(parameters)->code));
        case CUPTI_DRIVER_TRACE_CBID_cuLinkAddData:
            return keep(ptx_linked_by(*static_cast<const cuLinkAddData_params*>(parameters)));
        case CUPTI_DRIVER_TRACE_CBID_cuLinkAddData_v2:
            return keep(ptx_linked_by(*static_cast<const cuLinkAddData_v2_params*>(parameters)));
        default:
            return;
    }
}

void loaded_images::keep(std::string_view image)
{
    if (image.empty() || count_ >= max_images || image.size() > max_image_bytes - bytes_) return;
    const record::no_size_signal guard;
    const std::string file = folder_ + "/" + record::image_file_name(::getpid(), count_);
    const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0) return;
    bytes_ += image.size();
    ++count_;
    while (!image.empty()) {
        const ssize_t written = ::write(to, image.data(), image.size());
        if (written <= 0) break;  // cut short: then there is no PTX, and the launch is captured without
        image.remove_prefix(static_cast<std::size_t>(written));
    }
    ::close(to);
}

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

}  // namespace launchbox
