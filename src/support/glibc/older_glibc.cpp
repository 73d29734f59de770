// SPDX-License-Identifier: Apache-2.0
// The functions of glibc 2.35 and 2.36 that GCC's static libraries on Debian 12 need, so that the tool runs with 2.34,
// which the wheel promises (docs/packaging.md). They have glibc's names but are hidden, so they only serve code linked
// into the same file. Any newer symbol needs one more function here: tests/package/one_file reports it.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/random.h>
#include <unistd.h>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if __GLIBC_PREREQ(2, 36)

namespace {

/// The number of random bytes that one read returned; 0 if none.
std::size_t random_bytes(char* bytes, std::size_t count)
{
    ssize_t got = 0;
    do got = getrandom(bytes, count, 0);
    while (got < 0 && errno == EINTR);
    if (got > 0) return static_cast<std::size_t>(got);
    // A container may forbid the system call.
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    do got = read(file, bytes, count);
    while (got < 0 && errno == EINTR);
    close(file);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

// glibc 2.36: the first for std::random_device in libstdc++.a, the second for libarchive.a.
extern "C" [[gnu::visibility("hidden")]] void arc4random_buf(void* bytes, std::size_t count) noexcept
{
    auto* next = static_cast<char*>(bytes);
    while (count != 0) {
        const std::size_t got = random_bytes(next, count);
        if (got == 0) std::abort();  // like glibc's: callers expect no error
        next += got;
        count -= got;
    }
}

extern "C" [[gnu::visibility("hidden")]] std::uint32_t arc4random() noexcept
{
    std::uint32_t number = 0;
    arc4random_buf(&number, sizeof number);
    return number;
}

#endif

#if __GLIBC_PREREQ(2, 35)

namespace {

/// Whether the object `info` contains the searched address; if so, stores where its unwind tables are.
int find_tables(dl_phdr_info* info, std::size_t, void* searched)
{
    auto& result = *static_cast<dl_find_object*>(searched);
    const auto address = reinterpret_cast<std::uintptr_t>(result.dlfo_map_start);
    const ElfW(Phdr)* holder = nullptr;
    const ElfW(Phdr)* tables = nullptr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_GNU_EH_FRAME) tables = &segment;
        if (segment.p_type == PT_LOAD && address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz)
            holder = &segment;
    }
    if (!holder) return 0;
    result = {};
    if (!tables) return -1;
    const auto placed = [&](ElfW(Addr) offset) { return std::bit_cast<void*>(info->dlpi_addr + offset); };
    result.dlfo_map_start = placed(holder->p_vaddr);
    result.dlfo_map_end = placed(holder->p_vaddr + holder->p_memsz);
    result.dlfo_eh_frame = placed(tables->p_vaddr);
    return 1;
}

}  // namespace

// glibc 2.35: the unwinder of libgcc_eh.a asks for the tables of each frame that an exception passes. Searches all
// objects in turn, as the unwinder itself did before this function existed. The program comes first, and has nearly all
// of our frames.
extern "C" [[gnu::visibility("hidden")]] int _dl_find_object(void* address, dl_find_object* result) noexcept
{
    *result = {};
    result->dlfo_map_start = address;
    return dl_iterate_phdr(find_tables, result) == 1 ? 0 : -1;
}

#endif
