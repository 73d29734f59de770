// SPDX-License-Identifier: Apache-2.0
#include "image/code/instruction_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace launchbox {

namespace {

struct memory_name {
    std::string_view name;
    memory_space space;
    access_kind access;
};
using in = memory_space;
using to = access_kind;

// From NVIDIA's reference of the instruction sets, plus newer ones. An unknown name is reported.
constexpr std::array memory_names{
    memory_name{"LD", in::generic, to::load},      memory_name{"LDG", in::global, to::load},
    memory_name{"LDS", in::shared, to::load},      memory_name{"LDSM", in::shared, to::load},
    memory_name{"LDL", in::local, to::load},       memory_name{"ST", in::generic, to::store},
    memory_name{"STG", in::global, to::store},     memory_name{"STS", in::shared, to::store},
    memory_name{"STSM", in::shared, to::store},    memory_name{"STL", in::local, to::store},
    memory_name{"STAS", in::shared, to::store},    memory_name{"ATOM", in::generic, to::atomic},
    memory_name{"ATOMG", in::global, to::atomic},  memory_name{"ATOMS", in::shared, to::atomic},
    memory_name{"RED", in::global, to::atomic},    memory_name{"REDG", in::global, to::atomic},
    memory_name{"REDS", in::shared, to::atomic},   memory_name{"REDAS", in::shared, to::atomic},
    memory_name{"LDGSTS", in::global, to::copy},   memory_name{"UBLKCP", in::global, to::copy},
    memory_name{"UBLKRED", in::global, to::copy},  memory_name{"UBLKPF", in::global, to::load},
    memory_name{"UTMALDG", in::global, to::copy},  memory_name{"UTMASTG", in::global, to::copy},
    memory_name{"UTMAREDG", in::global, to::copy}, memory_name{"UTMAPF", in::global, to::load},
    memory_name{"TEX", in::texture, to::load},     memory_name{"TLD", in::texture, to::load},
    memory_name{"TLD4", in::texture, to::load},    memory_name{"TMML", in::texture, to::load},
    memory_name{"TXD", in::texture, to::load},     memory_name{"TXQ", in::texture, to::load},
    memory_name{"SULD", in::texture, to::load},    memory_name{"SUST", in::texture, to::store},
    memory_name{"SURED", in::texture, to::atomic}, memory_name{"SUATOM", in::texture, to::atomic},
    memory_name{"LDTM", in::tensor, to::load},     memory_name{"STTM", in::tensor, to::store},
    memory_name{"UTCCP", in::tensor, to::copy},    memory_name{"LDT", in::tensor, to::load},
    memory_name{"LDGMC", in::global, to::load},
};

// Names by class; a name is also looked up without its leading U, which marks the uniform unit.
using kind_class = instruction_class;
struct class_names {
    instruction_class which;
    std::string_view names;  // separated by blanks
};
constexpr std::array classes{
    class_names{kind_class::integer,
                " IADD IADD3 IADD32I IADD64 IMAD IMADSP IMUL IMUL32I ISETP ISET ISCADD ICMP IABS IMNMX IMNMX3 IDP "
                "IDP4A LOP LOP3 LOP32I PLOP3 PSETP PSET SHF SHL SHR LEA VIADD VIADDMNMX VIMNMX VIMNMX3 VABSDIFF "
                "VABSDIFF4 VHMNMX VADD VMAD "
                "POPC FLO BREV BFE BFI "
                "BMSK SGXT PRMT XMAD VADDMNMX ISAD "},
    class_names{kind_class::float16, " HADD2 HMUL2 HFMA2 HSETP2 HSET2 HMNMX2 HADD2_32I HFMA2_32I HMUL2_32I "},
    class_names{kind_class::float32,
                " FADD FADD2 FADD32I FMUL FMUL2 FMUL32I FFMA FFMA2 FFMA32I FSETP FSET FMNMX FMNMX3 FCHK FCMP FSWZADD "},
    class_names{kind_class::float64, " DADD DMUL DFMA DSETP DSET DMNMX "},
    class_names{
        kind_class::tensor,
        " HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCIMMA UTCQMMA UTCOMMA UTCBAR UTCSHIFT "
        "UTCATOMSWS WARPGROUP WARPGROUPSET "},
    class_names{kind_class::special, " MUFU RRO "},
    class_names{kind_class::conversion, " F2F F2I F2FP F2IP I2F I2FP I2I I2IP FRND "},
    class_names{kind_class::move,
                " MOV MOV32I MOVM SEL FSEL DSEL CS2R S2R S2UR CS2UR R2UR R2P P2R UP2UR UR2UP UR2R R2B B2R SHFL VOTE "
                "VOTEU MATCH REDUX CREDUX ELECT GETLMEMBASE SETLMEMBASE LEPC USETMAXREG USETSHMSZ USTGR SPMTRIG P2UR "
                "TTUCCTL PMTRIG QSPC "},
    class_names{kind_class::constant, " LDC ULDC LDCU "},
    class_names{
        kind_class::barrier,
        " BAR MEMBAR FENCE ERRBAR CCTL CCTLL CCTLT SYNCS ARRIVES DEPBAR LDGDEPBAR UCGABAR_ARV UCGABAR_WAIT "
        "CGAERRBAR UTMACMDFLUSH UTMACCTL UVIRTCOUNT ACQBULK ACQSHMINIT PREEXIT NANOSLEEP WARPSYNC ENDCOLLECTIVE "},
    class_names{kind_class::control,
                " BRA BRX BRXU JMP JMX JMXU CALL CAL JCAL RET EXIT BSSY BSYNC BREAK BRK CONT PBK PCNT PRET PEXIT SSY "
                "SYNC BMOV YIELD "
                "KILL BPT RPCMOV RTT IDE NOP RAM SAM PLONGJMP LONGJMP COLLECTIVE "},
};

std::optional<instruction_class> class_of(std::string_view name)
{
    const std::string between_blanks = " " + std::string(name) + " ";
    for (const class_names& one : classes)
        if (one.names.find(between_blanks) != std::string_view::npos) return one.which;
    return std::nullopt;
}

template <class Function>
void for_each_suffix(std::string_view name, const Function& function)
{
    for (std::size_t at = name.find('.'); at != std::string_view::npos;) {
        const std::size_t end = std::min(name.find('.', at + 1), name.size());
        function(name.substr(at + 1, end - at - 1));
        at = end < name.size() ? end : std::string_view::npos;
    }
}

// Without a width suffix it is a word. Matrices are 4 bytes per thread each.
int bytes_of(std::string_view base, std::string_view name)
{
    if (base.starts_with("U") || base.starts_with("T") || base.starts_with("SU") || base == "LDTM" || base == "STTM" ||
        base == "LDT")
        return 0;
    int bytes = 4, matrices = 1;
    for_each_suffix(name, [&](std::string_view suffix) {
        if (suffix == "U8" || suffix == "S8")
            bytes = 1;
        else if (suffix == "U16" || suffix == "S16")
            bytes = 2;
        else if (suffix == "64" || suffix == "F64" || suffix == "U64" || suffix == "S64")
            bytes = 8;
        else if (suffix == "128")
            bytes = 16;
        else if (suffix == "ENL2" || suffix == "256")
            bytes = 32;
        else if (suffix == "2" || suffix == "x2")
            matrices = 2;
        else if (suffix == "4" || suffix == "x4")
            matrices = 4;
    });
    return base == "LDSM" || base == "STSM" ? 4 * matrices : bytes;
}

}  // namespace

instruction_kind kind_of_instruction(std::string_view name)
{
    const std::string_view base = name.substr(0, name.find('.'));
    instruction_kind kind;
    if (const auto memory = std::ranges::find(memory_names, base, &memory_name::name); memory != memory_names.end()) {
        kind.which = instruction_class::memory;
        kind.known = true;
        kind.memory = memory_use{.space = memory->space, .access = memory->access, .bytes = bytes_of(base, name)};
        return kind;
    }
    std::optional<instruction_class> which = class_of(base);
    if (!which && base.starts_with('U')) which = class_of(base.substr(1));
    // A move under another name.
    if (base == "IMAD" && name.starts_with("IMAD.MOV")) which = kind_class::move;
    if (name.starts_with("HFMA2.MMA")) which = kind_class::float16;
    kind.known = which.has_value();
    kind.which = which.value_or(kind_class::other);
    return kind;
}

const char* name_of(memory_space space)
{
    constexpr std::array names{"global", "shared", "local", "generic", "texture", "tensor"};
    return names[static_cast<std::size_t>(space)];
}

const char* name_of(access_kind access)
{
    constexpr std::array names{"load", "store", "atomic", "copy"};
    return names[static_cast<std::size_t>(access)];
}

const char* name_of(instruction_class which)
{
    constexpr std::array<const char*, instruction_classes> names{
        "integer", "float16", "float32",  "float64", "tensor",  "special", "conversion",
        "move",    "memory",  "constant", "barrier", "control", "other"};
    return names[static_cast<std::size_t>(which)];
}

}  // namespace launchbox
