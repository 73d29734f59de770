// Reading nvdisasm's listing of code: names, loops, and what each instruction does.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "image/code/disassembly.hpp"
#include "image/code/instruction_names.hpp"

namespace launchbox {
namespace {

std::vector<code_traffic> read_traffic(std::string_view text)
{
    std::vector<code_traffic> all;
    disassembly_reader reader([&](const disassembled_code& code) {
        all.push_back(traffic_of(code, [](std::uint64_t byte) { return static_cast<std::uint32_t>(byte / 16); }));
    });
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        reader.line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    reader.finish();
    return all;
}

constexpr std::string_view two_loops = R"(//--- .text.k ---
        .size           k,(.L_x_14 - k)
k:
.text.k:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
        /*0010*/              @!P0 LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/                   ACQBULK ;
.L_x_0:
        /*0030*/                   LDL R0, [R1] ;
        /*0040*/                   STL.64 [R1+0x8], R2 ;
        /*0050*/               @P1 BRA `(.L_x_0) ;
        /*0060*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0070*/               @P0 BRA `(.L_x_1) ;
        /*0080*/               @P0 BRA `(.L_x_3) ;
        /*0090*/                   NEWOP.X R0 ;
.L_x_3:
        /*00a0*/                   STS.U16 [R4], R5 ;
        /*00b0*/                   EXIT ;
.L_x_2:
        /*00c0*/                   BRA `(.L_x_2);
        /*00d0*/                   NOP;
        /*00e0*/                   NOP;
)";

TEST(disassembly, loads_and_stores_are_counted_by_space_width_and_loop)
{
    const std::vector<code_traffic> all = read_traffic(two_loops);
    ASSERT_EQ(all.size(), 1u);
    const code_traffic& traffic = all[0];
    EXPECT_EQ(traffic.instructions, 12u) << "what fills up the end does not count";
    EXPECT_EQ(traffic.loops, 2);
    EXPECT_EQ(traffic.deepest_loop, 2);
    EXPECT_EQ(traffic.barriers, 1u);
    EXPECT_TRUE(traffic.waits_for_grid);
    EXPECT_FALSE(traffic.lets_next_grid_begin);
    EXPECT_EQ(traffic.not_known, std::vector<std::string>{"NEWOP.X"});
    const std::vector<memory_use> expected{{.place = 4,
                                            .space = memory_space::local,
                                            .access = access_kind::store,
                                            .bytes = 8,
                                            .loop_depth = 2,
                                            .instructions = 1},
                                           {.place = 3,
                                            .space = memory_space::local,
                                            .access = access_kind::load,
                                            .bytes = 4,
                                            .loop_depth = 2,
                                            .instructions = 1},
                                           {.place = 1,
                                            .space = memory_space::global,
                                            .access = access_kind::load,
                                            .bytes = 16,
                                            .loop_depth = 1,
                                            .instructions = 1},
                                           {.place = 10,
                                            .space = memory_space::shared,
                                            .access = access_kind::store,
                                            .bytes = 2,
                                            .loop_depth = 0,
                                            .instructions = 1}};
    EXPECT_EQ(traffic.uses, expected);
    EXPECT_EQ(traffic.mix[static_cast<std::size_t>(instruction_class::other)], 1u);
    EXPECT_EQ(traffic.mix[static_cast<std::size_t>(instruction_class::control)], 4u);
}

TEST(disassembly, sections_are_distinguished_and_other_text_is_ignored)
{
    const std::vector<code_traffic> all = read_traffic(std::string(two_loops) + ".text.b:\n /*0000*/ PREEXIT ;\n");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[1].lets_next_grid_begin);
    EXPECT_EQ(all[1].instructions, 1u);
    EXPECT_TRUE(read_traffic("nothing\n/*0000*/ MOV R1, R2 ;\n").empty()) << "code of no section";
    EXPECT_EQ(read_traffic(".text.k:\n/*zz*/ MOV R1, R2 ;\n/*0010\n/*0020*/\n/*0030*/ @\n").at(0).instructions, 0u);
}

TEST(instruction_names, widths_and_spaces)
{
    struct {
        const char* name;
        memory_space space;
        access_kind access;
        int bytes;
    } const cases[] = {
        {"LDG.E", memory_space::global, access_kind::load, 4},
        {"LDG.E.U8.CONSTANT", memory_space::global, access_kind::load, 1},
        {"LDG.E.LTC128B.64", memory_space::global, access_kind::load, 8},
        {"LDGSTS.E.BYPASS.LTC128B.128", memory_space::global, access_kind::copy, 16},
        {"LDSM.16.M88.4", memory_space::shared, access_kind::load, 16},
        {"LDSM.16.MT88.2", memory_space::shared, access_kind::load, 8},
        {"ATOMG.E.CAS.64.STRONG.GPU", memory_space::global, access_kind::atomic, 8},
        {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", memory_space::global, access_kind::atomic, 4},
        {"ATOMS.ADD", memory_space::shared, access_kind::atomic, 4},
        {"ST.E.U16", memory_space::generic, access_kind::store, 2},
        {"UTMALDG.2D", memory_space::global, access_kind::copy, 0},
        {"LDTM.x16", memory_space::tensor, access_kind::load, 0},
        {"SULD.P.2D.U8.TRAP", memory_space::texture, access_kind::load, 0},
    };
    for (const auto& one : cases) {
        const instruction_kind kind = kind_of_instruction(one.name);
        ASSERT_TRUE(kind.memory.has_value()) << one.name;
        EXPECT_EQ(kind.memory->space, one.space) << one.name;
        EXPECT_EQ(kind.memory->access, one.access) << one.name;
        EXPECT_EQ(kind.memory->bytes, one.bytes) << one.name;
    }
    EXPECT_EQ(kind_of_instruction("IMAD.MOV.U32").which, instruction_class::move);
    EXPECT_EQ(kind_of_instruction("IMAD.WIDE").which, instruction_class::integer);
    EXPECT_EQ(kind_of_instruction("UIADD3").which, instruction_class::integer) << "of the uniform unit";
    EXPECT_EQ(kind_of_instruction("HGMMA.64x64x16.F32").which, instruction_class::tensor);
    EXPECT_FALSE(kind_of_instruction("").known);
    EXPECT_FALSE(kind_of_instruction("UNHEARD").known);
}

}  // namespace
}  // namespace launchbox
