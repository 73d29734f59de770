#include "support/files/files.hpp"

#include <fcntl.h>
#include <grp.h>
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

// A folder can be opened as a file but not read; so can a file of a process that has ended in the meantime.
TEST(files, an_unreadable_file_of_a_process_is_empty)
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

TEST(files, a_failed_write_changes_nothing_and_leaves_no_file)
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

// With root's rights, a rename would replace /dev/stdout or /dev/null by a regular file.
TEST(files, a_link_stays_a_link_and_a_pipe_stays_a_pipe)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "file", link = folder.path() / "link", pipe = folder.path() / "pipe";
    write_file_atomically(file, "old");
    fs::create_symlink("file", link);
    write_file_atomically(link, "new");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_input(file.string()), "new");

    const fs::path dangling = folder.path() / "dangling";
    fs::create_directory(folder.path() / "elsewhere");
    fs::create_symlink("elsewhere/not there", folder.path() / "next");
    fs::create_symlink("next", dangling);
    write_file_atomically(dangling, "made");
    EXPECT_TRUE(fs::is_symlink(dangling));
    EXPECT_EQ(read_input((folder.path() / "elsewhere/not there").string()), "made");
    fs::create_symlink("circle", folder.path() / "circle");
    EXPECT_THROW(write_file_atomically(folder.path() / "circle", "x"), error);
    EXPECT_TRUE(fs::is_symlink(folder.path() / "circle"));

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

TEST(files, a_temporary_directory_is_removed_with_its_content)
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

// A process that is killed while it writes leaves part of a file or a folder; the next one removes what is not in use.
TEST(files, leftovers_of_a_killed_process_are_removed_by_the_next)
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

// A report that is too large for memory is written in parts; a failure between them leaves the old file.
TEST(files, a_replaced_file_keeps_its_permissions)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "a";
    write_file_atomically(file, "old");
    fs::permissions(file, fs::perms::owner_all | fs::perms::group_read);
    if (::geteuid() == 0) {
        ASSERT_EQ(::chown(file.c_str(), 1234, 5678), 0);
    }
    write_file_atomically(file, "new");
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0740u);
    EXPECT_EQ(status.st_uid, ::geteuid() == 0 ? 1234 : ::geteuid());
    EXPECT_EQ(status.st_gid, ::geteuid() == 0 ? 5678 : ::getegid());
}

// Only root may change a file's owner. If the group cannot be kept, no other group gets its rights.
TEST(files, a_group_that_cannot_be_kept_gives_no_rights_to_another)
{
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, who may become somebody else";
    const temporary_directory folder;
    for (const fs::path& outer : {folder.path().parent_path(), folder.path()})
        ASSERT_EQ(::chmod(outer.c_str(), 0777), 0);
    const fs::path file = folder.path() / "a";
    write_file_atomically(file, "old");
    ASSERT_EQ(::chown(file.c_str(), 1234, 5678), 0);
    ASSERT_EQ(::chmod(file.c_str(), 06776), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setgroups(0, nullptr) != 0 || ::setgid(99) != 0 || ::setuid(98) != 0) ::_exit(1);
        write_file_atomically(file, "new");
        ::_exit(0);
    }
    int ended = 0;
    ::waitpid(child, &ended, 0);
    ASSERT_EQ(ended, 0);
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 98u);
    EXPECT_EQ(status.st_mode & 07777, 0766u) << "of the group what everybody may";
}

// Written in place, a file with two names would be lost if the disk is full or the process is killed.
TEST(files, if_a_file_has_two_names_the_other_keeps_the_old_content)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "a", other = folder.path() / "b";
    const std::string old(100'000, 'x');
    write_file_atomically(file, old);
    fs::create_hard_link(file, other);
    EXPECT_THROW(write_file_atomically(file, [](std::ostream&) { throw error("in the middle"); }), error);
    EXPECT_EQ(fs::hard_link_count(file), 2u);
    write_file_atomically(file, "new");
    EXPECT_EQ(read_input(file.string()), "new");
    EXPECT_EQ(read_input(other.string()), old);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

// As with `program -o /dev/stdout >>log`: a file, at the position where the previous program ended.
TEST(files, an_open_descriptor_is_written_to_and_its_file_not_replaced)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "log", link = folder.path() / "link";
    const int log = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_GE(log, 0);
    ASSERT_EQ(::write(log, "one ", 4), 4);
    write_file_atomically("/dev/fd/" + std::to_string(log), "two ");
    fs::create_symlink("/proc/self/fd/" + std::to_string(log), link);
    write_file_atomically(link, "three");
    ::close(log);
    EXPECT_EQ(read_input(file.string()), "one two three");
    EXPECT_TRUE(fs::is_symlink(link));
}

TEST(files, the_replaced_file_may_be_kept)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "a";
    const auto keep = [](const fs::path& finished) { throw error(read_input(finished.string())); };
    const auto writer = [](std::ostream& out) { out << "new"; };
    write_file_atomically(file, writer, keep);  // nothing is lost
    EXPECT_EQ(read_input(file.string()), "new");
    write_file_atomically(file, "old");
    try {
        write_file_atomically(file, writer, keep);
        FAIL();
    } catch (const error& failure) {
        EXPECT_STREQ(failure.what(), "new");
    }
    EXPECT_EQ(read_input(file.string()), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(files, a_pipe_named_in_a_file_is_not_waited_for)
{
    const temporary_directory folder;
    const fs::path pipe = folder.path() / "pipe", link = folder.path() / "link", file = folder.path() / "file";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink(pipe, link);
    write_file_atomically(file, "x");
    EXPECT_EQ(read_file(file), "x");
    for (const fs::path& irregular : {pipe, link, fs::path("/dev/zero"), fs::path("/dev/null"), folder.path()}) {
        EXPECT_THROW(read_file(irregular), error) << irregular;
        EXPECT_THROW(read_old_output(irregular), error) << irregular;
        EXPECT_THROW(refuse_irregular(irregular), error) << irregular;
    }
    refuse_irregular(folder.path() / "missing");
}

TEST(files, a_read_only_file_is_not_replaced)
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

TEST(files, waiting_for_a_lock_is_reported_and_limited)
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

// An existing entry of any kind is kept, and so is the file that was to get its name.
TEST(files, a_new_name_never_replaces_anything)
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
                EXPECT_NE(std::string(failure.what()).find(std::string(taken) + " already exists"), std::string::npos)
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
