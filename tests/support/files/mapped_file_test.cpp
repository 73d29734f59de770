#include "support/files/mapped_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

std::string file_with(const temporary_directory& folder, const std::string& name, const std::string& content)
{
    const fs::path path = folder.path() / name;
    write_file_atomically(path, content);
    return path.string();
}

TEST(mapped_file, gives_the_bytes)
{
    const temporary_directory folder;
    for (const std::size_t size : {std::size_t{1}, page - 1, page, page + 1, 10 * page + 17}) {
        std::string content;
        for (std::size_t i = 0; i < size; ++i) content += static_cast<char>(i * 31 % 251);
        const mapped_file file(file_with(folder, "f", content));
        EXPECT_EQ(file.bytes(), content);
        EXPECT_FALSE(file.changed());
    }
}

TEST(mapped_file, an_empty_file_and_a_pipe)
{
    const temporary_directory folder;
    const mapped_file empty(file_with(folder, "empty", ""));
    EXPECT_EQ(empty.bytes(), "");
    EXPECT_FALSE(empty.changed());

    const std::string pipe = (folder.path() / "pipe").string(), content(200'000, 'p');
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    // Both ends are opened before anything else, so that neither blocks forever.
    std::thread writer([&] {
        const int end = ::open(pipe.c_str(), O_WRONLY);
        for (std::size_t done = 0; done < content.size();) {
            const ssize_t now = ::write(end, content.data() + done, content.size() - done);
            if (now <= 0) break;
            done += static_cast<std::size_t>(now);
        }
        ::close(end);
    });
    const mapped_file piped(pipe, named_by::user);
    writer.join();
    EXPECT_EQ(piped.bytes(), content);
    EXPECT_FALSE(piped.changed());
    EXPECT_EQ(mapped_file("/dev/null", named_by::user).bytes(), "");
    EXPECT_THROW(mapped_file{pipe}, error) << "nobody writes there any more";
    EXPECT_THROW(mapped_file{"/dev/null"}, error);
}

TEST(mapped_file, an_unreadable_file_is_an_error)
{
    const temporary_directory folder;
    EXPECT_THROW(mapped_file((folder.path() / "missing").string()), error);
    EXPECT_THROW(mapped_file(folder.path().string()), error);
}

TEST(mapped_file, more_files_at_once_than_slots)
{
    const temporary_directory folder;
    std::vector<std::unique_ptr<mapped_file>> files;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 40; ++i)
            files.push_back(
                std::make_unique<mapped_file>(file_with(folder, std::to_string(i), "content " + std::to_string(i))));
        for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(files[i]->bytes(), "content " + std::to_string(i));
        files.clear();
    }
}

TEST(mapped_file, a_file_truncated_by_another_program_reads_as_zeros_and_is_reported)
{
    const temporary_directory folder;
    const std::string path = file_with(folder, "f", std::string(4 * page, 'x'));
    const std::string other = file_with(folder, "other", std::string(2 * page, 'y'));
    const mapped_file file(path), untouched(other);
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(page + 5)), 0);
    const std::string_view bytes = file.bytes();
    EXPECT_EQ(bytes.size(), 4 * page);
    EXPECT_EQ(bytes.substr(0, page + 5), std::string(page + 5, 'x'));
    for (const std::size_t at : {page + 5, 2 * page - 1, 2 * page, 3 * page + 100, 4 * page - 1})
        EXPECT_EQ(bytes[at], '\0') << at;
    EXPECT_TRUE(file.changed());
    EXPECT_EQ(untouched.bytes(), std::string(2 * page, 'y'));
    EXPECT_FALSE(untouched.changed());
}

// No page is lost in this case, so there is no signal.
TEST(mapped_file, a_truncation_within_the_last_page_is_reported)
{
    const temporary_directory folder;
    const std::string path = file_with(folder, "f", std::string(page + 100, 'x'));
    const mapped_file file(path);
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(page + 10)), 0);
    EXPECT_EQ(file.bytes().substr(page + 10), std::string(90, '\0'));
    EXPECT_TRUE(file.changed());
}

TEST(mapped_file, truncated_while_many_threads_read_it)
{
    const temporary_directory folder;
    const std::string path = file_with(folder, "f", std::string(256 * page, 'x'));
    const mapped_file file(path);
    ASSERT_EQ(::truncate(path.c_str(), 0), 0);
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
            for (const char letter : file.bytes()) EXPECT_EQ(letter, '\0');
        });
    readers.clear();
    EXPECT_TRUE(file.changed());
}

// Rewriting a file truncates it first.
TEST(mapped_file, a_file_that_was_truncated_and_has_grown_again_is_reported)
{
    const temporary_directory folder;
    const std::string path = file_with(folder, "f", std::string(2 * page, 'x'));
    const mapped_file file(path);
    ASSERT_EQ(::truncate(path.c_str(), 0), 0);
    EXPECT_EQ(file.bytes()[page], '\0');
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(2 * page)), 0);
    EXPECT_TRUE(file.changed());
}

// The same size, and no lost page.
TEST(mapped_file, a_file_written_in_the_meantime_is_reported)
{
    const temporary_directory folder;
    const std::string path = file_with(folder, "f", std::string(page, 'x'));
    const mapped_file file(path);
    EXPECT_FALSE(file.changed());
    const int again = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::write(again, "y", 1), 1);
    const timespec later[] = {{0, UTIME_OMIT}, {4'000'000'000, 0}};  // the resolution of file times may be coarse
    ASSERT_EQ(::futimens(again, later), 0);
    ::close(again);
    EXPECT_TRUE(file.changed());
}

std::string sparse_file(const temporary_directory& folder, off_t size)
{
    const std::string path = (folder.path() / "sparse").string();
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT_EQ(::ftruncate(file, size), 0);
    EXPECT_EQ(::pwrite(file, "here", 4, size / 2), 4);
    ::close(file);
    return path;
}

TEST(mapped_file, knows_where_the_file_has_data)
{
    const temporary_directory folder;
    const mapped_file whole(file_with(folder, "f", std::string(3 * page, 'x')));
    EXPECT_EQ(whole.data(), (std::vector<byte_range>{{0, 3 * page}}));
    const std::size_t size = 64 << 20;
    const mapped_file sparse(sparse_file(folder, size));
    EXPECT_EQ(sparse.bytes().size(), size);
    ASSERT_EQ(sparse.data().size(), 1u);
    EXPECT_LE(sparse.data()[0].begin, size / 2);
    EXPECT_GE(sparse.data()[0].end, size / 2 + 4);
    EXPECT_LT(sparse.data()[0].end - sparse.data()[0].begin, std::size_t{1} << 20);
}

TEST(mapped_file, more_holes_than_any_compiler_makes_are_refused)
{
    const temporary_directory folder;
    try {
        const mapped_file file(sparse_file(folder, off_t{1} << 40));
        FAIL() << file.bytes().size();
    } catch (const error& failure) {
        EXPECT_NE(std::string(failure.what()).find("is a sparse file of 1099511627776 bytes"), std::string::npos)
            << failure.what();
    }
}

// A reused slot does not remember what happened to the previous file.
TEST(mapped_file, a_truncated_file_does_not_affect_the_next)
{
    const temporary_directory folder;
    const std::string path = file_with(folder, "f", std::string(2 * page, 'x'));
    {
        const mapped_file file(path);
        ASSERT_EQ(::truncate(path.c_str(), 0), 0);
        EXPECT_EQ(file.bytes()[page], '\0');
        EXPECT_TRUE(file.changed());
    }
    const mapped_file next(file_with(folder, "g", std::string(2 * page, 'y')));
    EXPECT_EQ(next.bytes()[page], 'y');
    EXPECT_FALSE(next.changed());
}

// A fault outside our mappings ends the program, as without our handler.
TEST(mapped_file_death, other_bus_errors_are_not_hidden)
{
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            const temporary_directory folder;
            const mapped_file file(file_with(folder, "f", "x"));
            ::raise(SIGBUS);
            ::_exit(0);
        },
        testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace launchbox
