// A captured launch may come from anywhere: the first byte decides whether the rest is its capture.json, packed memory,
// or the observer's record.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "capture/folder/captured_launch.hpp"
#include "capture/folder/packed_memory.hpp"
#include "capture/folder/raw_launch.hpp"
#include "capture/folder/replay_spec.hpp"
#include "capture/record/launch_format.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/worker/reserved_addresses.hpp"

using namespace launchbox;

namespace {

void try_manifest(std::string_view text)
{
    const captured_launch launch = parse_capture(text, "capture.json");
    if (parse_capture(capture_json(launch), "capture.json") != launch) std::abort();
    if (!parse_tune_spec("kept.toml", replay_spec(launch, "kept")).kernel) std::abort();
    std::vector<address_range> ranges;
    for (const captured_memory& memory : launch.memory) {
        if (memory.before.find("..") != std::string::npos || memory.before.starts_with('/')) std::abort();
        ranges.push_back({memory.address, memory.address + memory.bytes});
    }
    std::uint64_t end = 0;
    for (const address_range& page : pages_of(ranges, std::uint64_t{2} << 20)) {
        if (page.begin < end || page.end <= page.begin) std::abort();
        end = page.end;
    }
}

// Two bytes give the size that it claims to have.
void try_memory(std::string_view bytes)
{
    if (bytes.size() < 2) return;
    const std::size_t claimed =
        1 + static_cast<unsigned char>(bytes[0]) + std::size_t{256} * static_cast<unsigned char>(bytes[1]);
    bytes.remove_prefix(2);
    const int file = ::memfd_create("packed", MFD_CLOEXEC);
    if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    std::vector<char> to(claimed);
    try {
        packed_reader reader("/proc/self/fd/" + std::to_string(file), claimed, 0, true);
        for (std::size_t at = 0; at < claimed; at += 1000)
            reader.read(to.data() + at, std::min<std::size_t>(1000, claimed - at));
    } catch (const error&) {  // a hash of 0 fits nothing that a fuzzer finds
    }
    ::close(file);
}

void try_text(std::string_view text)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / record::launch_file, text);
    (void)read_raw_launch(folder.path());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        if (data[0] == 'm') try_memory(rest);
        if (data[0] == 't') try_text(rest);
        if (data[0] != 'm' && data[0] != 't') try_manifest(rest);
    } catch (const error&) {
    }
    return 0;
}
