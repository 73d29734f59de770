// Linked into every program of the preset dev: notes which functions of it run, for launchbox_run_test, which sets
// LAUNCHBOX_EXECUTED to a folder. Without it nothing is noted.
//
// Each function begins with a call of __fentry__ (-pg -mfentry), which marks the function in a file that is mapped: so
// a process that is killed has left its marks, and all processes of a test share them. Once a function is marked, its
// call becomes a comparison with a constant. That is one byte, so that other threads see the one or the other.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "executed_file.hpp"

extern "C" {
extern unsigned char __executable_start[], etext[];  // the linker's
extern unsigned char* launchbox_executed_marks;
unsigned char* launchbox_executed_marks;  ///< a byte for each of the code; null: nothing is noted
}

// At the entry of a function all registers may hold arguments or belong to the caller; the flags do not. Five
// bytes before the return address is 0xE8, the call; 0xA9 compares eax with the four bytes that follow.
__asm__(
    ".pushsection .text\n"
    ".globl __fentry__\n"
    ".type __fentry__, @function\n"
    "__fentry__:\n"
    "    cmpq $0, launchbox_executed_marks(%rip)\n"
    "    je 1f\n"
    "    push %rax\n"
    "    push %rcx\n"
    "    mov 16(%rsp), %rax\n"  // behind the call
    "    movb $0xA9, -5(%rax)\n"
    "    lea __executable_start(%rip), %rcx\n"
    "    sub %rcx, %rax\n"
    "    add launchbox_executed_marks(%rip), %rax\n"
    "    movb $1, -5(%rax)\n"
    "    pop %rcx\n"
    "    pop %rax\n"
    "1:  ret\n"
    ".size __fentry__, . - __fentry__\n"
    ".popsection\n");

namespace {

/// What cannot be noted must not look as if nothing had run.
void say_incomplete(const char* folder)
{
    char name[PATH_MAX];
    if (std::snprintf(name, sizeof name, "%s/%s", folder, launchbox::executed_incomplete) < PATH_MAX)
        if (const int file = ::open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0666); file >= 0) ::close(file);
}

/// The file of this program in `folder`, mapped, with its header; null: it cannot be.
unsigned char* mapped_file(const char* folder, launchbox::executed_header& header)
{
    struct stat program = {};
    char name[PATH_MAX];
    if (::stat("/proc/self/exe", &program) != 0 ||
        std::snprintf(name, sizeof name, "%s/%llx-%llx", folder, static_cast<unsigned long long>(program.st_dev),
                      static_cast<unsigned long long>(program.st_ino)) >= PATH_MAX)
        return nullptr;
    header.program_bytes = static_cast<std::uint64_t>(program.st_size);
    header.program_written = program.st_mtim.tv_sec * 1'000'000'000 + program.st_mtim.tv_nsec;
    const int file = ::open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0) return nullptr;
    const std::size_t bytes = sizeof header + header.code_bytes;
    struct stat found = {};
    struct rlimit limit = {};
    // A process that may write small files only gets a signal for a large one.
    const bool has_room =
        ::fstat(file, &found) == 0 && (static_cast<std::size_t>(found.st_size) == bytes ||
                                       (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur > bytes &&
                                        ::ftruncate(file, static_cast<off_t>(bytes)) == 0));
    void* const mapped = has_room ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    ::close(file);
    if (mapped == MAP_FAILED) return nullptr;
    std::memcpy(mapped, &header, sizeof header);  // the same for all processes of the program
    return static_cast<unsigned char*>(mapped);
}

// glibc has no environment yet for getenv.
void note_functions(int, char**, char** environment)
{
    const std::string_view name = "LAUNCHBOX_EXECUTED=";
    while (*environment != nullptr && !std::string_view(*environment).starts_with(name)) ++environment;
    const char* const folder = *environment == nullptr ? "" : *environment + name.size();
    if (*folder == 0) return;
    unsigned char* loaded = nullptr;
    ::dl_iterate_phdr(
        [](dl_phdr_info* program, std::size_t, void* to) {
            *static_cast<unsigned char**>(to) = reinterpret_cast<unsigned char*>(program->dlpi_addr);
            return 1;  // the first is the program itself
        },
        &loaded);
    launchbox::executed_header header = {};
    std::memcpy(header.magic, launchbox::executed_magic, sizeof header.magic);
    header.code_bytes = static_cast<std::uint64_t>(etext - __executable_start);
    header.first_address = static_cast<std::uint64_t>(__executable_start - loaded);
    if (::readlink("/proc/self/exe", header.program, sizeof header.program - 1) <= 0) return say_incomplete(folder);

    unsigned char* const mapped = mapped_file(folder, header);
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto this_code = reinterpret_cast<std::uintptr_t>(&note_functions);
    // Code begins behind the program's headers, which stay as they are.
    extern unsigned char launchbox_code_begin[] __asm__("_init");
    const auto begin = reinterpret_cast<std::uintptr_t>(launchbox_code_begin) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(etext) + page - 1) / page * page;
    if (mapped == nullptr || this_code < begin || this_code >= end ||
        ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return say_incomplete(folder);
    launchbox_executed_marks = mapped + sizeof header;
}

// Before the constructors of the program, which call its functions.
__attribute__((section(".preinit_array"), used)) void (*const before_all)(int, char**, char**) = note_functions;

}  // namespace
