// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/helper_module.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "tune/worker/buffers.hpp"
#include "tune/worker/filling_kernels.hpp"
#include "tune/worker/grid_index.hpp"

namespace launchbox {

namespace {

// Mixes the word with index {1} in register {0} into a checksum, and adds it to %sum.
constexpr std::string_view mixed_into_sum = R"ptx(    add.u64 %place, {1}, 1;
    mad.lo.u64 {0}, %place, 0x9e3779b97f4a7c15, {0};
    shr.u64 %shifted, {0}, 32;
    xor.b64 {0}, {0}, %shifted;
    mul.lo.u64 {0}, {0}, 0xbf58476d1ce4e5b9;
    shr.u64 %shifted, {0}, 29;
    xor.b64 {0}, {0}, %shifted;
    add.u64 %sum, %sum, {0};
)ptx";

// PTX 6.3 is the oldest version with sm_75, so the oldest drivers accept it. {0}: loads four words before mixing any,
// which keeps enough loads in flight for the memory bandwidth; {1}: one word; {2}: grid_index. Exactly one thread has
// the number of whole words as its index: it takes the remaining bytes.
constexpr std::string_view checksum_kernel = R"ptx(.version 6.3
.target sm_75
.address_size 64

.visible .entry launchbox_checksum(.param .u64 data, .param .u64 bytes, .param .u64 result)
{{
    .reg .pred %p<2>;
    .reg .b32 %thread, %threads, %block, %blocks, %low, %high, %distance, %lane;
    .reg .b64 %data, %bytes, %result, %i, %stride, %stride_bytes, %words, %sum, %at, %place, %shifted, %rest, %byte, %t;
    .reg .b64 %word, %second, %third, %fourth, %i2, %i3, %i4;
    ld.param.u64 %data, [data];
    cvta.to.global.u64 %data, %data;
    ld.param.u64 %bytes, [bytes];
    ld.param.u64 %result, [result];
    cvta.to.global.u64 %result, %result;
{2}    shl.b64 %stride_bytes, %stride, 3;
    shr.u64 %words, %bytes, 3;
    mov.u64 %sum, 0;
FOUR:
    mad.lo.u64 %i4, %stride, 3, %i;
    setp.ge.u64 %p0, %i4, %words;
    @%p0 bra LOOP;
    add.u64 %i2, %i, %stride;
    add.u64 %i3, %i2, %stride;
    shl.b64 %at, %i, 3;
    add.u64 %at, %data, %at;
    ld.global.u64 %word, [%at];
    add.u64 %at, %at, %stride_bytes;
    ld.global.u64 %second, [%at];
    add.u64 %at, %at, %stride_bytes;
    ld.global.u64 %third, [%at];
    add.u64 %at, %at, %stride_bytes;
    ld.global.u64 %fourth, [%at];
{0}    add.u64 %i, %i4, %stride;
    bra FOUR;
LOOP:
    setp.gt.u64 %p0, %i, %words;
    @%p0 bra REDUCE;
    shl.b64 %at, %i, 3;
    add.u64 %at, %data, %at;
    setp.eq.u64 %p0, %i, %words;
    @%p0 bra TAIL;
    ld.global.u64 %word, [%at];
MIX:
{1}    add.u64 %i, %i, %stride;
    bra LOOP;
TAIL:
    and.b64 %rest, %bytes, 7;
    setp.eq.u64 %p0, %rest, 0;
    @%p0 bra REDUCE;
    mov.u64 %word, 0;
BYTE:
    sub.u64 %rest, %rest, 1;
    add.u64 %t, %at, %rest;
    ld.global.u8 %byte, [%t];
    shl.b64 %word, %word, 8;
    or.b64 %word, %word, %byte;
    setp.ne.u64 %p0, %rest, 0;
    @%p0 bra BYTE;
    bra MIX;
REDUCE:
    bar.warp.sync 0xffffffff;
    mov.u32 %distance, 16;
HALVE:
    mov.b64 {{%low, %high}}, %sum;
    shfl.sync.bfly.b32 %low, %low, %distance, 31, 0xffffffff;
    shfl.sync.bfly.b32 %high, %high, %distance, 31, 0xffffffff;
    mov.b64 %t, {{%low, %high}};
    add.u64 %sum, %sum, %t;
    shr.u32 %distance, %distance, 1;
    setp.ne.u32 %p0, %distance, 0;
    @%p0 bra HALVE;
    and.b32 %lane, %thread, 31;
    setp.eq.u32 %p0, %lane, 0;
    @%p0 red.global.add.u64 [%result], %sum;
    ret;
}}
)ptx";

std::string checksum_ptx()
{
    const auto mixed = [](const char* word, const char* index) { return fmt::format(mixed_into_sum, word, index); };
    return fmt::format(
        checksum_kernel,
        mixed("%word", "%i") + mixed("%second", "%i2") + mixed("%third", "%i3") + mixed("%fourth", "%i4"),
        mixed("%word", "%i"), grid_index);
}

constexpr std::string_view poison_kernel = R"ptx(
.visible .entry launchbox_count_poison(.param .u64 data, .param .u64 count, .param .u64 bytes, .param .u64 result)
{{
    .reg .pred %p<2>;
    .reg .b32 %thread, %threads, %block, %blocks, %byte, %poison, %shift;
    .reg .b64 %data, %count, %bytes, %result, %i, %stride, %found, %at, %end, %from, %t;
    ld.param.u64 %data, [data];
    cvta.to.global.u64 %data, %data;
    ld.param.u64 %count, [count];
    ld.param.u64 %bytes, [bytes];
    ld.param.u64 %result, [result];
    cvta.to.global.u64 %result, %result;
{1}    mov.u64 %found, 0;
LOOP:
    setp.ge.u64 %p0, %i, %count;
    @%p0 bra DONE;
    mul.lo.u64 %at, %i, %bytes;
    add.u64 %end, %at, %bytes;
BYTE:
    add.u64 %from, %data, %at;
    ld.global.u8 %byte, [%from];
    cvt.u32.u64 %shift, %at;
    and.b32 %shift, %shift, 3;
    shl.b32 %shift, %shift, 3;
    mov.b32 %poison, 0x{0:08x};
    shr.u32 %poison, %poison, %shift;
    and.b32 %poison, %poison, 0xff;
    setp.ne.u32 %p0, %byte, %poison;
    @%p0 bra NEXT;
    add.u64 %at, %at, 1;
    setp.lt.u64 %p0, %at, %end;
    @%p0 bra BYTE;
    add.u64 %found, %found, 1;
NEXT:
    add.u64 %i, %i, %stride;
    bra LOOP;
DONE:
    setp.ne.u64 %p0, %found, 0;
    @%p0 red.global.add.u64 [%result], %found;
    ret;
}}
)ptx";

// {0}: grid_index.
constexpr std::string_view other_kernels = R"ptx(
.visible .entry launchbox_count_other(.param .u64 data, .param .u64 bytes, .param .u32 value, .param .u64 result)
{{
    .reg .pred %p<2>;
    .reg .b32 %thread, %threads, %block, %blocks, %value, %byte;
    .reg .b64 %data, %bytes, %result, %i, %stride, %count, %at, %t;
    ld.param.u64 %data, [data];
    cvta.to.global.u64 %data, %data;
    ld.param.u64 %bytes, [bytes];
    ld.param.u32 %value, [value];
    ld.param.u64 %result, [result];
    cvta.to.global.u64 %result, %result;
{0}    mov.u64 %count, 0;
LOOP:
    setp.ge.u64 %p0, %i, %bytes;
    @%p0 bra DONE;
    add.u64 %at, %data, %i;
    ld.global.u8 %byte, [%at];
    setp.ne.u32 %p1, %byte, %value;
    @%p1 add.u64 %count, %count, 1;
    add.u64 %i, %i, %stride;
    bra LOOP;
DONE:
    setp.ne.u64 %p0, %count, 0;
    @%p0 red.global.add.u64 [%result], %count;
    ret;
}}

.visible .entry launchbox_block(.param .u64 flag, .param .u64 nanoseconds)
{{
    .reg .pred %p<2>;
    .reg .b32 %value;
    .reg .b64 %flag, %limit, %begin, %now;
    ld.param.u64 %flag, [flag];
    cvta.to.global.u64 %flag, %flag;
    ld.param.u64 %limit, [nanoseconds];
    mov.u64 %begin, %globaltimer;
WAIT:
    ld.volatile.global.u32 %value, [%flag];
    setp.ne.u32 %p0, %value, 0;
    @%p0 bra DONE;
    mov.u64 %now, %globaltimer;
    sub.u64 %now, %now, %begin;
    setp.lt.u64 %p1, %now, %limit;
    @%p1 bra WAIT;
    mov.u32 %value, 2;
    st.volatile.global.u32 [%flag], %value;
DONE:
    ret;
}}
)ptx";

// An element type for comparing outputs. `to_number`: converts the bits in register %{0} to the double %{1}.
struct compared_type {
    std::string_view name;
    element_type type;
    std::string_view to_number;
};

using kind = element_type::kind;
constexpr std::array compared_types = std::to_array<compared_type>({
    {"s8", {kind::signed_integer, 1}, "cvt.s32.s8 %low, %{0};\n    cvt.rn.f64.s32 %{1}, %low;"},
    {"s16", {kind::signed_integer, 2}, "cvt.s32.s16 %low, %{0};\n    cvt.rn.f64.s32 %{1}, %low;"},
    {"s32", {kind::signed_integer, 4}, "cvt.rn.f64.s32 %{1}, %{0};"},
    {"s64", {kind::signed_integer, 8}, "cvt.rn.f64.s64 %{1}, %{0};"},
    {"u8", {kind::unsigned_integer, 1}, "cvt.rn.f64.u32 %{1}, %{0};"},
    {"u16", {kind::unsigned_integer, 2}, "cvt.rn.f64.u32 %{1}, %{0};"},
    {"u32", {kind::unsigned_integer, 4}, "cvt.rn.f64.u32 %{1}, %{0};"},
    {"u64", {kind::unsigned_integer, 8}, "cvt.rn.f64.u64 %{1}, %{0};"},
    {"f16",
     {kind::half, 2},
     "cvt.u16.u32 %half, %{0};\n    cvt.f32.f16 %single, %half;\n    cvt.f64.f32 %{1}, %single;"},
    {"bf16",
     {kind::bfloat16, 2},
     "shl.b32 %low, %{0}, 16;\n    mov.b32 %single, %low;\n    cvt.f64.f32 %{1}, %single;"},
    {"f32", {kind::floating, 4}, "mov.b32 %single, %{0};\n    cvt.f64.f32 %{1}, %single;"},
    {"f64", {kind::floating, 8}, "mov.b64 %{1}, %{0};"},
});

// Common frame of all comparisons. Each thread strides over the elements, so the first difference that it meets has its
// smallest index.
constexpr std::string_view comparison_begin = R"ptx(
.visible .entry launchbox_compare_{0}(.param .u64 output, .param .u64 reference, .param .u64 count,
    .param .u64 bytes, .param .f64 absolute, .param .f64 relative, .param .u64 result)
{{
    .reg .pred %p0, %p1, %same, %untouched;
    .reg .b16 %half;
    .reg .b32 %thread, %threads, %block, %blocks, %low;
    .reg .b{1} %is_bits, %wanted_bits, %poison;
    .reg .f32 %single;
    .reg .f64 %is, %wanted, %distance, %limit, %absolute, %relative, %largest;
    .reg .b64 %output, %reference, %count, %bytes, %result, %i, %stride, %differing, %unwritten, %first, %at, %a, %b, %t;
    ld.param.u64 %output, [output];
    cvta.to.global.u64 %output, %output;
    ld.param.u64 %reference, [reference];
    cvta.to.global.u64 %reference, %reference;
    ld.param.u64 %count, [count];
    ld.param.u64 %bytes, [bytes];
    ld.param.f64 %absolute, [absolute];
    ld.param.f64 %relative, [relative];
    ld.param.u64 %result, [result];
    cvta.to.global.u64 %result, %result;
{2}    mov.u64 %differing, 0;
    mov.u64 %unwritten, 0;
    mov.u64 %first, 0;
    mov.f64 %largest, 0d0000000000000000;
    mov.f64 %distance, 0d0000000000000000;
LOOP:
    setp.ge.u64 %p0, %i, %count;
    @%p0 bra DONE;
    mul.lo.u64 %at, %i, %bytes;
    add.u64 %a, %output, %at;
    add.u64 %b, %reference, %at;
)ptx";

constexpr std::string_view comparison_end = R"ptx(DIFFERENT:
    setp.eq.u64 %p0, %differing, 0;
    @%p0 not.b64 %first, %i;
    add.u64 %differing, %differing, 1;
    @%untouched add.u64 %unwritten, %unwritten, 1;
    max.f64 %largest, %largest, %distance;
NEXT:
    add.u64 %i, %i, %stride;
    bra LOOP;
DONE:
    setp.eq.u64 %p0, %differing, 0;
    @%p0 bra END;
    red.global.add.u64 [%result], %differing;
    red.global.max.u64 [%result+8], %first;
    mov.b64 %t, %largest;
    red.global.max.u64 [%result+16], %t;
    red.global.add.u64 [%result+24], %unwritten;
END:
    ret;
}}
)ptx";

// {0}: type to load; {1}: bits of the register; {2}, {3}: conversions to numbers; {4}: the poison of element %i; {5}:
// the distance; {6}: poison is never right. Multiplication and addition are rounded separately, as on the host.
constexpr std::string_view numbers_compared = R"ptx(    ld.global.{0} %is_bits, [%a];
    ld.global.{0} %wanted_bits, [%b];
    setp.eq.b{1} %p0, %is_bits, %wanted_bits;
    @%p0 bra NEXT;
{4}
    setp.eq.b{1} %untouched, %is_bits, %poison;
    {2}
    {3}
    mov.f64 %distance, 0d7ff0000000000000;
    setp.nan.f64 %p0, %is, %is;
    setp.nan.f64 %p1, %wanted, %wanted;
    and.pred %same, %p0, %p1;
    or.pred %p0, %p0, %p1;
    @%p0 bra JUDGE;
    testp.infinite.f64 %p0, %is;
    testp.infinite.f64 %p1, %wanted;
    or.pred %p0, %p0, %p1;
    setp.eq.f64 %same, %is, %wanted;
    @%p0 bra JUDGE;
{5}
    abs.f64 %limit, %wanted;
    mul.rn.f64 %limit, %relative, %limit;
    add.rn.f64 %limit, %absolute, %limit;
    setp.le.f64 %same, %distance, %limit;
JUDGE:
{6}    @%same bra NEXT;
)ptx";

// {0}: the poison. A difference ends the first loop; the second checks whether the whole element still holds the
// poison.
constexpr std::string_view opaque_compared = R"ptx(    mov.u64 %t, 0;
BYTE:
    ld.global.u8 %is_bits, [%a];
    ld.global.u8 %wanted_bits, [%b];
    setp.ne.b32 %p0, %is_bits, %wanted_bits;
    @%p0 bra UNEQUAL;
    add.u64 %a, %a, 1;
    add.u64 %b, %b, 1;
    add.u64 %t, %t, 1;
    setp.lt.u64 %p0, %t, %bytes;
    @%p0 bra BYTE;
    bra NEXT;
UNEQUAL:
    mov.u64 %t, 0;
POISON:
    add.u64 %b, %at, %t;
    add.u64 %a, %output, %b;
    ld.global.u8 %is_bits, [%a];
    cvt.u32.u64 %low, %b;
    and.b32 %low, %low, 3;
    shl.b32 %low, %low, 3;
    mov.b32 %poison, 0x{0:08x};
    shr.u32 %poison, %poison, %low;
    and.b32 %poison, %poison, 0xff;
    setp.eq.b32 %untouched, %is_bits, %poison;
    @!%untouched bra DIFFERENT;
    add.u64 %t, %t, 1;
    setp.lt.u64 %p0, %t, %bytes;
    @%p0 bra POISON;
)ptx";

// An element smaller than the poison's four bytes holds a part of it.
std::string poison_of_element(int bytes)
{
    if (bytes == 8) return fmt::format("    mov.b64 %poison, 0x{0:08x}{0:08x};", poison_word);
    if (bytes == 4) return fmt::format("    mov.b32 %poison, 0x{:08x};", poison_word);
    return fmt::format(
        "    cvt.u32.u64 %low, %i;\n    and.b32 %low, %low, {};\n    shl.b32 %low, %low, {};\n"
        "    mov.b32 %poison, 0x{:08x};\n    shr.u32 %poison, %poison, %low;\n"
        "    and.b32 %poison, %poison, 0x{:x};",
        4 / bytes - 1, bytes == 1 ? 3 : 4, poison_word, bytes == 1 ? 0xff : 0xffff);
}

// Integers beyond 2^53 are inexact as double, but their difference is exact.
std::string distance_of(const element_type& type)
{
    const bool integer = type.what == kind::signed_integer || type.what == kind::unsigned_integer;
    if (!integer || type.bytes < 8) return "    sub.rn.f64 %distance, %is, %wanted;\n    abs.f64 %distance, %distance;";
    return fmt::format(
        "    setp.lt.{} %p0, %is_bits, %wanted_bits;\n    sub.u64 %a, %wanted_bits, %is_bits;\n"
        "    sub.u64 %b, %is_bits, %wanted_bits;\n    selp.b64 %t, %a, %b, %p0;\n    cvt.rn.f64.u64 %distance, %t;",
        type.what == kind::signed_integer ? "s64" : "u64");
}

std::string comparison_kernel(const compared_type& compared)
{
    const int bytes = compared.type.bytes, bits = bytes == 8 ? 64 : 32;
    return fmt::format(comparison_begin, compared.name, bits, grid_index) +
           fmt::format(numbers_compared, fmt::format("u{}", 8 * bytes), bits,
                       fmt::format(fmt::runtime(compared.to_number), "is_bits", "is"),
                       fmt::format(fmt::runtime(compared.to_number), "wanted_bits", "wanted"), poison_of_element(bytes),
                       distance_of(compared.type),
                       poison_is_invalid(compared.type)
                           ? "    not.pred %p0, %untouched;\n    and.pred %same, %same, %p0;\n"
                           : "") +
           fmt::format(comparison_end);
}

}  // namespace

std::string helper_module_ptx()
{
    std::string ptx =
        checksum_ptx() + fmt::format(other_kernels, grid_index) + fmt::format(poison_kernel, poison_word, grid_index);
    for (const compared_type& compared : compared_types) ptx += comparison_kernel(compared);
    ptx += fmt::format(comparison_begin, "opaque", 32, grid_index);
    ptx += fmt::format(opaque_compared, poison_word);
    return ptx + fmt::format(comparison_end) + filling_kernels_ptx();
}

std::string comparison_kernel_for(const element_type& type)
{
    for (const compared_type& compared : compared_types)
        if (compared.type.what == type.what && compared.type.bytes == type.bytes)
            return fmt::format("launchbox_compare_{}", compared.name);
    return "launchbox_compare_opaque";
}

}  // namespace launchbox
