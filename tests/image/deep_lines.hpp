// A cubin in which each line of a kernel is inlined into all lines before it: a small file, but huge as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "containers.hpp"
#include "image/container/elf.hpp"
#include "tiny_code.hpp"

namespace launchbox {

namespace deep_lines {

inline std::string little_endian(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value);
    return text;
}

inline std::string uleb(std::size_t value)
{
    std::string text;
    for (; value >= 128; value >>= 7) text += static_cast<char>(value | 128);
    return text + static_cast<char>(value);
}

struct section {
    std::string name, content;
    std::uint32_t type = 1, link = 0, info = 0;
};

// One unit with one sequence per kernel; the offsets of its addresses are appended to `addresses`.
inline std::string line_table(std::size_t kernels, std::size_t lines, const std::string& source,
                              std::vector<std::size_t>& addresses)
{
    const std::size_t name = source.rfind('/');
    const std::string tables = std::string("\x01\x01\xfb\x0e\x0a\x00\x01\x01\x01\x01\x00\x00\x00\x01", 14) +
                               source.substr(0, name) + std::string(2, '\0') + source.substr(name + 1) +
                               std::string("\0\x01\0\0\0", 5);
    const std::string head = little_endian(2, 2) + little_endian(tables.size(), 4) + tables;
    std::string program;
    for (std::size_t k = 0; k < kernels; ++k) {
        program += std::string("\x00\x09\x02", 3);
        addresses.push_back(4 + head.size() + program.size());
        program += std::string(8, '\0');
        for (std::size_t line = 0; line < lines; ++line) {
            if (line > 0) {  // inlined into the row before, as the function at 1 of .debug_str
                const std::string call = "\x90" + uleb(line) + "\x01";
                program += std::string(1, '\0') + uleb(call.size()) + call + "\x02\x10";  // 16 bytes further
            }
            program += "\x03\x01\x01";  // the next line, a row
        }
        program += "\x02\x10" + std::string("\x00\x01\x01", 3);
    }
    return little_endian(head.size() + program.size(), 4) + head + program;
}

}  // namespace deep_lines

inline std::string cubin_of_deep_lines(std::size_t kernels, std::size_t lines, const std::string& source = "/src/a.cu")
{
    using namespace deep_lines;
    std::vector<std::size_t> addresses;
    const std::string table = line_table(kernels, lines, source, addresses);
    std::string text;
    for (std::size_t i = 0; i + 1 < lines; ++i) text += i % 2 == 0 ? "MOV R5,R3;" : "USE R5;";
    const std::string code = tiny_code(text + "EXIT").bytes();
    std::string symbols(24, '\0'), names(1, '\0'), relocations;
    std::vector<section> sections{{"", "", 0}, {".shstrtab", "", 3}, {".strtab", "", 3}, {".symtab", "", 2, 2, 1}};
    for (std::size_t k = 0; k < kernels; ++k) {
        symbols += little_endian(names.size(), 4) + "\x12\x10" + little_endian(sections.size(), 2) +
                   little_endian(0, 8) + little_endian(code.size(), 8);
        const std::string name = "k" + std::to_string(k);
        names += name + '\0';
        sections.push_back({".text." + name, code, 1, 3, static_cast<std::uint32_t>(20 << 24 | (k + 1))});
        relocations += little_endian(addresses[k], 8) + little_endian((k + 1) << 32 | 2, 8);
    }
    sections[2].content = names;
    sections[3].content = symbols;
    sections.push_back({".debug_line", table});
    sections.push_back({".rel.debug_line", relocations, 9, 3, static_cast<std::uint32_t>(sections.size() - 1)});
    sections.push_back({".debug_str", std::string("\0inlined_function\0", 18)});

    std::string bytes(
        "\x7f"
        "ELF\x02\x01\x01\x41\x08",
        9);
    bytes.resize(64);
    put(bytes, 16, std::uint16_t{2});
    put(bytes, 18, elf::machine_cuda);
    put(bytes, 20, std::uint32_t{1});
    put(bytes, 48, std::uint32_t{0x06005a04});  // sm_90
    put(bytes, 58, std::uint16_t{64});
    put(bytes, 60, static_cast<std::uint16_t>(sections.size()));
    put(bytes, 62, std::uint16_t{1});
    for (const section& one : sections) sections[1].content += one.name + '\0';
    std::string headers;
    std::size_t name_at = 0;
    for (const section& one : sections) {
        bytes.resize((bytes.size() + 127) / 128 * 128);
        headers += little_endian(name_at, 4) + little_endian(one.type, 4) + little_endian(0, 16) +
                   little_endian(bytes.size(), 8) + little_endian(one.content.size(), 8) + little_endian(one.link, 4) +
                   little_endian(one.info, 4) + little_endian(1, 8) + little_endian(0, 8);
        name_at += one.name.size() + 1;
        bytes += one.content;
    }
    bytes.resize((bytes.size() + 7) / 8 * 8);
    put(bytes, 40, std::uint64_t{bytes.size()});
    return bytes + headers;
}

}  // namespace launchbox
