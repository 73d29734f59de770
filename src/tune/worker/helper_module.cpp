// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/helper_module.hpp"

namespace launchbox {

// PTX 6.3 is the oldest that knows sm_75, so that the oldest drivers read it, too. In the checksum, the index that is
// the number of whole words belongs to exactly one thread: that one takes the bytes behind them.
const char* const helper_module_ptx = R"ptx(.version 6.3
.target sm_75
.address_size 64

.visible .entry launchbox_checksum(.param .u64 data, .param .u64 bytes, .param .u64 result)
{
    .reg .pred %p<2>;
    .reg .b32 %thread, %threads, %block, %blocks, %low, %high, %distance, %lane;
    .reg .b64 %data, %bytes, %result, %i, %stride, %words, %sum, %at, %word, %place, %shifted, %rest, %byte, %t;
    ld.param.u64 %data, [data];
    cvta.to.global.u64 %data, %data;
    ld.param.u64 %bytes, [bytes];
    ld.param.u64 %result, [result];
    cvta.to.global.u64 %result, %result;
    mov.u32 %thread, %tid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    cvt.u64.u32 %t, %thread;
    mad.wide.u32 %i, %block, %threads, %t;
    mul.wide.u32 %stride, %blocks, %threads;
    shr.u64 %words, %bytes, 3;
    mov.u64 %sum, 0;
LOOP:
    setp.gt.u64 %p0, %i, %words;
    @%p0 bra REDUCE;
    shl.b64 %at, %i, 3;
    add.u64 %at, %data, %at;
    setp.eq.u64 %p0, %i, %words;
    @%p0 bra TAIL;
    ld.global.u64 %word, [%at];
MIX:
    add.u64 %place, %i, 1;
    mad.lo.u64 %word, %place, 0x9e3779b97f4a7c15, %word;
    shr.u64 %shifted, %word, 32;
    xor.b64 %word, %word, %shifted;
    mul.lo.u64 %word, %word, 0xbf58476d1ce4e5b9;
    shr.u64 %shifted, %word, 29;
    xor.b64 %word, %word, %shifted;
    add.u64 %sum, %sum, %word;
    add.u64 %i, %i, %stride;
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
    mov.b64 {%low, %high}, %sum;
    shfl.sync.bfly.b32 %low, %low, %distance, 31, 0xffffffff;
    shfl.sync.bfly.b32 %high, %high, %distance, 31, 0xffffffff;
    mov.b64 %t, {%low, %high};
    add.u64 %sum, %sum, %t;
    shr.u32 %distance, %distance, 1;
    setp.ne.u32 %p0, %distance, 0;
    @%p0 bra HALVE;
    and.b32 %lane, %thread, 31;
    setp.eq.u32 %p0, %lane, 0;
    @%p0 red.global.add.u64 [%result], %sum;
    ret;
}

.visible .entry launchbox_count_other(.param .u64 data, .param .u64 bytes, .param .u32 value, .param .u64 result)
{
    .reg .pred %p<2>;
    .reg .b32 %thread, %threads, %block, %blocks, %value, %byte;
    .reg .b64 %data, %bytes, %result, %i, %stride, %count, %at, %t;
    ld.param.u64 %data, [data];
    cvta.to.global.u64 %data, %data;
    ld.param.u64 %bytes, [bytes];
    ld.param.u32 %value, [value];
    ld.param.u64 %result, [result];
    cvta.to.global.u64 %result, %result;
    mov.u32 %thread, %tid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    cvt.u64.u32 %t, %thread;
    mad.wide.u32 %i, %block, %threads, %t;
    mul.wide.u32 %stride, %blocks, %threads;
    mov.u64 %count, 0;
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
}

.visible .entry launchbox_block(.param .u64 flag, .param .u64 nanoseconds)
{
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
}
)ptx";

}  // namespace launchbox
