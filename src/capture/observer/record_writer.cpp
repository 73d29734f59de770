// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/record_writer.hpp"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "capture/record/module_file_name.hpp"
#include "capture/record/no_size_signal.hpp"

namespace launchbox::record {

namespace {

constexpr int max_records_of_a_number = 1000;

std::size_t rounded_up(std::size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

// In the kernel's form: words separated by zero bytes. Cut if long, which a build tool's command may be.
std::string command_line()
{
    std::string text(4096, '\0');
    const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? 0 : ::read(file, text.data(), text.size());
    if (file >= 0) ::close(file);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
    return text;
}

bool write_all(int file, const char* bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t written = ::write(file, bytes, std::min<std::size_t>(size, std::size_t{1} << 30));
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

record_writer::record_writer(std::string folder) : folder_(std::move(folder))
{
    // A process that calls exec begins again under the same number, and numbers are reused.
    for (int time = 1; file_ < 0 && time <= max_records_of_a_number; ++time) {
        const std::string path =
            folder_ + "/" + process_prefix + std::to_string(::getpid()) + "." + std::to_string(time);
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file_ < 0 && errno != EEXIST) return;
    }
    if (file_ < 0 || !grow()) return;
    std::memcpy(here_, magic.data(), magic.size());
    here_ += magic.size();
    const std::string words = command_line();
    const std::size_t bytes = sizeof(block_header) + sizeof(process_block) + words.size();
    char* const block = reserve(block_kind::process, bytes);
    if (block == nullptr) return;
    const process_block content{.process = ::getpid(),
                                .ended = 0,
                                .cupti_version = 0,
                                .driver_version = 0,
                                .dropped = 0,
                                .untimed = 0,
                                .beyond_rows = 0,
                                .modules_not_kept = 0,
                                .buffers_lost = 0,
                                .text_bytes = static_cast<std::uint32_t>(words.size()),
                                .padding = 0};
    char* const place = block + sizeof(block_header);
    std::memcpy(place, &content, sizeof(content));
    std::copy(words.begin(), words.end(), place + sizeof(content));
    commit(block, block_kind::process, bytes);
    process_ = reinterpret_cast<process_block*>(place);
}

void record_writer::add_device(const device_block& device)
{
    const std::size_t bytes = sizeof(block_header) + sizeof(device);
    char* const block = reserve(block_kind::device, bytes);
    if (block == nullptr) return;
    std::memcpy(block + sizeof(block_header), &device, sizeof(device));
    commit(block, block_kind::device, bytes);
}

module_block record_writer::add_module(const void* bytes, std::size_t size)
{
    const module_block module{.hash = XXH3_64bits(bytes, size), .bytes = size};
    if (!keep_module(module_file_name(module), bytes, size)) {
        ++process_->modules_not_kept;
        return module;
    }
    const std::size_t block_bytes = sizeof(block_header) + sizeof(module);
    char* const block = reserve(block_kind::module, block_bytes);
    if (block == nullptr) return module;
    std::memcpy(block + sizeof(block_header), &module, sizeof(module));
    commit(block, block_kind::module, block_bytes);
    return module;
}

void record_writer::add_launch(const launch_key& key, std::string_view name, std::uint64_t begin_ns,
                               std::uint64_t end_ns)
{
    name = name.substr(0, max_name_bytes);
    const std::uint64_t hash = XXH3_64bits_withSeed(name.data(), name.size(), XXH3_64bits(&key, sizeof(key)));
    launches_block* row = nullptr;
    const auto [first, last] = rows_.equal_range(hash);
    for (auto found = first; found != last; ++found) {
        const char* const known = reinterpret_cast<const char*>(found->second + 1);
        if (std::memcmp(&found->second->key, &key, sizeof(key)) == 0 &&
            std::string_view(known, found->second->name_bytes) == name)
            row = found->second;
    }
    if (row == nullptr) {
        const std::size_t bytes = sizeof(block_header) + sizeof(launches_block) + name.size();
        char* const block = rows_.size() < max_rows ? reserve(block_kind::launches, bytes) : nullptr;
        if (block == nullptr) {
            ++process_->beyond_rows;
            return;
        }
        row = reinterpret_cast<launches_block*>(block + sizeof(block_header));
        row->key = key;
        row->name_bytes = static_cast<std::uint32_t>(name.size());
        std::copy(name.begin(), name.end(), reinterpret_cast<char*>(row + 1));
        commit(block, block_kind::launches, bytes);
        rows_.emplace(hash, row);
    }

    const double ns = end_ns > begin_ns ? static_cast<double>(end_ns - begin_ns) : 0;
    row->min_ns = row->count == 0 ? ns : std::min(row->min_ns, ns);
    row->max_ns = std::max(row->max_ns, ns);
    row->first_ns = row->count == 0 ? begin_ns : std::min(row->first_ns, begin_ns);
    row->last_ns = std::max(row->last_ns, end_ns);
    row->total_ns += ns;
    // Reservoir sampling: each launch is in the sample with the same probability.
    std::uint64_t place = row->count++;
    if (place >= max_samples) {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        place = random_ % row->count;
    } else {
        row->samples = row->count;
    }
    if (place < max_samples) row->sample_ns[place] = static_cast<float>(ns);
}

void record_writer::add_note(note_kind kind, std::string_view text)
{
    const std::size_t bytes = sizeof(block_header) + sizeof(note_block) + text.size();
    char* const block = reserve(block_kind::note, bytes);
    if (block == nullptr) return;
    const note_block note{.kind = kind, .text_bytes = static_cast<std::uint32_t>(text.size())};
    std::memcpy(block + sizeof(block_header), &note, sizeof(note));
    std::memcpy(block + sizeof(block_header) + sizeof(note), text.data(), text.size());
    commit(block, block_kind::note, bytes);
}

// Zeroed memory for a block of this size with its header; null if the file cannot grow.
char* record_writer::reserve(block_kind, std::size_t bytes)
{
    bytes = rounded_up(bytes);
    if (bytes > segment_bytes) return nullptr;
    if (static_cast<std::size_t>(end_ - here_) < bytes && !grow()) return nullptr;
    return here_;
}

void record_writer::commit(char* block, block_kind kind, std::size_t bytes)
{
    auto* const header = reinterpret_cast<block_header*>(block);
    header->bytes = static_cast<std::uint32_t>(rounded_up(bytes));
    std::atomic_ref(header->kind).store(kind, std::memory_order_release);
    here_ = block + header->bytes;
}

// Reserves disk space before mapping it: writing to a page without space would kill the program.
bool record_writer::grow()
{
    const no_size_signal guard;
    if (::posix_fallocate(file_, static_cast<off_t>(file_bytes_), segment_bytes) != 0) {
        static_cast<void>(::ftruncate(file_, static_cast<off_t>(file_bytes_)));
        return false;
    }
    void* const mapped =
        ::mmap(nullptr, segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(file_bytes_));
    if (mapped == MAP_FAILED) return false;
    file_bytes_ += segment_bytes;
    here_ = static_cast<char*>(mapped);
    end_ = here_ + segment_bytes;
    return true;
}

bool record_writer::keep_module(const std::string& name, const void* bytes, std::size_t size) const
{
    const no_size_signal guard;
    const std::string path = folder_ + "/" + name;
    if (::access(path.c_str(), F_OK) == 0) return true;
    const std::string unfinished = path + "." + std::to_string(::getpid());
    const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const bool written = write_all(file, static_cast<const char*>(bytes), size);
    ::close(file);
    if (written && ::rename(unfinished.c_str(), path.c_str()) == 0) return true;
    ::unlink(unfinished.c_str());
    return false;
}

}  // namespace launchbox::record
