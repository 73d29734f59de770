// SPDX-License-Identifier: Apache-2.0
#include "image/code/memory_opcodes.hpp"

namespace launchbox {

// Names as in nvdisasm 13.5 for 7.5 to 12.1. Each opcode has one name, except RED, which is REDG from 9.0 on.
code_access memory_access_of(std::uint32_t opcode)
{
    switch (opcode) {
        case 0x980:  // LD
        case 0x381:  // LDG
        case 0x981:
        case 0x984:  // LDS
        case 0x83b:  // LDSM
        case 0x9a4:  // LDGMC
        case 0x9a5:
            return {.reads = true};
        case 0x385:  // ST
        case 0x985:
        case 0x386:  // STG
        case 0x986:
        case 0x388:  // STS
        case 0x988:
            return {.writes = true};
        case 0x38a:  // ATOM
        case 0x38b:
        case 0x98a:
        case 0x9a2:
        case 0x38c:  // ATOMS
        case 0x38d:
        case 0x58d:
        case 0x98c:
        case 0xf8c:
        case 0x3a8:  // ATOMG
        case 0x3a9:
        case 0x9a8:
        case 0x98e:  // RED, REDG
        case 0x9a6:
        case 0xdae:  // LDGSTS
        case 0xfae:
            return {.reads = true, .writes = true};
        default:
            return {};
    }
}

}  // namespace launchbox
