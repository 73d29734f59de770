// SPDX-License-Identifier: Apache-2.0
#include "image/container/archive.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

constexpr std::string_view magic = "!<arch>\n", thin_magic = "!<thin>\n";
constexpr std::size_t member_header_size = 60, name_size = 16, size_at = 48, size_size = 10, end_at = 58;

std::string_view trim(std::string_view field)
{
    return field.substr(0, field.find_last_not_of(' ') + 1);
}

std::optional<std::uint64_t> parse_decimal(std::string_view text)
{
    text = trim(text);
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool is_index(std::string_view name)
{
    return name == "/" || name == "/SYM64/" || name == "__.SYMDEF" || name == "__.SYMDEF SORTED" ||
           name == "__.SYMDEF_64" || name == "__.SYMDEF_64 SORTED";
}

// GNU: "/12" is an offset into the member "//", where names end with "/\n"; short names end with "/". BSD: "#1/12" says
// that the first 12 bytes of the member are its name.
std::string_view resolve_name(std::string_view field, std::string_view long_names, archive_member& member,
                              std::vector<image_diagnostic>& diagnostics)
{
    if (field.starts_with("#1/")) {
        const auto length = parse_decimal(field.substr(3));
        if (!length || *length > member.bytes.size()) {
            add_diagnostic(diagnostics, member.offset, "the name of an archive's member is longer than the member");
            return field;
        }
        const auto size = static_cast<std::size_t>(*length);
        const std::string_view name = member.bytes.substr(0, size);
        member.bytes.remove_prefix(size);
        member.offset += size;
        return name.substr(0, name.find('\0'));
    }
    if (field.size() > 1 && field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
        const auto at = parse_decimal(field.substr(1));
        if (!at || *at >= long_names.size()) {
            add_diagnostic(diagnostics, member.offset, "the name of an archive's member is not in the archive");
            return field;
        }
        // At most the length of the longest path, so that many members sharing one endless name stay cheap.
        const std::string_view rest = long_names.substr(static_cast<std::size_t>(*at), 4096);
        const std::string_view name = rest.substr(0, rest.find('\n'));
        return name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
    }
    return field.ends_with('/') ? field.substr(0, field.size() - 1) : field;
}

}  // namespace

bool is_archive(std::string_view bytes)
{
    return bytes.starts_with(magic) || bytes.starts_with(thin_magic);
}

std::vector<archive_member> read_archive(std::string_view bytes, std::vector<image_diagnostic>& diagnostics)
{
    std::vector<archive_member> members;
    if (!is_archive(bytes)) {
        add_diagnostic(diagnostics, 0, "not an archive");
        return members;
    }
    if (bytes.starts_with(thin_magic)) {
        add_diagnostic(diagnostics, 0,
                       "a thin archive, which holds only the names of its members; give those files instead");
        return members;
    }
    std::string_view long_names;
    std::uint64_t at = magic.size();
    while (at < bytes.size()) {
        const auto header = slice(bytes, at, member_header_size);
        if (!header) {
            // Only a line break may be left.
            if (bytes.substr(static_cast<std::size_t>(at)) != "\n")
                add_diagnostic(diagnostics, at, "the header of an archive's member is cut off");
            break;
        }
        const auto size = parse_decimal(header->substr(size_at, size_size));
        if (!size || header->substr(end_at, 2) != "`\n") {
            add_diagnostic(diagnostics, at, "no header of an archive's member; the rest of the archive is not read");
            break;
        }
        const std::uint64_t content_at = at + member_header_size;
        const std::uint64_t room = bytes.size() - content_at;
        if (*size > room)
            add_diagnostic(diagnostics, at,
                           "a member of " + std::to_string(*size) + " bytes, but only " + std::to_string(room) +
                               " are there: the archive is cut off");
        archive_member member;
        member.offset = content_at;
        member.bytes =
            bytes.substr(static_cast<std::size_t>(content_at), static_cast<std::size_t>(std::min(*size, room)));
        const std::string_view field = trim(header->substr(0, name_size));
        if (field == "//") {
            long_names = member.bytes;
        } else if (!is_index(field)) {
            member.name = resolve_name(field, long_names, member, diagnostics);
            if (!is_index(member.name)) members.push_back(member);
        }
        if (*size >= room) break;
        at = content_at + *size + *size % 2;
    }
    return members;
}

}  // namespace launchbox
