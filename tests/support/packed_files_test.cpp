// Packed files of every supported kind, and malicious ones.
#include "support/files/packed_files.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace launchbox {

namespace {

struct member {
    std::string name, content;
};

using writer_setting = int (*)(archive*);

std::string pack(const std::vector<member>& members, writer_setting format, writer_setting filter = nullptr,
                 const char* options = nullptr, const char* passphrase = nullptr)
{
    std::string bytes(std::size_t{8} << 20, '\0');
    std::size_t used = 0;
    archive* const a = archive_write_new();
    format(a);
    if (filter != nullptr) filter(a);
    if (options != nullptr) {
        EXPECT_EQ(archive_write_set_options(a, options), ARCHIVE_OK) << archive_error_string(a);
    }
    if (passphrase != nullptr) archive_write_set_passphrase(a, passphrase);
    EXPECT_EQ(archive_write_open_memory(a, bytes.data(), bytes.size(), &used), ARCHIVE_OK);
    for (const member& one : members) {
        archive_entry* const entry = archive_entry_new();
        archive_entry_set_pathname(entry, one.name.c_str());
        archive_entry_set_size(entry, static_cast<la_int64_t>(one.content.size()));
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        EXPECT_EQ(archive_write_header(a, entry), ARCHIVE_OK) << archive_error_string(a);
        archive_write_data(a, one.content.data(), one.content.size());
        archive_entry_free(entry);
    }
    EXPECT_EQ(archive_write_close(a), ARCHIVE_OK) << archive_error_string(a);
    archive_write_free(a);
    bytes.resize(used);
    return bytes;
}

struct unpacked {
    std::map<std::string, std::string> members;
    packed_findings findings;
};

// All files but Python's.
unpacked unpack(std::string_view bytes, const packed_limits& limits = {})
{
    unpacked result;
    packed_reader reader;
    reader.wanted = [](std::string_view name, std::string_view, bool) { return !name.ends_with(".py"); };
    reader.use = [&](const std::string& name, std::string_view content) {
        result.members[name] = content;
        return true;
    };
    result.findings = read_packed(bytes, reader, limits);
    return result;
}

const std::string large = [] {
    std::string bytes;
    for (std::uint32_t i = 0; bytes.size() < 300'000; i = i * 1664525 + 1013904223) bytes += static_cast<char>(i >> 24);
    return bytes;
}();
const std::vector<member> three{{"lib/a.so", large},
                                {"lib/b.py", "import a"},
                                {"c.cubin",
                                 "\x7f"
                                 "ELF"}};
const std::map<std::string, std::string> two{{"lib/a.so", large},
                                             {"c.cubin",
                                              "\x7f"
                                              "ELF"}};

TEST(packed_files, are_read_from_every_packer)
{
    for (const writer_setting filter :
         {archive_write_add_filter_none, archive_write_add_filter_gzip, archive_write_add_filter_bzip2,
          archive_write_add_filter_xz, archive_write_add_filter_zstd})
        for (const writer_setting format : {archive_write_set_format_pax_restricted, archive_write_set_format_gnutar,
                                            archive_write_set_format_ustar}) {
            const std::string bytes = pack(three, format, filter);
            EXPECT_TRUE(looks_packed(bytes));
            const unpacked result = unpack(bytes);
            EXPECT_EQ(result.members, two);
            EXPECT_TRUE(result.findings.errors.empty());
        }
    for (const char* method : {"zip:compression=store", "zip:compression=deflate"}) {
        const std::string bytes = pack(three, archive_write_set_format_zip, nullptr, method);
        EXPECT_TRUE(looks_packed(bytes));
        EXPECT_EQ(unpack(bytes).members, two) << method;
    }
}

TEST(packed_files, conda_and_debian_packages_are_opened_two_deep_and_other_archives_are_named)
{
    const std::string inner = pack(three, archive_write_set_format_pax_restricted, archive_write_add_filter_zstd);
    const std::string conda = pack({{"pkg-x-1.tar.zst", inner}, {"info-x-1.tar.zst", inner}, {"more.tar.zst", inner}},
                                   archive_write_set_format_zip);
    const unpacked of_conda = unpack(conda);
    EXPECT_EQ(of_conda.members, two);
    EXPECT_EQ(of_conda.findings.nested_archives, std::vector<std::string>{"more.tar.zst"});
    EXPECT_TRUE(of_conda.findings.errors.empty());

    const std::string debian = pack({{"debian-binary", "2.0\n"}, {"control.tar.zst", inner}, {"data.tar.zst", inner}},
                                    archive_write_set_format_ar_svr4);
    EXPECT_TRUE(is_debian_package(debian));
    unpacked of_debian = unpack(debian);
    of_debian.members.erase("debian-binary");
    EXPECT_EQ(of_debian.members, two);
    EXPECT_TRUE(of_debian.findings.nested_archives.empty());
    EXPECT_FALSE(looks_packed(pack({{"a.o", "x"}}, archive_write_set_format_ar_svr4)));

    // Three deep: the package inside the package is only named.
    const unpacked deep = unpack(pack({{"pkg-x.tar.zst", pack({{"data.tar.zst", inner}}, archive_write_set_format_ustar,
                                                              archive_write_add_filter_zstd)}},
                                      archive_write_set_format_zip));
    EXPECT_TRUE(deep.members.empty());
    EXPECT_EQ(deep.findings.nested_archives, std::vector<std::string>{"data.tar.zst"});
}

// Sets the mode in the central directory of a zip file for its only member, in addition to what the writer stored.
std::string zip_of_mode(const std::string& content, std::uint32_t mode)
{
    std::string bytes = pack({{"a.cubin", content}}, archive_write_set_format_zip, nullptr, "zip:compression=store");
    const std::size_t record = bytes.find("PK\x01\x02");
    EXPECT_NE(record, std::string::npos);
    constexpr std::size_t attributes = 38;
    for (std::size_t i = 0; i < 4; ++i) bytes[record + attributes + i] = static_cast<char>((mode << 16) >> (8 * i));
    return bytes;
}

// Installers of wheels write each member as a file, whatever its mode.
TEST(packed_files, members_marked_as_folders_or_devices_are_read_or_named)
{
    for (const std::uint32_t mode : {0100644u, 0u, 040755u, 020644u, 060644u, 010644u, 0140644u, 0120777u, 0170644u}) {
        for (const std::string& content : {"\x7f"
                                           "ELF" +
                                               large,
                                           std::string("short\n")}) {
            const unpacked result = unpack(zip_of_mode(content, mode));
            const bool is_read = result.members == std::map<std::string, std::string>{{"a.cubin", content}};
            const bool is_named = result.findings.errors.size() == 1;
            EXPECT_NE(is_read, is_named) << std::oct << mode << ' ' << content.size();
        }
        EXPECT_TRUE(unpack(zip_of_mode("", mode)).findings.errors.empty()) << std::oct << mode;
    }
    const std::string link = zip_of_mode("../b.cubin", 0120777);
    EXPECT_TRUE(unpack(link).members.empty());
    EXPECT_TRUE(unpack(link).findings.errors.empty());
    // In a tar file, all kinds except links and metadata; 5 is a folder, 3 a device.
    for (const char kind : {'0', '7', '5', '3', '4', '6', 'D', 'S', 'M'}) {
        std::string bytes = pack({{"a.cubin", "content"}}, archive_write_set_format_ustar);
        bytes[156] = kind;
        unsigned sum = 0;
        for (std::size_t i = 0; i < 512; ++i) sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(bytes[i]);
        for (std::size_t i = 0; i < 6; ++i) bytes[148 + i] = static_cast<char>('0' + (sum >> (3 * (5 - i)) & 7));
        const unpacked result = unpack(bytes);
        EXPECT_NE(result.members.contains("a.cubin"), !result.findings.errors.empty()) << kind;
    }
}

TEST(packed_files, data_around_an_archive_is_reported)
{
    const auto rest_of = [](const std::string& bytes) {
        std::string all;
        for (std::string_view rest : unpack(bytes).findings.rest) {
            while (rest.ends_with('\0')) rest.remove_suffix(1);
            all += rest.substr(std::min(rest.find_first_not_of('\0'), rest.size()));
        }
        return all;
    };
    const std::string zip = pack(three, archive_write_set_format_zip),
                      tar = pack(three, archive_write_set_format_ustar);
    EXPECT_EQ(rest_of(zip), "");
    EXPECT_EQ(rest_of(tar), "");
    EXPECT_EQ(rest_of(zip + "behind it"), "behind it");
    EXPECT_EQ(rest_of(tar + "behind it"), "behind it");
    const std::string both = rest_of(zip + zip);
    EXPECT_TRUE(both == zip || zip.starts_with(both)) << both.size();
    EXPECT_FALSE(both.empty());
    EXPECT_TRUE(looks_packed("#!/usr/bin/env python\n" + zip));
    EXPECT_EQ(unpack("#!/usr/bin/env python\n" + zip).members, two);
    EXPECT_FALSE(looks_packed("#!/bin/sh\necho PK\n"));
}

// Cut between two members, so that no member is damaged.
TEST(packed_files, an_archive_cut_after_a_member_is_reported)
{
    const std::string zip = pack(three, archive_write_set_format_zip, nullptr, "zip:compression=store");
    const std::size_t second = zip.find("PK\x03\x04", 4), directory = zip.find("PK\x01\x02");
    for (const std::size_t size : {second, directory, zip.size() - 1, zip.size() - 22}) {
        const unpacked result = unpack(std::string_view(zip).substr(0, size));
        EXPECT_FALSE(result.findings.errors.empty()) << size << " of " << zip.size();
    }
    const std::string tar = pack({{"a", "x"}, {"b", "x"}}, archive_write_set_format_ustar);
    for (const std::size_t size : {512, 1024, 1536, 2048})
        EXPECT_FALSE(unpack(std::string_view(tar).substr(0, size)).findings.errors.empty()) << size;
    EXPECT_TRUE(unpack(std::string_view(tar).substr(0, 3072)).findings.errors.empty());
}

TEST(packed_files, the_caller_is_asked_about_an_empty_member)
{
    for (const writer_setting format : {archive_write_set_format_zip, archive_write_set_format_ustar})
        EXPECT_EQ(unpack(pack({{"a.cubin", ""}}, format)).members,
                  (std::map<std::string, std::string>{{"a.cubin", ""}}));
}

TEST(packed_files, the_caller_learns_whether_a_member_is_complete)
{
    std::map<std::string, bool> is_all;
    packed_reader reader;
    reader.wanted = [&](std::string_view name, std::string_view beginning, bool all) {
        EXPECT_GE(beginning.size(), all ? 0u : 65536u);
        is_all[std::string(name)] = all;
        return false;
    };
    reader.use = [](const std::string&, std::string_view) { return true; };
    (void)read_packed(pack(three, archive_write_set_format_zip), reader);
    EXPECT_EQ(is_all, (std::map<std::string, bool>{{"lib/a.so", false}, {"lib/b.py", true}, {"c.cubin", true}}));
}

TEST(packed_files, names_outside_the_folder_and_encrypted_members_are_reported_and_the_rest_is_read)
{
    const unpacked result = unpack(
        pack({{"../up", "x"}, {"a/../../b", "x"}, {"fine", "x"}, {"a..b/c", "y"}}, archive_write_set_format_zip));
    EXPECT_EQ(result.members, (std::map<std::string, std::string>{{"fine", "x"}, {"a..b/c", "y"}}));
    ASSERT_EQ(result.findings.errors.size(), 2u);
    EXPECT_EQ(result.findings.errors[0], "'../up' leads out of the archive, and is not read");

    const unpacked secret =
        unpack(pack(three, archive_write_set_format_zip, nullptr, "zip:encryption=aes256", "password"));
    EXPECT_TRUE(secret.members.empty());
    ASSERT_EQ(secret.findings.errors.size(), 3u);
    EXPECT_EQ(secret.findings.errors[0], "'lib/a.so' is encrypted, and is not read");
}

TEST(packed_files, one_limit_applies_to_a_file_and_the_archives_in_it)
{
    const std::string zeros(4 << 20, '\0');
    const packed_limits strict{.max_member = 64 << 20, .max_ratio = 10, .free_bytes = 100'000};
    for (const std::string& bytes : {pack({{"a", "x"}, {"bomb", zeros}, {"b", "x"}}, archive_write_set_format_zip),
                                     pack({{"a", "x"}, {"bomb.py", zeros}, {"b", "x"}}, archive_write_set_format_ustar,
                                          archive_write_add_filter_gzip),
                                     pack({{"a", "x"},
                                           {"pkg-x.tar.zst", pack({{"bomb", zeros}}, archive_write_set_format_ustar,
                                                                  archive_write_add_filter_zstd)},
                                           {"b", "x"}},
                                          archive_write_set_format_zip)}) {
        const unpacked result = unpack(bytes, strict);
        EXPECT_EQ(result.members, (std::map<std::string, std::string>{{"a", "x"}}));
        ASSERT_EQ(result.findings.errors.size(), 1u);
        EXPECT_TRUE(result.findings.errors[0].starts_with("it unpacks to more than 10 times its size (at 'bomb"))
            << result.findings.errors[0];
        EXPECT_EQ(unpack(bytes).findings.errors.size(), 0u);
    }
    // A member that is too large for the memory is reported, and the next is read.
    const unpacked too_large = unpack(pack(three, archive_write_set_format_zip), {.max_member = 100'000});
    EXPECT_EQ(too_large.members.size(), 1u);
    EXPECT_TRUE(too_large.findings.errors.at(0).starts_with("'lib/a.so' has 300000 bytes"));
}

TEST(packed_files, truncated_and_damaged_archives_are_reported)
{
    for (const writer_setting format : {archive_write_set_format_zip, archive_write_set_format_ustar}) {
        const std::string bytes =
            pack(three, format, format == archive_write_set_format_zip ? nullptr : archive_write_add_filter_gzip);
        for (const std::size_t length : {std::size_t{5}, bytes.size() / 2, bytes.size() - 40}) {
            const unpacked result = unpack(std::string_view(bytes).substr(0, length));
            EXPECT_LE(result.members.size(), 2u);
            for (const auto& [name, content] : result.members)
                EXPECT_TRUE(!two.contains(name) || two.at(name).size() >= content.size());
            if (length == bytes.size() / 2) {
                EXPECT_FALSE(result.findings.errors.empty());
            }
        }
    }
    EXPECT_FALSE(unpack("PK\x03\x04 no").findings.errors.empty());
}

}  // namespace

}  // namespace launchbox
