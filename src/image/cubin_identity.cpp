#include "image/cubin_identity.hpp"

#include <algorithm>
#include <cstdint>

#include "image/nv_info.hpp"

namespace launchbox {

namespace {

const elf_section* find_section(const elf_image& image, std::string_view name);
bool is_accelerated(const elf_section& compat, std::vector<image_problem>& problems);
std::optional<int> plausible_version(std::uint32_t version);
std::optional<int> toolkit_of_note(const elf_section& note, std::vector<image_problem>& problems);

}  // namespace

// Two layouts of e_flags are in use, told apart by the ABI version: 7 up to CUDA 12, 8 from then on.
cubin_identity identify_cubin(const elf_image& image, std::vector<image_problem>& problems)
{
    if (image.type != elf::type_relocatable && image.type != elf::type_executable)
        add_problem(problems, 16,
                    "an ELF type that is neither relocatable nor executable: " + std::to_string(image.type));

    cubin_identity identity;
    bool accelerated = false;
    if (image.abi_version == 7) {
        identity.sm = static_cast<int>(image.flags & 0xff);
        identity.toolkit_version = plausible_version(image.version);
        accelerated = (image.flags & 0x800) != 0;
    } else if (image.abi_version == 8) {
        identity.sm = static_cast<int>(image.flags >> 8 & 0xff);
        if (const elf_section* note = find_section(image, ".note.nv.cuinfo"))
            identity.toolkit_version = toolkit_of_note(*note, problems);
        if (const elf_section* compat = find_section(image, ".nv.compat"))
            accelerated = is_accelerated(*compat, problems);
    } else {
        add_problem(problems, 8,
                    "a cubin of the unknown ABI version " + std::to_string(image.abi_version) +
                        ": its architecture cannot be told");
    }
    if (identity.sm > 0) identity.architecture = "sm_" + std::to_string(identity.sm) + (accelerated ? "a" : "");
    return identity;
}

namespace {

const elf_section* find_section(const elf_image& image, std::string_view name)
{
    const auto found = std::find_if(image.sections.begin(), image.sections.end(),
                                    [&](const elf_section& section) { return section.name == name; });
    return found == image.sections.end() ? nullptr : &*found;
}

bool is_accelerated(const elf_section& compat, std::vector<image_problem>& problems)
{
    const auto records = read_nv_info(compat.content, compat.offset, problems);
    return std::any_of(records.begin(), records.end(), [](const nv_info_record& record) {
        return record.attribute == compat_accelerated && record.value == 1;
    });
}

// ELF's own version number, 1, stands where ABI 7 has the toolkit's.
std::optional<int> plausible_version(std::uint32_t version)
{
    if (version <= 1 || version > 0xffff) return std::nullopt;
    return static_cast<int>(version);
}

// A note: sizes of name and content, type, name; then 16 bits of 2, 16 bits of virtual architecture, 32 bits of
// version.
std::optional<int> toolkit_of_note(const elf_section& note, std::vector<image_problem>& problems)
{
    constexpr std::size_t head = 12, content_size = 8;
    if (note.content.size() >= head) {
        const std::uint64_t name = read_number<std::uint32_t>(note.content, 0);
        if (const auto content = slice(note.content, head + (name + 3) / 4 * 4, content_size))
            return plausible_version(read_number<std::uint32_t>(*content, 4));
    }
    add_problem(problems, note.offset, "the note with the toolkit version is cut off");
    return std::nullopt;
}

}  // namespace

}  // namespace launchbox
