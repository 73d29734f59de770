// SPDX-License-Identifier: Apache-2.0
#include "image/cubin_identity.hpp"

#include <algorithm>
#include <cstdint>

#include "image/container/nv_info.hpp"

namespace launchbox {

namespace {

const elf_section* find_section(const elf_image& image, std::string_view name);
bool is_accelerated(const elf_section& compat, std::vector<image_diagnostic>& diagnostics);
std::optional<int> plausible_version(std::uint32_t version);
void read_cuda_note(const elf_section& note, cubin_identity& identity, std::vector<image_diagnostic>& diagnostics);
std::string virtual_name(int number, bool accelerated);
bool was_compiled_for(const elf_section& note, int sm, char suffix);

}  // namespace

// Two layouts of e_flags are in use, distinguished by the ABI version: 7 up to CUDA 12, 8 from CUDA 13 on.
cubin_identity identify_cubin(const elf_image& image, std::vector<image_diagnostic>& diagnostics)
{
    if (image.type != elf::type_relocatable && image.type != elf::type_executable)
        add_diagnostic(diagnostics, 16,
                       "an ELF type that is neither relocatable nor executable: " + std::to_string(image.type));

    cubin_identity identity;
    bool accelerated = false, family = false;
    constexpr int first_accelerated = 90;  // sm_90a
    if (image.abi_version == 7) {
        identity.sm = static_cast<int>(image.flags & 0xff);
        identity.toolkit_version = plausible_version(image.version);
        // cuDNN 7 and other libraries of CUDA 8 have this flag for sm_50 to sm_61, where it means something else.
        accelerated = identity.sm >= first_accelerated && (image.flags & 0x800) != 0;
        identity.virtual_architecture = virtual_name(static_cast<int>(image.flags >> 16 & 0xff), accelerated);
    } else if (image.abi_version == 8) {
        identity.sm = static_cast<int>(image.flags >> 8 & 0xff);
        if (const elf_section* compat = find_section(image, ".nv.compat"))
            accelerated = is_accelerated(*compat, diagnostics);
        if (const elf_section* note = find_section(image, ".note.nv.cuinfo"))
            read_cuda_note(*note, identity, diagnostics);
        if (const elf_section* note = find_section(image, ".note.nv.tkinfo")) {
            accelerated |= was_compiled_for(*note, identity.sm, 'a');
            family = !accelerated && was_compiled_for(*note, identity.sm, 'f');
        }
        if (accelerated && !identity.virtual_architecture.empty()) identity.virtual_architecture += 'a';
        // nvcc compiles for a family if and only if the virtual architecture is one, whatever the code is called.
        if (family && !identity.virtual_architecture.empty()) identity.virtual_architecture += 'f';
    } else {
        add_diagnostic(diagnostics, 8,
                       "a cubin of the unknown ABI version " + std::to_string(image.abi_version) +
                           ": its architecture is unknown");
    }
    if (identity.sm > 0)
        identity.architecture = "sm_" + std::to_string(identity.sm) + (accelerated ? "a" : family ? "f" : "");
    return identity;
}

namespace {

const elf_section* find_section(const elf_image& image, std::string_view name)
{
    const auto found = std::find_if(image.sections.begin(), image.sections.end(),
                                    [&](const elf_section& section) { return section.name == name; });
    return found == image.sections.end() ? nullptr : &*found;
}

bool is_accelerated(const elf_section& compat, std::vector<image_diagnostic>& diagnostics)
{
    nv_info_reader reader(compat.content, compat.offset, diagnostics);
    bool accelerated = false;
    for (nv_info_record record; reader.next(record);)
        accelerated |= record.attribute == compat_accelerated && record.value == 1;
    return accelerated;
}

// Where ABI 7 stores the toolkit's version, ELF's own version number, 1, may be.
std::optional<int> plausible_version(std::uint32_t version)
{
    if (version <= 1 || version > 0xffff) return std::nullopt;
    return static_cast<int>(version);
}

// The format of a note: sizes of name and content, type, name; then 16 bits of 2, 16 bits of virtual architecture, 32
// bits of version.
void read_cuda_note(const elf_section& note, cubin_identity& identity, std::vector<image_diagnostic>& diagnostics)
{
    constexpr std::size_t head = 12, content_size = 8;
    if (note.content.size() >= head) {
        const std::uint64_t name = read_number<std::uint32_t>(note.content, 0);
        if (const auto content = slice(note.content, head + (name + 3) / 4 * 4, content_size)) {
            identity.toolkit_version = plausible_version(read_number<std::uint32_t>(*content, 4));
            identity.virtual_architecture = virtual_name(read_number<std::uint16_t>(*content, 2), false);
            return;
        }
    }
    add_diagnostic(diagnostics, note.offset, "the note with the toolkit version is cut off");
}

std::string virtual_name(int number, bool accelerated)
{
    if (number < 10 || number > 999) return {};
    return "compute_" + std::to_string(number) + (accelerated ? "a" : "");
}

// The command line of ptxas, kept in a note: "-v -arch sm_100f -m 64". Only this tells code for a family, sm_100f, from
// code for sm_100, and in cubins of CUDA 12.8 and 12.9 code for one chip.
bool was_compiled_for(const elf_section& note, int sm, char suffix)
{
    const std::string option = "-arch sm_" + std::to_string(sm) + suffix + ' ';
    return note.content.substr(0, 4096).find(option) != std::string_view::npos;
}

}  // namespace

}  // namespace launchbox
