// SPDX-License-Identifier: Apache-2.0
#include "support/files/mapped_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/read_files.hpp"

namespace launchbox {

namespace {

// Data for the handler of SIGBUS, which is raised when a page is read that no longer exists in the file; the handler
// maps zeros in its place. One slot per mapping open at the same time; further files are read into memory.
struct mapping {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};  // 0: the slot is free
    std::atomic<bool> shrank{false};
};
std::array<mapping, 16> mappings;

constexpr std::size_t bytes_of_block = 512;  // the unit of st_blocks

void put_zeros(int signal_number, siginfo_t* info, void* context);
int take_slot(const void* data, std::size_t size);

}  // namespace

mapped_file::mapped_file(const std::string& path, named_by whom)
{
    // Opens only regular files here: a pipe that is closed again would end its writer.
    struct stat status = {};
    const bool regular = path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    if (regular) file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ >= 0 && ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_ = static_cast<std::size_t>(status.st_size);
        written_seconds_ = status.st_mtim.tv_sec;
        written_nanoseconds_ = status.st_mtim.tv_nsec;
        try {
            find_data(path, static_cast<std::size_t>(status.st_blocks) * bytes_of_block);
        } catch (...) {
            ::close(file_);
            throw;
        }
        void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
        if (data != MAP_FAILED) {
            slot_ = take_slot(data, size_);
            if (slot_ >= 0)
                data_ = static_cast<const char*>(data);
            else
                ::munmap(data, size_);
        }
    }
    if (slot_ >= 0) {
        if (whom != named_by::folder) note_read(path);
        return;
    }
    if (file_ >= 0) ::close(file_);
    file_ = -1;
    // Also reports why a file cannot be opened.
    copy_ = whom == named_by::user     ? read_input(path)
            : whom == named_by::folder ? read_old_output(path)
                                       : read_file(path);
    data_ = copy_.data();
    size_ = copy_.size();
    ranges_ = {{0, size_}};
}

mapped_file::~mapped_file()
{
    if (slot_ < 0) return;
    mappings[static_cast<std::size_t>(slot_)].end = 0;
    ::munmap(const_cast<char*>(data_), size_);
    ::close(file_);
}

// A file system that does not support holes reports everything as data.
void mapped_file::find_data(const std::string& path, std::size_t bytes_on_disk)
{
    ranges_ = {{0, size_}};
    if (bytes_on_disk >= size_) return;
    const auto size = static_cast<off_t>(size_);
    std::size_t data = 0;
    ranges_.clear();
    for (off_t at = 0; at < size;) {
        const off_t begin = ::lseek(file_, at, SEEK_DATA);
        if (begin < 0 && errno == ENXIO) break;
        off_t end = begin < 0 ? -1 : ::lseek(file_, begin, SEEK_HOLE);
        if (begin < at || end <= begin) {
            ranges_ = {{0, size_}};
            return;
        }
        end = std::min(end, size);
        ranges_.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end)});
        data += ranges_.back().end - ranges_.back().begin;
        at = end;
    }
    if (size_ - data > max_hole_bytes)
        throw error(path + " is a sparse file of " + std::to_string(size_) + " bytes, of which only " +
                        std::to_string(data) + " exist; the rest are holes, and it was not read",
                    "no compiler writes such a file: is it complete?");
}

bool mapped_file::changed() const
{
    if (slot_ < 0) return false;
    if (mappings[static_cast<std::size_t>(slot_)].shrank) return true;
    // Bytes cut off within the last page read as zeros without a signal, and writes there are lost silently.
    struct stat status = {};
    return ::fstat(file_, &status) == 0 &&
           (static_cast<std::size_t>(status.st_size) != size_ || status.st_mtim.tv_sec != written_seconds_ ||
            status.st_mtim.tv_nsec != written_nanoseconds_);
}

namespace {

int take_slot(const void* data, std::size_t size)
{
    static const bool installed = [] {
        struct sigaction action = {};
        action.sa_sigaction = put_zeros;
        action.sa_flags = SA_SIGINFO;
        return ::sigaction(SIGBUS, &action, nullptr) == 0;
    }();
    if (!installed) return -1;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    for (std::size_t i = 0; i < mappings.size(); ++i) {
        std::uintptr_t is_free = 0;
        if (!mappings[i].end.compare_exchange_strong(is_free, begin + size)) continue;
        mappings[i].begin = begin;
        mappings[i].shrank = false;
        return static_cast<int>(i);
    }
    return -1;
}

void put_zeros(int signal_number, siginfo_t* info, void*)
{
    const int saved = errno;
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (mapping& mapping : mappings) {
        if (address < mapping.begin || address >= mapping.end) continue;
        void* const place = static_cast<char*>(info->si_addr) - address % page;
        if (::mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
        mapping.shrank = true;
        errno = saved;
        return;
    }
    // Not ours: behave as if there were no handler.
    ::signal(signal_number, SIG_DFL);
    ::raise(signal_number);
}

}  // namespace

}  // namespace launchbox
