// The peak memory of a piece of work, without the file that it read.
#pragma once

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace launchbox::bench {

struct peak_memory {
    std::int64_t peak_bytes = 0;     ///< more than the process had before
    std::int64_t results_bytes = 0;  ///< the part of it held by the results at the end
};

/// Runs `work(bytes of the file)`, which returns its results, and measures the memory of this process meanwhile. Call
/// it in a process that has done nothing else: reused memory that was freed before would not be seen. `nullopt` if the
/// file cannot be mapped or the kernel does not allow the peak to be reset (no /proc/self/clear_refs).
///
/// Linux records the peak of all resident pages (VmHWM), which includes pages of a mapped file. So the whole file is
/// mapped, read and locked before the peak is reset: its pages then count the same before, during and after the work,
/// and any growth of the peak comes from the work. Sampling would miss a short peak.
template <class Work>
std::optional<peak_memory> measure_peak_memory(const std::string& file, const Work& work);

namespace peak_memory_detail {

inline std::int64_t status_bytes(const char* field)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(field)) return std::stoll(line.substr(line.find(':') + 1)) * 1024;
    return -1;
}

inline bool reset_peak()
{
    std::ofstream refs("/proc/self/clear_refs");
    refs << '5' << std::flush;
    return refs.good();
}

// Bytes allocated by malloc and not yet freed, in all its arenas.
inline std::int64_t allocated_bytes()
{
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

// The file mapped in memory, with all pages resident while the work runs.
inline std::optional<std::string_view> map_resident(const std::string& file)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (descriptor < 0 || ::fstat(descriptor, &about) != 0) return std::nullopt;
    const auto size = static_cast<std::size_t>(about.st_size);
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    ::close(descriptor);
    if (data == MAP_FAILED) return std::nullopt;
    (void)::mlock(data, size);  // without it, pages stay unless memory runs short
    return std::string_view(static_cast<const char*>(data), size);
}

}  // namespace peak_memory_detail

template <class Work>
std::optional<peak_memory> measure_peak_memory(const std::string& file, const Work& work)
{
    using namespace peak_memory_detail;
    const auto bytes = map_resident(file);
    if (!bytes) return std::nullopt;
    const std::int64_t allocated_before = allocated_bytes();
    if (!reset_peak()) return std::nullopt;
    const std::int64_t before = status_bytes("VmRSS");
    peak_memory found;
    decltype(work(*bytes)) results;
    // On a separate thread, so that thread-local memory is freed before the results are counted.
    std::jthread([&] { results = work(*bytes); }).join();
    found.peak_bytes = status_bytes("VmHWM") - before;
    found.results_bytes = allocated_bytes() - allocated_before;
    return found;
}

}  // namespace launchbox::bench
