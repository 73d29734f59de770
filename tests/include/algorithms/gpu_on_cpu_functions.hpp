// CUDA's device functions for gpu_on_cpu.hpp, which includes this file.
#pragma once

#define GPU_ON_CPU_PLACE gpu_on_cpu::detail::place where = gpu_on_cpu::detail::place::current()

// Barriers, shuffles, votes.

inline void __syncthreads(GPU_ON_CPU_PLACE)
{
    gpu_on_cpu::detail::block::running->meet({gpu_on_cpu::detail::instruction::syncthreads, where});
}

inline int __syncthreads_or(int predicate, GPU_ON_CPU_PLACE)
{
    return static_cast<int>(gpu_on_cpu::detail::block::running->meet(
        {gpu_on_cpu::detail::instruction::syncthreads_or, where, ~0u, predicate != 0}));
}

inline int __syncthreads_count(int predicate, GPU_ON_CPU_PLACE)
{
    return static_cast<int>(gpu_on_cpu::detail::block::running->meet(
        {gpu_on_cpu::detail::instruction::syncthreads_count, where, ~0u, predicate != 0}));
}

inline void __syncwarp(unsigned mask = ~0u, GPU_ON_CPU_PLACE)
{
    gpu_on_cpu::detail::block::running->meet({gpu_on_cpu::detail::instruction::syncwarp, where, mask});
}

template <class Value>
Value __shfl_sync(unsigned mask, Value value, int lane, int width = 32, GPU_ON_CPU_PLACE)
{
    return gpu_on_cpu::detail::exchanged({gpu_on_cpu::detail::instruction::shfl, where, mask, 0,
                                          static_cast<unsigned>(lane), static_cast<unsigned>(width)},
                                         value);
}

template <class Value>
Value __shfl_up_sync(unsigned mask, Value value, unsigned delta, int width = 32, GPU_ON_CPU_PLACE)
{
    return gpu_on_cpu::detail::exchanged(
        {gpu_on_cpu::detail::instruction::shfl_up, where, mask, 0, delta, static_cast<unsigned>(width)}, value);
}

template <class Value>
Value __shfl_down_sync(unsigned mask, Value value, unsigned delta, int width = 32, GPU_ON_CPU_PLACE)
{
    return gpu_on_cpu::detail::exchanged(
        {gpu_on_cpu::detail::instruction::shfl_down, where, mask, 0, delta, static_cast<unsigned>(width)}, value);
}

template <class Value>
Value __shfl_xor_sync(unsigned mask, Value value, int lanes, int width = 32, GPU_ON_CPU_PLACE)
{
    return gpu_on_cpu::detail::exchanged({gpu_on_cpu::detail::instruction::shfl_xor, where, mask, 0,
                                          static_cast<unsigned>(lanes), static_cast<unsigned>(width)},
                                         value);
}

inline int __any_sync(unsigned mask, int predicate, GPU_ON_CPU_PLACE)
{
    return static_cast<int>(
        gpu_on_cpu::detail::block::running->meet({gpu_on_cpu::detail::instruction::any, where, mask, predicate != 0}));
}

inline int __all_sync(unsigned mask, int predicate, GPU_ON_CPU_PLACE)
{
    return static_cast<int>(
        gpu_on_cpu::detail::block::running->meet({gpu_on_cpu::detail::instruction::all, where, mask, predicate != 0}));
}

inline unsigned __ballot_sync(unsigned mask, int predicate, GPU_ON_CPU_PLACE)
{
    return static_cast<unsigned>(gpu_on_cpu::detail::block::running->meet(
        {gpu_on_cpu::detail::instruction::ballot, where, mask, predicate != 0}));
}

// Threads switch only where they meet, so fences do nothing and atomics are plain operations.

/// Uses shuffles if the mask includes all lanes of the warp.
template <class Value>
unsigned __match_any_sync(unsigned mask, Value value, GPU_ON_CPU_PLACE)
{
    unsigned same = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if (__shfl_sync(mask, value, static_cast<int>(lane), 32, where) == value) same |= 1u << lane;
    return same;
}

inline void __threadfence() {}
inline void __threadfence_block() {}

[[noreturn]] inline void __trap(GPU_ON_CPU_PLACE)
{
    throw gpu_on_cpu::failure("__trap() in " + std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                              ", block " + std::to_string(blockIdx.x) + ", thread " + std::to_string(threadIdx.x));
}

template <class Value>
Value atomicExch(Value* at, std::type_identity_t<Value> value)
{
    return std::exchange(*at, value);
}
template <class Value>
Value atomicAdd(Value* at, std::type_identity_t<Value> value)
{
    return std::exchange(*at, static_cast<Value>(*at + value));
}
template <class Value>
Value atomicMax(Value* at, std::type_identity_t<Value> value)
{
    return std::exchange(*at, *at < value ? value : *at);
}
template <class Value>
Value atomicMin(Value* at, std::type_identity_t<Value> value)
{
    return std::exchange(*at, value < *at ? value : *at);
}
template <class Value>
Value atomicOr(Value* at, std::type_identity_t<Value> value)
{
    return std::exchange(*at, static_cast<Value>(*at | value));
}
template <class Value>
Value atomicAnd(Value* at, std::type_identity_t<Value> value)
{
    return std::exchange(*at, static_cast<Value>(*at & value));
}
template <class Value>
Value atomicCAS(Value* at, std::type_identity_t<Value> expected, std::type_identity_t<Value> value)
{
    return std::exchange(*at, *at == expected ? value : *at);
}

template <class Value>
Value __ldg(const Value* at)
{
    return *at;
}
template <class Value>
Value __ldcs(const Value* at)
{
    return *at;
}
template <class Value>
Value __ldcg(const Value* at)
{
    return *at;
}
template <class Value>
void __stcs(Value* at, std::type_identity_t<Value> value)
{
    *at = value;
}
template <class Value>
void __stcg(Value* at, std::type_identity_t<Value> value)
{
    *at = value;
}

// Integers.

constexpr int __popc(unsigned value)
{
    return std::popcount(value);
}
constexpr int __popcll(unsigned long long value)
{
    return std::popcount(value);
}
constexpr int __clz(int value)
{
    return std::countl_zero(static_cast<unsigned>(value));
}
constexpr int __clzll(long long value)
{
    return std::countl_zero(static_cast<unsigned long long>(value));
}
constexpr int __ffs(int value)
{
    return value == 0 ? 0 : std::countr_zero(static_cast<unsigned>(value)) + 1;
}
constexpr int __ffsll(long long value)
{
    return value == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(value)) + 1;
}
constexpr unsigned __brev(unsigned value)
{
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (value >> bit & 1) << (31 - bit);
    return reversed;
}
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    return static_cast<unsigned>(both << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    return static_cast<unsigned>(both >> (shift & 31));
}

/// Like CUDA's overloads: an int and an unsigned give an unsigned.
template <class A, class B>
    requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr std::common_type_t<A, B> min(A a, B b)
{
    using common = std::common_type_t<A, B>;
    return static_cast<common>(b) < static_cast<common>(a) ? static_cast<common>(b) : static_cast<common>(a);
}
template <class A, class B>
    requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B>
constexpr std::common_type_t<A, B> max(A a, B b)
{
    using common = std::common_type_t<A, B>;
    return static_cast<common>(a) < static_cast<common>(b) ? static_cast<common>(b) : static_cast<common>(a);
}

#undef GPU_ON_CPU_PLACE
