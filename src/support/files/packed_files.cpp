// SPDX-License-Identifier: Apache-2.0
#include "support/files/packed_files.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "support/process/interrupt.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::size_t beginning_bytes = 65536;
constexpr std::size_t listed_findings = 100;
constexpr std::string_view ar_magic = "!<arch>\n";

struct archive_end {
    void operator()(archive* opened) const { archive_read_free(opened); }
};
using archive_handle = std::unique_ptr<archive, archive_end>;

// How much may still be unpacked from a file, including the archives inside it.
class unpacking_budget {
public:
    explicit unpacking_budget(std::uint64_t bytes) : left_(bytes) {}
    bool take(std::uint64_t bytes)
    {
        used_up_ |= bytes > left_;
        left_ -= std::min(left_, bytes);
        return !used_up_;
    }
    [[nodiscard]] bool used_up() const { return used_up_; }
    [[nodiscard]] std::uint64_t left() const { return left_; }

private:
    std::uint64_t left_;
    bool used_up_ = false;
};

class unpacker {
public:
    unpacker(const packed_reader& reader, const packed_limits& limits, std::uint64_t packed_bytes)
        : reader_(reader), limits_(limits), budget_(limits.free_bytes + limits.max_ratio * packed_bytes)
    {
    }

    // `outer`: the name of the archive that contains this one; empty for the file itself.
    void read(std::string_view bytes, const std::string& outer);
    packed_findings take() { return std::move(findings_); }

private:
    bool read_member(archive* opened, archive_entry* entry, const std::string& outer);
    std::optional<std::string> content(archive* opened, archive_entry* entry, const std::string& name,
                                       const std::string& outer, bool& is_inner);
    void note_rest(archive* opened, std::string_view bytes);
    bool append_data(archive* opened, std::string& data, std::uint64_t up_to, const std::string& name, bool& at_end);
    void complain(std::string what)
    {
        if (findings_.errors.size() < listed_findings)
            findings_.errors.push_back(std::move(what));
        else
            ++findings_.not_listed;
    }

    const packed_reader& reader_;
    const packed_limits& limits_;
    unpacking_budget budget_;
    packed_findings findings_;
    bool stopped_ = false;
};

bool is_file(archive_entry* entry);
bool is_link(archive_entry* entry);
bool leads_to_a_name(archive_entry* entry);
bool has_no_data(archive_entry* entry);
std::string in_quotes(std::string_view name);
std::string reason_of(archive* opened);
std::string name_of(archive_entry* entry, std::size_t number);
bool leads_out(std::string_view name);
bool is_part_of_package(std::string_view name, const std::string& outer);
bool is_about_package(std::string_view name, const std::string& outer);
archive_handle open_bytes(std::string_view bytes, bool single_file_too, std::string& why);

// Where a zip archive begins and ends in a file, by its directory.
struct zip_extent {
    std::size_t begin = 0, end = 0;
};
std::optional<zip_extent> extent_of_zip(std::string_view bytes);

}  // namespace

bool is_debian_package(std::string_view bytes)
{
    return bytes.starts_with(ar_magic) && bytes.substr(ar_magic.size()).starts_with("debian-binary");
}

bool looks_packed(std::string_view bytes)
{
    using namespace std::string_view_literals;
    for (const std::string_view magic : {"PK\x03\x04"sv, "PK\x05\x06"sv, "\x1f\x8b\x08"sv, "BZh"sv,
                                         "\xfd"
                                         "7zXZ\0"sv,
                                         "\x28\xb5\x2f\xfd"sv})
        if (bytes.starts_with(magic)) return true;
    return is_debian_package(bytes) || (bytes.size() >= 512 && bytes.substr(257).starts_with("ustar")) ||
           (bytes.starts_with("#!") && extent_of_zip(bytes));
}

std::string_view kind_of_other_archive(std::string_view bytes)
{
    using namespace std::string_view_literals;
    for (const auto& [magic, kind] : {std::pair("7z\xbc\xaf\x27\x1c"sv, "7z"sv),
                                      {"Rar!\x1a\x07"sv, "rar"sv},
                                      {"\xed\xab\xee\xdb"sv, "RPM"sv},
                                      {"\x04\x22\x4d\x18"sv, "LZ4"sv},
                                      {"LZIP\1"sv, "lzip"sv},
                                      {"\x1f\x9d"sv, "compress"sv},
                                      {"hsqs"sv, "squashfs"sv},
                                      {"MSCF\0\0\0\0"sv, "cab"sv},
                                      {"xar!"sv, "xar"sv},
                                      {"070701"sv, "cpio"sv},
                                      {"070707"sv, "cpio"sv}})
        if (bytes.starts_with(magic)) return kind;
    return {};
}

packed_findings read_packed(std::string_view bytes, const packed_reader& reader, const packed_limits& limits)
{
    unpacker unpacked(reader, limits, bytes.size());
    unpacked.read(bytes, {});
    return unpacked.take();
}

namespace {

void unpacker::read(std::string_view bytes, const std::string& outer)
{
    std::string why;
    const archive_handle opened = open_bytes(bytes, outer.empty(), why);
    if (!opened) {
        complain(outer.empty() ? why : in_quotes(outer) + ": " + why);
        return;
    }
    archive_entry* entry = nullptr;
    for (std::size_t number = 1; !stopped_ && !interrupted(); ++number) {
        const int status = archive_read_next_header(opened.get(), &entry);
        if (status == ARCHIVE_EOF) {
            if (outer.empty()) note_rest(opened.get(), bytes);
            return;
        }
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
            complain((outer.empty() ? "" : in_quotes(outer) + ": ") + "member " + std::to_string(number) +
                     " cannot be read: " + reason_of(opened.get()) +
                     (status == ARCHIVE_FATAL ? "; the rest is not read either" : ""));
            if (status == ARCHIVE_FATAL) return;
            continue;
        }
        if (!read_member(opened.get(), entry, outer)) return;
    }
}

// Notes the bytes of the file outside of the archive.
void unpacker::note_rest(archive* opened, std::string_view bytes)
{
    const int format = archive_format(opened) & ARCHIVE_FORMAT_BASE_MASK;
    if (archive_filter_code(opened, 0) != ARCHIVE_FILTER_NONE) return;  // its end is unknown
    if (format == ARCHIVE_FORMAT_ZIP) {
        const std::optional<zip_extent> zip = extent_of_zip(bytes);
        if (zip)
            findings_.rest = {bytes.substr(0, zip->begin), bytes.substr(zip->end)};
        else
            complain("its directory, at the end, is cut off: members may be missing");
    } else if (format == ARCHIVE_FORMAT_TAR) {
        const la_int64_t end = std::max<la_int64_t>(0, archive_read_header_position(opened));
        const std::string_view rest = bytes.substr(std::min(bytes.size(), static_cast<std::size_t>(end)));
        if (rest.empty()) complain("its end mark is missing: members may be missing");
        findings_.rest = {rest};
    }
}

// False if no further member is to be read.
bool unpacker::read_member(archive* opened, archive_entry* entry, const std::string& outer)
{
    const std::string name = name_of(entry, 0);
    if (is_link(entry)) {
        if (!leads_to_a_name(entry)) complain(in_quotes(name) + " is marked as a link but has content: it is not read");
        return true;
    }
    if (!is_file(entry) && has_no_data(entry)) return true;
    if (leads_out(name)) {
        complain(in_quotes(name) + " leads out of the archive, and is not read");
        return true;
    }
    if (archive_entry_is_data_encrypted(entry) != 0) {
        complain(in_quotes(name) + " is encrypted, and is not read");
        return true;
    }
    bool is_inner = false;
    const std::optional<std::string> data = content(opened, entry, name, outer, is_inner);
    if (budget_.used_up()) {
        complain("it unpacks to more than " + std::to_string(limits_.max_ratio) + " times its size (at " +
                 in_quotes(name) + "); the rest is not read");
        stopped_ = true;
        return false;
    }
    if (!data) return true;
    if (is_inner)
        read(*data, name);
    else if (!reader_.use(name, *data))
        stopped_ = true;
    return !stopped_;
}

// Nothing if the member is not wanted, or cannot be read.
std::optional<std::string> unpacker::content(archive* opened, archive_entry* entry, const std::string& name,
                                             const std::string& outer, bool& is_inner)
{
    std::string data;
    bool at_end = false;
    if (!append_data(opened, data, beginning_bytes, name, at_end)) return std::nullopt;
    is_inner = looks_packed(data);
    if (data.empty() && !is_file(entry)) {
        // For such members of a zip file, libarchive gives no content, but installers of wheels write some.
        if (!has_no_data(entry) && archive_entry_size_is_set(entry) != 0)
            complain(in_quotes(name) + " is marked as a folder or device, and its " +
                     std::to_string(archive_entry_size(entry)) + " bytes are not read");
        return std::nullopt;
    }
    const bool wanted = is_inner ? is_part_of_package(name, outer) : reader_.wanted(name, data, at_end);
    if (!wanted) {
        if (is_inner && !is_about_package(name, outer)) {
            if (findings_.nested_archives.size() < listed_findings)
                findings_.nested_archives.push_back(name);
            else
                ++findings_.not_listed;
        }
        // A member of a compressed tar file must be decompressed even to skip it.
        if (archive_filter_code(opened, 0) != ARCHIVE_FILTER_NONE && archive_entry_size_is_set(entry) != 0)
            budget_.take(static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry))));
        return std::nullopt;
    }
    if (archive_entry_size_is_set(entry) != 0) {
        const auto size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)));
        if (size > limits_.max_member) {
            complain(in_quotes(name) + " has " + std::to_string(size) + " bytes, more than the limit for one member (" +
                     std::to_string(limits_.max_member) + ")");
            return std::nullopt;
        }
        data.reserve(static_cast<std::size_t>(std::min(size, budget_.left() + data.size())));
    }
    if (!at_end && !append_data(opened, data, limits_.max_member, name, at_end)) return std::nullopt;
    if (!at_end) {
        complain(in_quotes(name) + " has more than " + std::to_string(limits_.max_member) +
                 " bytes, which are not read");
        return std::nullopt;
    }
    return data;
}

// Up to `up_to` bytes and the rest of a block; false if the member cannot be read, or no more may be unpacked.
bool unpacker::append_data(archive* opened, std::string& data, std::uint64_t up_to, const std::string& name,
                           bool& at_end)
{
    while (data.size() < up_to) {
        const void* block = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int status = archive_read_data_block(opened, &block, &size, &offset);
        if (status == ARCHIVE_EOF) {
            at_end = true;
            return true;
        }
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
            complain(in_quotes(name) + " cannot be read: " + reason_of(opened));
            return false;
        }
        // In a file with holes, these are zeros.
        const auto at = static_cast<std::uint64_t>(std::max<la_int64_t>(0, offset));
        if (at < data.size()) {
            complain(in_quotes(name) + " cannot be read: its parts overlap");
            return false;
        }
        if (at > limits_.max_member || !budget_.take(at - data.size() + size)) {
            if (!budget_.used_up()) complain(in_quotes(name) + " is too large to be read");
            return false;
        }
        data.resize(static_cast<std::size_t>(at), '\0');
        data.append(static_cast<const char*>(block), size);
    }
    return true;
}

// Members of ar have no type.
bool is_file(archive_entry* entry)
{
    return archive_entry_filetype(entry) == AE_IFREG || archive_entry_filetype(entry) == 0;
}

// A link to another member, which has the content.
bool is_link(archive_entry* entry)
{
    return archive_entry_filetype(entry) == AE_IFLNK || archive_entry_hardlink(entry) != nullptr;
}

bool leads_to_a_name(archive_entry* entry)
{
    const char* target = archive_entry_hardlink(entry);
    if (target == nullptr) target = archive_entry_symlink(entry);
    constexpr std::size_t longest_path = 4096;
    const std::string_view path = target == nullptr ? "" : target;
    const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
    return path.size() < longest_path && std::ranges::none_of(path, is_control);
}

bool has_no_data(archive_entry* entry)
{
    return archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) <= 0;
}

std::string in_quotes(std::string_view name)
{
    return "'" + escape_for_terminal(name) + "'";
}

std::string reason_of(archive* opened)
{
    const char* text = archive_error_string(opened);
    return text == nullptr ? "it is damaged" : escape_for_terminal(text);
}

// The bytes from the archive if they are not valid text in the locale's encoding.
std::string name_of(archive_entry* entry, std::size_t number)
{
    if (const char* name = archive_entry_pathname(entry)) return name;
    if (const char* name = archive_entry_pathname_utf8(entry)) return name;
    return "member " + std::to_string(number);
}

// We only show and compare names, never open them; but such a name is an attempt to write outside the folder.
bool leads_out(std::string_view name)
{
    if (name.starts_with('/') || name.starts_with('\\')) return true;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find_first_of("/\\", at), name.size());
        if (name.substr(at, end - at) == "..") return true;
        at = end + 1;
    }
    return false;
}

// The tar files inside conda and Debian packages.
bool is_part_of_package(std::string_view name, const std::string& outer)
{
    return outer.empty() && (name.starts_with("data.tar") || (name.starts_with("pkg-") && name.ends_with(".tar.zst")));
}

// Other files in packages: metadata on their maker and date.
bool is_about_package(std::string_view name, const std::string& outer)
{
    return outer.empty() &&
           (name.starts_with("control.tar") || (name.starts_with("info-") && name.ends_with(".tar.zst")));
}

std::optional<zip_extent> extent_of_zip(std::string_view bytes)
{
    constexpr std::string_view end_magic = "PK\x05\x06";
    constexpr std::size_t end_size = 22, directory_size_at = 12, directory_at = 16, comment_size_at = 20;
    const auto number = [&](std::size_t at, int digits) {
        std::size_t value = 0;
        for (int i = digits; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
        return value;
    };
    const std::size_t at = bytes.rfind(end_magic);
    if (at == std::string_view::npos || bytes.size() - at < end_size) return std::nullopt;
    zip_extent zip{.begin = 0, .end = std::min(bytes.size(), at + end_size + number(at + comment_size_at, 2))};
    const std::size_t directory = number(at + directory_size_at, 4), start = number(at + directory_at, 4);
    // For more than 4 GB, the size is stored elsewhere.
    constexpr std::size_t elsewhere = 0xffffffff;
    if (directory == elsewhere || start == elsewhere) return zip;
    if (directory > at || start > at - directory) return std::nullopt;
    // The directory's offset is relative to the beginning of the zip archive, or, with zipapp, of the file.
    if (bytes.substr(at - directory).starts_with("PK\x01\x02") && start != at - directory)
        zip.begin = at - directory - start;
    return zip;
}

archive_handle open_bytes(std::string_view bytes, bool single_file_too, std::string& why)
{
    archive_handle opened(archive_read_new());
    if (!opened) {
        why = "no memory for a reader of archives";
        return nullptr;
    }
    archive* const a = opened.get();
    archive_read_support_filter_gzip(a);
    archive_read_support_filter_bzip2(a);
    archive_read_support_filter_xz(a);
    archive_read_support_filter_zstd(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    if (is_debian_package(bytes)) archive_read_support_format_ar(a);
    // A single compressed file, with any content.
    if (single_file_too && !bytes.starts_with("PK") && !bytes.starts_with("#!")) archive_read_support_format_raw(a);
    if (archive_read_open_memory(a, bytes.data(), bytes.size()) != ARCHIVE_OK) {
        why = "it cannot be unpacked: " + reason_of(a);
        return nullptr;
    }
    return opened;
}

}  // namespace

}  // namespace launchbox
