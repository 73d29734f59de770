// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/filling_kernels.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "tune/worker/grid_index.hpp"

namespace launchbox {

namespace {

// {0}: the name; {1}: declarations of the type; {2}: grid_index.
constexpr std::string_view filling_begin = R"ptx(
.visible .entry launchbox_fill_{0}(.param .u64 data, .param .u64 count, .param .u64 bytes, .param .u64 seed,
    .param .u32 sequence, .param .u32 whole, .param .u64 smallest, .param .u64 range, .param .f64 low,
    .param .f64 span, .param .f64 high)
{{
    .reg .pred %p0, %sequence, %whole;
    .reg .b32 %thread, %threads, %block, %blocks, %flag, %half;
    .reg .b64 %data, %count, %bytes, %seed, %smallest, %range, %i, %stride, %at, %x, %t;
{1}
    ld.param.u64 %data, [data];
    cvta.to.global.u64 %data, %data;
    ld.param.u64 %count, [count];
    ld.param.u64 %bytes, [bytes];
    ld.param.u64 %seed, [seed];
    ld.param.u32 %flag, [sequence];
    setp.ne.u32 %sequence, %flag, 0;
    ld.param.u32 %flag, [whole];
    setp.ne.u32 %whole, %flag, 0;
    ld.param.u64 %smallest, [smallest];
    ld.param.u64 %range, [range];
{2})ptx";

// Sets %x to the random bits of the seed in {0} for the element %i.
constexpr std::string_view mixed_bits = R"ptx(    mul.lo.u64 %t, {0}, 0x{1:x};
    add.u64 %x, %i, 1;
    mad.lo.u64 %x, %x, 0x{2:x}, %t;
    shr.u64 %t, %x, 30;
    xor.b64 %x, %x, %t;
    mul.lo.u64 %x, %x, 0x{3:x};
    shr.u64 %t, %x, 27;
    xor.b64 %x, %x, %t;
    mul.lo.u64 %x, %x, 0x{4:x};
    shr.u64 %t, %x, 31;
    xor.b64 %x, %x, %t;
)ptx";

// Multiplication and addition are rounded separately, as on the host. {0}: random bits; {1}: how many are dropped; {2}:
// 2^-bits; {3}: from %value to bits in %bits and the rounded %value; {4}: store.
constexpr std::string_view floating_loop = R"ptx(    ld.param.f64 %low, [low];
    ld.param.f64 %span, [span];
    ld.param.f64 %high, [high];
LOOP:
    setp.ge.u64 %p0, %i, %count;
    @%p0 bra DONE;
{0}    shr.u64 %x, %x, {1};
    cvt.rn.f64.u64 %value, %x;
    mul.rn.f64 %value, %value, {2};
    mul.rn.f64 %value, %value, %span;
    add.rn.f64 %value, %low, %value;
    cvt.rn.f64.u64 %index, %i;
    selp.f64 %value, %index, %value, %sequence;
{3}    setp.ge.f64 %p0, %value, %high;
{4}    add.u64 %i, %i, %stride;
    bra LOOP;
DONE:
    ret;
}}
)ptx";

// {0}, {1}: random bits of the seed and of its complement. Common sizes are stored at once, others byte by byte.
constexpr std::string_view integer_loop = R"ptx(    not.b64 %other_seed, %seed;
LOOP:
    setp.ge.u64 %p0, %i, %count;
    @%p0 bra DONE;
{0}    setp.eq.u64 %p0, %range, 0;
    @%p0 bra CHOSEN;
    mul.hi.u64 %x, %x, %range;
    add.u64 %x, %x, %smallest;
CHOSEN:
    selp.b64 %x, %i, %x, %sequence;
    mad.lo.u64 %at, %i, %bytes, %data;
    setp.eq.u64 %p0, %bytes, 4;
    @%p0 st.global.u32 [%at], %x;
    @%p0 bra NEXT;
    setp.eq.u64 %p0, %bytes, 8;
    @%p0 st.global.u64 [%at], %x;
    @%p0 bra NEXT;
    setp.eq.u64 %p0, %bytes, 1;
    @%p0 st.global.u8 [%at], %x;
    @%p0 bra NEXT;
    setp.eq.u64 %p0, %bytes, 2;
    @%p0 st.global.u16 [%at], %x;
    @%p0 bra NEXT;
    mov.u64 %left, %bytes;
    mov.b64 %word, %x;
    mov.b64 %more, 0;
    @!%whole bra PART;
{1}    mov.b64 %more, %x;
PART:
    mov.u64 %in_word, 8;
BYTE:
    st.global.u8 [%at], %word;
    shr.u64 %word, %word, 8;
    add.u64 %at, %at, 1;
    sub.u64 %left, %left, 1;
    setp.eq.u64 %p0, %left, 0;
    @%p0 bra NEXT;
    sub.u64 %in_word, %in_word, 1;
    setp.ne.u64 %p0, %in_word, 0;
    @%p0 bra BYTE;
    mov.b64 %word, %more;
    bra PART;
NEXT:
    add.u64 %i, %i, %stride;
    bra LOOP;
DONE:
    ret;
}}
)ptx";

// `rounded`: from %value to %bits, and back to %value, since the rounded value counts.
struct filled_type {
    std::string_view name;
    element_type type;
    std::string_view rounded, stored;
};

using kind = element_type::kind;
constexpr std::array filled_types = std::to_array<filled_type>({
    {"f64", {kind::floating, 8}, "    mov.b64 %bits, %value;\n", "st.global.u64"},
    {"f32",
     {kind::floating, 4},
     "    cvt.rn.f32.f64 %single, %value;\n    cvt.f64.f32 %value, %single;\n    mov.b32 %half, %single;\n"
     "    cvt.u64.u32 %bits, %half;\n",
     "st.global.u32"},
    {"f16",
     {kind::half, 2},
     "    cvt.rn.f16.f64 %short, %value;\n    cvt.f64.f16 %value, %short;\n    cvt.u64.u16 %bits, %short;\n",
     "st.global.u16"},
    // Round to nearest, ties to even, by hand: this PTX version has no such conversion.
    {"bf16",
     {kind::bfloat16, 2},
     "    cvt.rn.f32.f64 %single, %value;\n    mov.b32 %half, %single;\n    shr.u32 %flag, %half, 16;\n"
     "    and.b32 %flag, %flag, 1;\n    add.u32 %half, %half, %flag;\n    add.u32 %half, %half, 0x7fff;\n"
     "    shr.u32 %half, %half, 16;\n    cvt.u64.u32 %bits, %half;\n    shl.b32 %half, %half, 16;\n"
     "    mov.b32 %single, %half;\n    cvt.f64.f32 %value, %single;\n",
     "st.global.u16"},
});

std::string mixed(std::string_view seed)
{
    return fmt::format(mixed_bits, seed, split_mix::seed_factor, split_mix::index_factor, split_mix::first_mix,
                       split_mix::second_mix);
}

std::string floating_kernel(const filled_type& filled)
{
    const int bits = random_bits_of(filled.type);
    const std::string store = fmt::format(
        "    selp.b64 %bits, %smallest, %bits, %p0;\n    mad.lo.u64 %at, %i, {}, %data;\n    {} [%at], %bits;\n",
        filled.type.bytes, filled.stored);
    return fmt::format(filling_begin, filled.name,
                       "    .reg .b16 %short;\n    .reg .f32 %single;\n"
                       "    .reg .f64 %low, %span, %high, %value, %index;\n    .reg .b64 %bits;",
                       grid_index) +
           fmt::format(floating_loop, mixed("%seed"), 64 - bits,
                       fmt::format("0d{:016x}", static_cast<std::uint64_t>(1023 - bits) << 52), filled.rounded, store);
}

}  // namespace

std::array<void*, 11> filling_parameters::pointers()
{
    return {&data, &count, &bytes, &seed, &sequence, &whole, &smallest, &range, &low, &span, &high};
}

filling_parameters parameters_of(const element_filling& filling, std::uint64_t data, std::int64_t count)
{
    return {.data = data,
            .count = static_cast<std::uint64_t>(count),
            .bytes = static_cast<std::uint64_t>(filling.type.bytes),
            .seed = filling.seed,
            .sequence = filling.sequence ? 1u : 0u,
            .whole = !filling.sequence && filling.range == 0 ? 1u : 0u,
            .smallest = filling.floating ? floating_bits(filling.low, filling.type) : filling.smallest,
            .range = filling.range,
            .low = filling.low,
            .span = filling.high - filling.low,
            .high = filling.sequence ? std::numeric_limits<double>::quiet_NaN() : filling.high};
}

std::string filling_kernel_for(const element_filling& filling)
{
    if (filling.floating)
        for (const filled_type& filled : filled_types)
            if (filled.type.what == filling.type.what && filled.type.bytes == filling.type.bytes)
                return fmt::format("launchbox_fill_{}", filled.name);
    return "launchbox_fill_integer";
}

std::string filling_kernels_ptx()
{
    std::string ptx;
    for (const filled_type& filled : filled_types) ptx += floating_kernel(filled);
    ptx +=
        fmt::format(filling_begin, "integer", "    .reg .b64 %other_seed, %left, %word, %more, %in_word;", grid_index);
    return ptx + fmt::format(integer_loop, mixed("%seed"), mixed("%other_seed"));
}

}  // namespace launchbox
