#include "image/container/archive.hpp"

#include <gtest/gtest.h>

#include "containers.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

const std::string magic = "!<arch>\n";

struct reading {
    std::vector<archive_member> members;
    std::vector<image_diagnostic> diagnostics;

    // "name=content name=content"
    [[nodiscard]] std::string all() const
    {
        std::string text;
        for (const archive_member& member : members)
            text += (text.empty() ? "" : " ") + std::string(member.name) + "=" + std::string(member.bytes);
        return text;
    }
};

// The caller keeps the bytes alive.
reading read_members(const std::string& bytes)
{
    reading result;
    result.members = read_archive(bytes, result.diagnostics);
    for (const archive_member& member : result.members)
        EXPECT_EQ(member.bytes.data(), bytes.data() + member.offset) << member.name;
    return result;
}

TEST(archive, gnu_names_short_and_long)
{
    const std::string bytes = magic + archive_member_of("/", "index") + archive_member_of("/SYM64/", "wide index") +
                              archive_member_of("//", "a very long name.o/\nanother long name.o/\n") +
                              archive_member_of("short.o/", "even") + archive_member_of("/0", "odd") +
                              archive_member_of("/20", "") + archive_member_of("last.o/", "z");
    ASSERT_TRUE(is_archive(bytes));
    const reading got = read_members(bytes);
    EXPECT_EQ(got.all(), "short.o=even a very long name.o=odd another long name.o= last.o=z");
    EXPECT_TRUE(got.diagnostics.empty());
}

TEST(archive, bsd_names)
{
    const std::string bytes = magic + archive_member_of("__.SYMDEF SORTED", "index") +
                              archive_member_of("#1/20", std::string("__.SYMDEF_64 SORTED\0index", 25)) +
                              archive_member_of("#1/12", std::string("long name\0\0\0bytes", 17)) +
                              archive_member_of("short.o", "abc");
    const reading got = read_members(bytes);
    EXPECT_EQ(got.all(), "long name=bytes short.o=abc");
    EXPECT_TRUE(got.diagnostics.empty());
}

TEST(archive, missing_names_are_reported_and_the_member_is_read)
{
    for (const std::string field : {"/7", "/99999999999999", "/1x", "#1/4", "#1/x", "#1/"}) {
        const std::string bytes = magic + archive_member_of(field, "abc") + archive_member_of("b.o/", "d");
        const reading got = read_members(bytes);
        EXPECT_EQ(got.all(), field + "=abc b.o=d");
        ASSERT_EQ(got.diagnostics.size(), 1u) << field;
        EXPECT_EQ(got.diagnostics[0].offset, 68u);
    }
}

TEST(archive, without_members_and_not_an_archive)
{
    EXPECT_EQ(read_members(magic).members.size(), 0u);
    EXPECT_TRUE(read_members(magic).diagnostics.empty());
    EXPECT_FALSE(is_archive("!<arch>"));
    EXPECT_EQ(read_members("hello").diagnostics.size(), 1u);
}

TEST(archive, a_thin_archive_is_refused_with_a_fix)
{
    const std::string bytes = "!<thin>\n" + archive_header("a.o/", "4");
    ASSERT_TRUE(is_archive(bytes));
    const reading got = read_members(bytes);
    EXPECT_TRUE(got.members.empty());
    ASSERT_EQ(got.diagnostics.size(), 1u);
    EXPECT_NE(got.diagnostics[0].what.find("give those files instead"), std::string::npos);
}

TEST(archive, wrong_sizes)
{
    const std::string first = magic + archive_member_of("a.o/", "1234");
    for (const std::string size : {"5", "9999999999"}) {
        const std::string bytes = first + archive_header("b.o/", size) + "56";
        const reading got = read_members(bytes);
        EXPECT_EQ(got.all(), "a.o=1234 b.o=56") << size;
        ASSERT_EQ(got.diagnostics.size(), 1u);
        EXPECT_EQ(got.diagnostics[0].offset, first.size());
    }
    for (const std::string size : {"", "-1", "0x10", "1 2", "99999999x"}) {
        std::string header = archive_header("b.o/", size);
        const std::string bytes = first + header + "56";
        const reading got = read_members(bytes);
        EXPECT_EQ(got.all(), "a.o=1234") << size;
        ASSERT_EQ(got.diagnostics.size(), 1u) << size;
        EXPECT_EQ(got.diagnostics[0].offset, first.size());
    }
}

TEST(archive, every_truncation_keeps_the_complete_members)
{
    const std::string bytes = magic + archive_member_of("//", "a very long name.o/\n") +
                              archive_member_of("/0", "odd") + archive_member_of("b.o/", "even");
    const std::size_t second = bytes.size() - 64, last_byte_of_first = second - 1;
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const std::string cut = bytes.substr(0, length);
        const reading got = read_members(cut);
        if (length >= last_byte_of_first) {
            ASSERT_FALSE(got.members.empty()) << length;
            EXPECT_EQ(got.members[0].name, "a very long name.o");
            EXPECT_EQ(got.members[0].bytes, "odd");
        }
        // Truncated between members, the archive is shorter but valid.
        const bool between = length == 8 || length == 8 + 60 + 20 || length == second || length == last_byte_of_first;
        EXPECT_EQ(got.diagnostics.empty(), between) << length;
    }
}

// A million members that share one unterminated name: the names must stay short.
TEST(archive, one_unterminated_name_for_many_members_is_cheap)
{
    std::string bytes = magic + archive_member_of("//", std::string(1 << 20, 'x'));
    for (int i = 0; i < 10'000; ++i) bytes += archive_header("/0", "0");
    const reading got = read_members(bytes);
    ASSERT_EQ(got.members.size(), 10'000u);
    EXPECT_LE(got.members[0].name.size(), 4096u);
}

TEST(archive, reads_what_ar_writes)
{
    if (find_in_path("ar").empty()) GTEST_SKIP() << "needs ar in PATH";
    const temporary_directory folder;
    const std::string long_name = "a_name_that_is_longer_than_fifteen_letters.o";
    for (const std::string& name : {std::string("a.o"), long_name, std::string("sixteen_letters_")})
        write_file_atomically(folder.path() / name, "content of " + name);
    const auto archive = [&](const std::string& options, const std::string& output) {
        const auto done = run({"ar", options, output, "a.o", long_name, "sixteen_letters_"},
                              {.directory = folder.path(), .environment = {}});
        EXPECT_EQ(done.exit_code, 0) << done.output;
        return read_input((folder.path() / output).string());
    };
    const std::string bytes = archive("rcsD", "lib.a");
    const reading got = read_members(bytes);
    EXPECT_TRUE(got.diagnostics.empty());
    EXPECT_EQ(got.all(), "a.o=content of a.o " + long_name + "=content of " + long_name +
                             " sixteen_letters_=content of sixteen_letters_");
    EXPECT_EQ(read_members(archive("rcsDT", "thin.a")).diagnostics.size(), 1u);
}

}  // namespace
}  // namespace launchbox
