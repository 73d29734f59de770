// Stacks that take turns on one CPU thread; gpu_on_cpu.hpp runs the threads of a block on them.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace gpu_on_cpu::detail {

constexpr std::size_t page_bytes = 4096, stack_bytes = 64 * page_bytes;

/// One stack; its lowest page is inaccessible, so that an overflow crashes at once.
class stack {
public:
    stack() : memory_(mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
        mprotect(memory_, page_bytes, PROT_NONE);
    }
    stack(stack&& other) noexcept : memory_(other.memory_) { other.memory_ = nullptr; }
    stack& operator=(stack&&) = delete;
    ~stack()
    {
        if (memory_ != nullptr) munmap(memory_, stack_bytes);
    }

    void* bottom() const { return memory_; }

private:
    void* memory_;
};

/// Where a fiber continues. Only `switch_to` enters it.
struct fiber {
#if defined(__x86_64__)
    void* at = nullptr;
#else
    ucontext_t at = {};
#endif
    const void* stack_bottom = nullptr;
    std::size_t stack_size = 0;
};

#if defined(__x86_64__)
// swapcontext makes a system call for the signal mask each time; this needs only twelve moves.
__attribute__((naked, noinline)) inline void switch_stacks(void** /*leave*/, void* /*enter*/)
{
    asm volatile(
        "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "mov %rsp, (%rdi)\n mov %rsi, %rsp\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret");
}
#endif

/// A fiber that starts in `entry`, which must not return and must first call `arrived()`.
inline fiber start(const stack& on, void (*entry)())
{
    fiber made;
    made.stack_bottom = static_cast<const char*>(on.bottom()) + page_bytes;
    made.stack_size = stack_bytes - page_bytes;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(made.stack_bottom, made.stack_size);  // an unfinished fiber may have used it
#endif
#if defined(__x86_64__)
    // From the top: no return address, the entry, six registers.
    auto** top = reinterpret_cast<void**>(static_cast<char*>(on.bottom()) + stack_bytes);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    made.at = top;
#else
    getcontext(&made.at);
    made.at.uc_stack.ss_sp = static_cast<char*>(on.bottom()) + page_bytes;
    made.at.uc_stack.ss_size = made.stack_size;
    makecontext(&made.at, entry, 0);
#endif
    return made;
}

/// Call this first on every arrival in a fiber, with the fiber it came from (for AddressSanitizer).
inline void arrived([[maybe_unused]] fiber& from, [[maybe_unused]] void* fake_stack = nullptr)
{
#if defined(__SANITIZE_ADDRESS__)
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
    from.stack_bottom = bottom;
    from.stack_size = size;
#endif
}

inline void switch_to(fiber& leave, fiber& enter)
{
    void* fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&fake_stack, enter.stack_bottom, enter.stack_size);
#endif
#if defined(__x86_64__)
    switch_stacks(&leave.at, enter.at);
#else
    swapcontext(&leave.at, &enter.at);
#endif
    arrived(enter, fake_stack);
}

}  // namespace gpu_on_cpu::detail
