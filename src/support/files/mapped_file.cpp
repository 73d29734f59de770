// SPDX-License-Identifier: Apache-2.0
#include "support/files/mapped_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// What the handler of SIGBUS has to know. A page that is no longer in the file raises it at whoever reads there; the
// handler puts zeros in its place. Only as many mappings as are open at once are ever needed; others are read.
struct mapping {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};  // 0: the slot is free
    std::atomic<bool> shrank{false};
};
std::array<mapping, 16> mappings;

void put_zeros(int signal_number, siginfo_t* info, void* context);
int take_slot(const void* data, std::size_t size);

}  // namespace

mapped_file::mapped_file(const std::string& path)
{
    // Nothing else is opened here: a pipe that is closed again would end its writer.
    struct stat status = {};
    const bool regular = path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    const int file = regular ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_ = static_cast<std::size_t>(status.st_size);
        void* data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED) {
            slot_ = take_slot(data, size_);
            if (slot_ >= 0)
                data_ = static_cast<const char*>(data);
            else
                ::munmap(data, size_);
        }
    }
    if (slot_ >= 0) {
        file_ = file;
        return;
    }
    if (file >= 0) ::close(file);
    copy_ = read_input(path);  // which also says what is wrong with a file that cannot be opened
    data_ = copy_.data();
    size_ = copy_.size();
}

mapped_file::~mapped_file()
{
    if (slot_ < 0) return;
    mappings[static_cast<std::size_t>(slot_)].end = 0;
    ::munmap(const_cast<char*>(data_), size_);
    ::close(file_);
}

bool mapped_file::shrank() const
{
    if (slot_ < 0) return false;
    if (mappings[static_cast<std::size_t>(slot_)].shrank) return true;
    // What is cut off within the last page reads as zeros without a signal.
    struct stat status = {};
    return ::fstat(file_, &status) == 0 && static_cast<std::size_t>(status.st_size) < size_;
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
        void* const place = reinterpret_cast<void*>(address / page * page);
        if (::mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
        mapping.shrank = true;
        errno = saved;
        return;
    }
    // Not ours: as if there were no handler.
    ::signal(signal_number, SIG_DFL);
    ::raise(signal_number);
}

}  // namespace

}  // namespace launchbox
