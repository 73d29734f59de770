// Programs of a few instructions for sm_90, with the live registers that nvdisasm 13.5 (-plr -lrm narrow) shows at
// each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace launchbox {

struct tiny_program {
    std::string_view name;
    std::string_view text;      // see tiny_code.hpp
    std::string_view live;      // by instruction, including what it writes
    std::uint32_t listed_exit;  // where .nv.info lists an exit; beyond the code: none
};

inline constexpr std::uint32_t no_listed_exit = 0xfff0, tiny_registers = 8;

// clang-format off
inline constexpr std::array tiny_programs{
    tiny_program{"one_block",
        "SETP P0,R2; @P0 MOV R5,R3; USE R5; EXIT",
        "R1 R2 R3 R5 P0|R1 R3 R5 P0|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"used_under_the_same_predicate",
        "SETP P0,R2; @P0 MOV R5,R3; @P0 USE R5; EXIT",
        "R1 R2 R3 R5 P0|R1 R3 R5 P0|R1 R5 R40 P0|R1", no_listed_exit},
    tiny_program{"written_under_both",
        "SETP P0,R2; @P0 MOV R5,R3; @!P0 MOV R5,R4; USE R5; EXIT",
        "R1 R2 R3 R4 R5 P0|R1 R3 R4 R5 P0|R1 R4 R5 P0|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"predicate_written_between",
        "SETP P0,R2; @P0 MOV R5,R3; SETP P0,R2; @P0 USE R5; EXIT",
        "R1 R2 R3 R5 P0|R1 R2 R3 R5 P0|R1 R2 R5 P0|R1 R5 R40 P0|R1", no_listed_exit},
    tiny_program{"never",
        "@!PT MOV R5,R3; USE R5; EXIT",
        "R1 R3 R5|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"exit_between",
        "SETP P0,R2; @P0 MOV R5,R3; @!P0 EXIT; USE R5; EXIT",
        "R1 R2 R3 R5 P0|R1 R3 R5 P0|R1 R5 P0|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"behind_a_label",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R5,R3; BSSY X; X:; USE R5; EXIT",
        "R1 R2 R3|R1 R2 R3|R1 R2 R3 R5 P0|R1 R3 R5 P0|R1 R5|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"in_its_block_and_behind_a_label",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R5,R3; USE R5; BSSY X; X:; USE R5; EXIT",
        "R1 R2 R3 R5|R1 R2 R3 R5|R1 R2 R3 R5 P0|R1 R3 R5 P0|R1 R5 R40|R1 R5|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"predicate_behind_a_label",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 SETP P1,R3; BSSY X; X:; @P1 USE R5; EXIT",
        "R1 R2 R3 R5|R1 R2 R3 R5|R1 R2 R3 R5 P0 P1|R1 R3 R5 P0 P1|R1 R5 P1|R1 R5 R40 P1|R1", no_listed_exit},
    tiny_program{"branch_does_not_end_a_block",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R5,R3; @P1 BRA E; NOP; USE R5; EXIT; E:; USE R5; EXIT",
        "R1 R2 R3 R5 P1|R1 R2 R3 R5 P1|R1 R2 R3 R5 P0 P1|R1 R3 R5 P0 P1|R1 R5 P1|R1 R5|R1 R5 R40|R1|"
        "R1 R5 R40|R1", no_listed_exit},
    tiny_program{"needed_by_the_branch_alone",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R5,R3; @P1 BRA E; NOP; EXIT; E:; USE R5; EXIT",
        "R1 R2 R3 P1|R1 R2 R3 P1|R1 R2 R3 R5 P0 P1|R1 R3 R5 P0 P1|R1 R5 P1|R1|R1|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"branch_before_the_write",
        "BSSY P; NOP; P:; SETP P0,R2; @P1 BRA E; @P0 MOV R5,R3; NOP; EXIT; E:; USE R5; EXIT",
        "R1 R2 R3 R5 P1|R1 R2 R3 R5 P1|R1 R2 R3 R5 P0 P1|R1 R3 R5 P0 P1|R1 R3 R5 P0|R1|R1|R1 R5 R40|"
        "R1", no_listed_exit},
    tiny_program{"around_a_loop",
        "NOP; L:; SETP P0,R2; @P0 MOV R5,R3; NOP; X:; USE R5; SETP P1,R2; @P1 BRA L; @P2 BRA X; EXIT",
        "R1 R2 R3 P2|R1 R2 R3 R5 P0 P2|R1 R2 R3 R5 P0 P2|R1 R2 R3 R5 P2|R1 R2 R3 R5 R40 P2|R1 R2 R3 "
        "R5 P1 P2|R1 R2 R3 R5 P1 P2|R1 R2 R3 R5 P2|R1", no_listed_exit},
    tiny_program{"listed_exit",
        "NOP; NOP; SETP P0,R2; @P0 MOV R5,R3; @P1 EXIT; BSSY X; X:; USE R5; EXIT",
        "R1 R2 R3 P1|R1 R2 R3 P1|R1 R2 R3 R5 P0 P1|R1 R3 R5 P0 P1|R1 R5 P1|R1 R5|R1 R5 R40|R1", 0x20},
    tiny_program{"listed_exit_of_its_own",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 SETP P1,R3; @P1 EXIT; NOP; USE R5; EXIT",
        "R1 R2 R3 R5|R1 R2 R3 R5|R1 R2 R3 R5 P0 P1|R1 R3 R5 P0 P1|R1 R5 P1|R1 R5|R1 R5 R40|R1", 0x40},
    tiny_program{"uniform_predicate",
        "NOP; @UP1 UADD UR10,UR8,UR12; UADD UR14,UR10,UR12; EXIT",
        "R1 UR8 UR12 UP1|R1 UR8 UR10 UR12 UP1|R1 UR10 UR12 UR14|R1", no_listed_exit},
    tiny_program{"uniform_predicate_is_negated",
        "NOP; @!UP1 UADD UR10,UR8,UR12; UADD UR14,UR10,UR12; EXIT",
        "R1 UR8 UR12 UP1|R1 UR8 UR10 UR12 UP1|R1 UR10 UR12 UR14|R1", no_listed_exit},
    tiny_program{"never_reached",
        "NOP; BRA E; MOV R5,R3; USE R5; EXIT; E:; USE R6; EXIT",
        "R1 R6|R1 R6||||R1 R6 R40|R1", no_listed_exit},
    tiny_program{"other_threads_decide",
        "NOP; BRADIV UR4,E; MOV R5,R3; USE R5; EXIT; E:; USE R6; EXIT",
        "R1 R3 R6 UR4|R1 R3 R6 UR4|R1 R3 R5|R1 R5 R40|R1|R1 R6 R40|R1", no_listed_exit},
    tiny_program{"warpsync_names_a_place",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R5,R3; WARPSYNC R9,X; NOP; X:; USE R5; EXIT",
        "R1 R2 R3 R9|R1 R2 R3 R9|R1 R2 R3 R5 R9 P0|R1 R3 R5 R9 P0|R1 R5 R9|R1 R5|R1 R5 R40|R1", no_listed_exit},
    tiny_program{"call",
        "MOV R5,R3; MOV R20,R3; CALL F; USE R5; USE R20; F:; EXIT",
        "R0 R1 R3 R5|R0 R1 R3 R20|R0 R1 R3 R4 R5 R6 R7 R20|R1 R5 R20 R40|R1 R20 R40|R1", no_listed_exit},
    tiny_program{"call_ends_a_block",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R20,R3; CALL F; USE R20; F:; EXIT",
        "R0 R1 R2 R3 R20|R0 R1 R2 R3 R20|R0 R1 R2 R3 R20 P0|R0 R1 R3 R20 P0|R0 R1 R3 R4 R5 R6 R7 R20 "
        "P0|R1 R20 R40|R1", no_listed_exit},
    tiny_program{"call_under_a_predicate",
        "BSSY P; NOP; P:; SETP P0,R2; @P1 CALL F; NOP; USE R5; USE R20; F:; EXIT",
        "R0 R1 R2 R5 R20 P1|R0 R1 R2 R5 R20 P1|R0 R1 R2 R5 R20 P0 P1|R0 R1 R3 R4 R5 R6 R7 R20 P0 P1|"
        "R1 R5 R20|R1 R5 R20 R40|R1 R20 R40|R1", no_listed_exit},
    tiny_program{"return",
        "BSSY P; NOP; P:; SETP P0,R2; @P0 MOV R20,R3; NOP; RET R20",
        "R1 R2 R3 R20 R21|R1 R2 R3 R20 R21|R1 R2 R3 R20 R21 P0|R1 R2 R3 R20 R21 P0|R1 R2 R20 R21|R1 "
        "R2 R20 R21", no_listed_exit},
};
// clang-format on

}  // namespace launchbox
