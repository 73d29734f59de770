#include "support/files/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <ostream>
#include <vector>

#include "support/error.hpp"
#include "support/files/proc_file.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// A folder opens as a file and fails when it is read, as does a file of a process that has ended meanwhile.
TEST(files, what_cannot_be_read_of_a_process_is_empty)
{
    EXPECT_EQ(read_proc_file("/proc/self/comm"), read_input("/proc/self/comm"));
    EXPECT_FALSE(read_proc_file("/proc/self/maps").empty());
    EXPECT_EQ(read_proc_file("/proc/self"), "");
    EXPECT_EQ(read_proc_file("/proc/self/none"), "");
}

TEST(files, writes_and_reads_back_every_byte)
{
    const temporary_directory folder;
    std::string content;
    for (int i = 0; i < 200000; ++i) content.push_back(static_cast<char>(i * 7));
    const fs::path file = folder.path() / "a b";
    write_file_atomically(file, content);
    EXPECT_EQ(read_input(file.string()), content);
    write_file_atomically(file, "short");
    EXPECT_EQ(read_input(file.string()), "short");
}

TEST(files, a_failed_write_changes_nothing_and_leaves_nothing)
{
    const temporary_directory folder;
    const fs::path target = folder.path() / "is-a-folder";
    fs::create_directory(target);
    EXPECT_THROW(write_file_atomically(target, "x"), error);
    EXPECT_THROW(write_file_atomically(folder.path() / "no" / "such", "x"), error);
    int entries = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path())) ++entries;
    EXPECT_EQ(entries, 1);
}

// Run by root, a rename would put a plain file in the place of /dev/stdout or /dev/null.
TEST(files, a_link_stays_a_link_and_a_pipe_a_pipe)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "file", link = folder.path() / "link", pipe = folder.path() / "pipe";
    write_file_atomically(file, "old");
    fs::create_symlink("file", link);
    write_file_atomically(link, "new");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_input(file.string()), "new");

    const fs::path dangling = folder.path() / "dangling";  // names nothing that could be kept
    fs::create_symlink("not there", dangling);
    write_file_atomically(dangling, "made");
    EXPECT_EQ(read_input(dangling.string()), "made");

    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    write_file_atomically(pipe, "through");
    EXPECT_TRUE(fs::is_fifo(pipe));
    char text[16] = {};
    EXPECT_EQ(::read(reader, text, sizeof text), 7);
    ::close(reader);
    EXPECT_STREQ(text, "through");
}

TEST(files, refuses_what_is_too_large_missing_or_a_directory)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "f";
    write_file_atomically(file, std::string(1000, 'x'));
    EXPECT_EQ(read_input(file.string(), 1000).size(), 1000u);
    EXPECT_THROW(read_input(file.string(), 999), error);
    EXPECT_THROW(read_input((folder.path() / "missing").string()), error);
    EXPECT_THROW(read_input(folder.path().string()), error);
    EXPECT_THROW(read_input("/dev/zero", 100000), error);  // no size to check beforehand
}

TEST(files, a_temporary_directory_vanishes_with_its_content)
{
    fs::path path;
    {
        const temporary_directory folder;
        path = folder.path();
        fs::create_directories(path / "x" / "y");
        write_file_atomically(path / "x" / "y" / "z", "1");
    }
    EXPECT_FALSE(fs::exists(path));
}

// Killed while it writes, a process leaves a part of a file, or a folder; the next one clears what is not in use.
TEST(files, what_a_killed_process_has_left_is_cleared_by_the_next)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "file";
    const auto entries = [&] { return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()); };
    const pid_t writer = ::fork();
    if (writer == 0) {
        const temporary_directory beside(folder.path());
        write_file_atomically(file, [](std::ostream& out) {
            out << std::string(1 << 20, 'x');
            ::kill(::getpid(), SIGKILL);
        });
    }
    ::waitpid(writer, nullptr, 0);
    EXPECT_FALSE(fs::exists(file));
    EXPECT_EQ(entries(), 2);
    {
        const temporary_directory in_use(folder.path());
        write_file_atomically(file, "whole");
        EXPECT_TRUE(fs::exists(in_use.path()));
        EXPECT_EQ(entries(), 2);
    }
    EXPECT_EQ(entries(), 1);
    EXPECT_EQ(read_input(file.string()), "whole");
}

// A report that is too large to be held whole comes in parts; a failure between them leaves the old file.
TEST(files, what_is_replaced_keeps_its_permissions_and_its_names)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "a", other = folder.path() / "b";
    write_file_atomically(file, std::string(100'000, 'x'));
    fs::permissions(file, fs::perms::owner_all | fs::perms::group_read);
    write_file_atomically(file, "new");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_all | fs::perms::group_read);
    fs::create_hard_link(file, other);
    write_file_atomically(file, "both");
    EXPECT_EQ(read_input(other.string()), "both");
    EXPECT_EQ(fs::hard_link_count(file), 2u);
    write_file_atomically(file, "");
    EXPECT_EQ(read_input(other.string()), "");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

TEST(files, what_is_read_only_is_not_replaced)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "a";
    write_file_atomically(file, "old");
    fs::permissions(file, fs::perms::owner_read);
    try {
        write_file_atomically(file, "new");
        FAIL();
    } catch (const error& failure) {
        EXPECT_NE(std::string(failure.what()).find("read-only"), std::string::npos) << failure.what();
    }
    EXPECT_EQ(read_input(file.string()), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(files, a_lock_keeps_others_out_of_the_folder)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "count";
    write_file_atomically(file, "0");
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (int j = 0; j < 25; ++j) {
                const folder_lock alone(file);
                write_file_atomically(file, std::to_string(std::stoi(read_input(file.string())) + 1));
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    EXPECT_EQ(read_input(file.string()), "100");
}

TEST(files, who_waits_for_a_lock_says_so_and_not_for_ever)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "header.hpp";
    std::vector<std::string> said;
    const auto say = [&](const std::string& words) { said.push_back(words); };
    {
        const folder_lock first(file, say);
        EXPECT_TRUE(said.empty());
        try {
            const folder_lock second(file, say, std::chrono::milliseconds(0));
            ADD_FAILURE() << "both have it";
        } catch (const error& failure) {
            EXPECT_NE(std::string(failure.what()).find("another process has locked " + folder.path().string()),
                      std::string::npos)
                << failure.what();
            EXPECT_FALSE(failure.hint().empty());
        }
        EXPECT_EQ(said.size(), 1u);
    }
    const folder_lock again(file, say, std::chrono::milliseconds(0));
    EXPECT_EQ(said.size(), 1u);
    const folder_lock nowhere(folder.path() / "none" / "x", say, std::chrono::milliseconds(0));
}

// What is there stays, whatever it is, and so does what was to be given its name.
TEST(files, a_new_name_is_never_that_of_something_else)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "made", made_folder = folder.path() / "made_folder";
    write_file_atomically(file, "new");
    fs::create_directory(made_folder);
    write_file_atomically(made_folder / "in_it", "new");
    write_file_atomically(folder.path() / "file", "old");
    fs::create_directory(folder.path() / "empty");
    fs::create_directory(folder.path() / "full");
    write_file_atomically(folder.path() / "full" / "x", "old");
    fs::create_symlink("nowhere", folder.path() / "link");
    for (const char* taken : {"file", "empty", "full", "link"})
        for (const fs::path& from : {file, made_folder}) {
            try {
                move_to_new_name(from, folder.path() / taken);
                ADD_FAILURE() << taken;
            } catch (const error& failure) {
                EXPECT_NE(std::string(failure.what()).find(std::string(taken) + " is there already"), std::string::npos)
                    << failure.what();
            }
        }
    EXPECT_EQ(read_input((folder.path() / "file").string()), "old");
    EXPECT_EQ(read_input((folder.path() / "full" / "x").string()), "old");
    EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
    EXPECT_THROW(move_to_new_name(file, folder.path() / "none" / "x"), error);
    EXPECT_THROW(move_to_new_name(folder.path() / "none", folder.path() / "y"), error);
    move_to_new_name(file, folder.path() / "x");
    move_to_new_name(made_folder, folder.path() / "y");
    EXPECT_EQ(read_input((folder.path() / "x").string()), "new");
    EXPECT_EQ(read_input((folder.path() / "y" / "in_it").string()), "new");
    EXPECT_FALSE(fs::exists(file));
}

TEST(files, a_writer_writes_all_or_nothing)
{
    const temporary_directory folder;
    const auto file = folder.path() / "report";
    const std::string block(100'000, 'x');
    write_file_atomically(file, [&](std::ostream& out) {
        for (int i = 0; i < 10; ++i) out << block << i;
    });
    const std::string written = read_input(file.string());
    EXPECT_EQ(written.size(), 1'000'010u);
    EXPECT_TRUE(written.ends_with("x9"));
    EXPECT_THROW(write_file_atomically(file,
                                       [&](std::ostream& out) {
                                           out << block;
                                           throw error("in the middle");
                                       }),
                 error);
    EXPECT_EQ(read_input(file.string()), written);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    EXPECT_THROW(write_file_atomically("/dev/full", [&](std::ostream& out) { out << block; }), error);
}

}  // namespace
}  // namespace launchbox
