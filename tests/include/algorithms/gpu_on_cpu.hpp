// Device code on the CPU, for tests without a GPU: runs the blocks of a grid one after the other, and the threads of a
// block as fibers that switch only at barriers, shuffles and votes. Include it before the device headers.
//
//     gpu_on_cpu::run(blocks, threads, [&] { device_code(data, shared); });
//
// A mistake throws gpu_on_cpu::failure: a deadlock, lanes of one warp at different instructions, threads of one block
// at different barriers, __trap(). Threads that have not finished by then are abandoned.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <random>
#include <source_location>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fiber.hpp"

#ifndef __device__
#define __device__
#define __host__
#define __global__
#endif
#ifndef __forceinline__
#define __forceinline__ inline
#endif
#undef __noinline__
#define __noinline__
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))

namespace gpu_on_cpu {

struct failure : std::logic_error {
    using std::logic_error::logic_error;
};

struct extent {
    unsigned x = 1, y = 1, z = 1;
    constexpr extent(unsigned x_in = 1, unsigned y_in = 1, unsigned z_in = 1) : x(x_in), y(y_in), z(z_in) {}
    constexpr unsigned count() const { return x * y * z; }
    constexpr extent at(unsigned i) const { return {i % x, i / x % y, i / x / y}; }
};

/// Runs `code` in every thread of every block. With order 0 the threads of a block continue in ascending order after a
/// barrier; every other number shuffles them in its own way, which exposes missing barriers.
template <class Code>
void run(extent grid, extent threads, Code&& code, unsigned order = 0);

}  // namespace gpu_on_cpu

inline thread_local constinit gpu_on_cpu::extent threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{}, gridDim{};
constexpr int warpSize = 32;

namespace gpu_on_cpu::detail {

#ifdef __cpp_lib_source_location
using place = std::source_location;
#else
/// std::source_location for clang 14, which lacks it; clang-tidy 14 reads these files.
class place {
public:
    static constexpr place current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                   unsigned column = __builtin_COLUMN())
    {
        place made;
        made.file_ = file;
        made.line_ = line;
        made.column_ = column;
        return made;
    }
    [[nodiscard]] constexpr const char* file_name() const { return file_; }
    [[nodiscard]] constexpr unsigned line() const { return line_; }
    [[nodiscard]] constexpr unsigned column() const { return column_; }

private:
    const char* file_ = "";
    unsigned line_ = 0, column_ = 0;
};
#endif

enum class instruction {
    none,
    syncthreads,
    syncthreads_or,
    syncthreads_count,
    syncwarp,
    shfl,
    shfl_up,
    shfl_down,
    shfl_xor,
    any,
    all,
    ballot
};

inline const char* name(instruction each)
{
    constexpr const char* names[] = {"",
                                     "__syncthreads()",
                                     "__syncthreads_or()",
                                     "__syncthreads_count()",
                                     "__syncwarp()",
                                     "__shfl_sync()",
                                     "__shfl_up_sync()",
                                     "__shfl_down_sync()",
                                     "__shfl_xor_sync()",
                                     "__any_sync()",
                                     "__all_sync()",
                                     "__ballot_sync()"};
    return names[static_cast<int>(each)];
}

inline bool is_of_block(instruction each)
{
    return each == instruction::syncthreads || each == instruction::syncthreads_or ||
           each == instruction::syncthreads_count;
}

/// What a thread waits at: an instruction and its operands.
struct wait {
    instruction what = instruction::none;
    place where = {};
    unsigned mask = ~0u;
    std::uint64_t value = 0;
    unsigned argument = 0, width = 32;

    bool at_the_same_instruction(const wait& other) const
    {
        return what == other.what && where.line() == other.where.line() && where.column() == other.where.column() &&
               is_same_file(other) && mask == other.mask && width == other.width;
    }
    std::string text() const
    {
        std::string file = where.file_name();
        file = file.substr(file.rfind('/') + 1);
        return std::string(name(what)) + " in " + file + ":" + std::to_string(where.line());
    }

private:
    // Mostly the same text; comparing the characters took a fifth of the tests' time.
    bool is_same_file(const wait& other) const
    {
        const char *one = where.file_name(), *another = other.where.file_name();
        return one == another || std::strcmp(one, another) == 0;
    }
};

struct thread {
    fiber paused;
    bool ended = false;
    wait waits;  // empty while it can run
    std::uint64_t result = 0;
};

/// PTX ISA, shfl.sync: the lane that `lane` reads.
inline unsigned source_lane(const wait& of, unsigned lane)
{
    const unsigned segment = 32 - of.width, argument = of.argument & 31;
    const unsigned first = lane & segment, last = first | (31 & ~segment);
    unsigned source = lane;
    if (of.what == instruction::shfl) return first | (argument & ~segment);
    if (of.what == instruction::shfl_up) return lane - first >= argument ? lane - argument : lane;
    if (of.what == instruction::shfl_down) source = lane + argument;
    if (of.what == instruction::shfl_xor) source = lane ^ argument;
    return source <= last ? source : lane;
}

class block {
public:
    block(extent threads, const std::function<void()>& code, unsigned order)
        : shape_(threads), code_(code), order_(order), threads_(threads.count())
    {
        static thread_local std::vector<stack> stacks;
        while (stacks.size() < threads_.size()) stacks.emplace_back();
        for (std::size_t i = 0; i < threads_.size(); ++i) threads_[i].paused = start(stacks[i], &begin);
    }

    void run()
    {
        if (running != nullptr) throw failure("gpu_on_cpu::run inside of gpu_on_cpu::run");
        running = this;
        std::vector<unsigned> turns(threads_.size());
        for (unsigned i = 0; i < turns.size(); ++i) turns[i] = i;
        std::mt19937 random(order_);
        bool progress = true;
        while (progress && !error_) {
            progress = false;
            if (order_ != 0) std::shuffle(turns.begin(), turns.end(), random);
            for (const unsigned i : turns) {
                if (error_ || threads_[i].ended || threads_[i].waits.what != instruction::none) continue;
                now_ = i;
                threadIdx = shape_.at(i);
                switch_to(scheduler_, threads_[i].paused);
                progress = true;
            }
        }
        running = nullptr;
        if (error_) std::rethrow_exception(error_);
        if (ended_ != threads_.size()) throw failure("deadlock: " + states());
    }

    /// The calling thread waits at an instruction until the other threads arrive.
    std::uint64_t meet(const wait& at)
    {
        thread& self = threads_[now_];
        self.waits = at;
        const unsigned warp = now_ / 32 * 32;
        if (is_of_block(at.what))
            try_to_meet(0, static_cast<unsigned>(threads_.size()), ~0u);
        else {
            if ((at.mask >> (now_ % 32) & 1) == 0) throw failure("the mask lacks the lane that calls: " + states());
            try_to_meet(warp, std::min(warp + 32, static_cast<unsigned>(threads_.size())), at.mask);
        }
        if (self.waits.what != instruction::none) switch_to(self.paused, scheduler_);
        return self.result;
    }

    static inline thread_local block* running = nullptr;

private:
    /// Lets the threads of `mask` (the same 32 bits for each warp) in [first, last) continue if all of them have
    /// arrived.
    void try_to_meet(unsigned first, unsigned last, unsigned mask)
    {
        const wait at = threads_[now_].waits;
        if (is_of_block(at.what) && ++at_barrier_ < threads_.size()) return;
        at_barrier_ = is_of_block(at.what) ? 0 : at_barrier_;
        for (unsigned i = first; i < last; ++i) {
            if ((mask >> (i % 32) & 1) == 0) continue;
            if (threads_[i].ended || threads_[i].waits.what == instruction::none) return;
            if (threads_[i].waits.at_the_same_instruction(at)) continue;
            const bool independent = (threads_[i].waits.mask >> (now_ % 32) & 1) == 0;  // it may still arrive
            if (independent) return;
            throw failure("threads that must meet are at different instructions: " + states());
        }
        if (at.what != instruction::syncthreads) exchange(first, last, at);
        for (unsigned i = first; i < last; ++i)
            if (mask >> (i % 32) & 1) threads_[i].waits.what = instruction::none;
    }

    void exchange(unsigned first, unsigned last, const wait& at)
    {
        unsigned votes = 0, count = 0;
        for (unsigned i = first; i < last; ++i)
            if (at.mask >> (i % 32) & 1 && threads_[i].waits.value != 0) votes |= 1u << (i % 32), ++count;
        for (unsigned i = first; i < last; ++i) {
            if ((at.mask >> (i % 32) & 1) == 0) continue;
            thread& self = threads_[i];
            if (at.what == instruction::any || at.what == instruction::syncthreads_or) self.result = votes != 0;
            if (at.what == instruction::syncthreads_count) self.result = count;
            if (at.what == instruction::ballot) self.result = votes;
            if (at.what == instruction::all) {
                const unsigned there = last - first == 32 ? ~0u : (1u << (last - first)) - 1;
                self.result = votes == (at.mask & there);
            }
            if (at.what >= instruction::shfl && at.what <= instruction::shfl_xor) {
                const unsigned source = source_lane(self.waits, i - first);
                const bool active = first + source < last && at.mask >> source & 1;
                self.result = active ? threads_[first + source].waits.value : 0xbad1bad1bad1bad1;  // undefined in CUDA
            }
        }
    }

    /// Threads 0-31 wait at __syncthreads() in merge_block.cuh:40; threads 32-63 have ended
    std::string states() const
    {
        const auto state = [this](std::size_t i) {
            if (threads_[i].ended) return std::string("ended");
            const wait& waits = threads_[i].waits;
            return waits.what == instruction::none ? "can run" : "wait at " + waits.text();
        };
        std::string text = "block " + std::to_string(blockIdx.x);
        for (std::size_t first = 0, last; first < threads_.size(); first = last) {
            for (last = first + 1; last < threads_.size() && state(last) == state(first);) ++last;
            text += (first == 0 ? ": threads " : "; ") + std::to_string(first);
            if (last - first > 1) text += "-" + std::to_string(last - 1);
            text += " " + state(first);
        }
        return text;
    }

    static void begin()
    {
        arrived(running->scheduler_);
        block& self = *running;
        try {
            self.code_();
        } catch (...) {
            self.error_ = std::current_exception();
        }
        thread& thread = self.threads_[self.now_];
        thread.ended = true;
        ++self.ended_;
        switch_to(thread.paused, self.scheduler_);
    }

    extent shape_;
    const std::function<void()>& code_;
    unsigned order_;
    std::vector<thread> threads_;
    fiber scheduler_;
    unsigned now_ = 0;
    std::size_t ended_ = 0, at_barrier_ = 0;
    std::exception_ptr error_;
};

template <class Value>
Value exchanged(wait at, Value value)
{
    static_assert(std::is_arithmetic_v<Value> && (sizeof value == 4 || sizeof value == 8), "as CUDA's shuffles");
    if (at.width > 32 || !std::has_single_bit(at.width)) throw failure("width is not a power of two up to 32");
    std::memcpy(&at.value, &value, sizeof value);
    const std::uint64_t result = block::running->meet(at);
    std::memcpy(&value, &result, sizeof value);
    return value;
}

}  // namespace gpu_on_cpu::detail

template <class Code>
void gpu_on_cpu::run(extent grid, extent threads, Code&& code, unsigned order)
{
    if (threads.count() == 0 || threads.count() > 1024) throw failure("a block has 1 to 1024 threads");
    gridDim = grid;
    blockDim = threads;
    const std::function<void()> called = std::ref(code);
    for (unsigned i = 0; i < grid.count(); ++i) {
        blockIdx = grid.at(i);
        detail::block(threads, called, order).run();
    }
}

#include "gpu_on_cpu_functions.hpp"
