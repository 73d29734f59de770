#include "support/files/read_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/files/files.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// Our own temporary folders are not recorded, so these files must be elsewhere.
class read_files : public testing::Test {
protected:
    read_files() { fs::create_directories(here_ / "sub"); }
    ~read_files() override { fs::remove_all(here_); }

    fs::path file(const std::string& name, const std::string& content = "x")
    {
        write_file_atomically(here_ / name, content);
        return here_ / name;
    }

    const fs::path here_ = fs::temp_directory_path() / ("read_files_test-" + std::to_string(::getpid()) + "-" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(read_files, each_reader_records_what_it_reads)
{
    for (const char* name : {"a", "b", "c", "d"}) EXPECT_FALSE(was_read(file(name)));
    (void)read_input((here_ / "a").string());
    (void)read_file(here_ / "b");
    const mapped_file mapped((here_ / "c").string());
    (void)read_old_output(here_ / "d");
    EXPECT_TRUE(was_read(here_ / "a"));
    EXPECT_TRUE(was_read(here_ / "b"));
    EXPECT_TRUE(was_read(here_ / "c"));
    EXPECT_FALSE(was_read(here_ / "d"));
    const temporary_directory own;
    write_file_atomically(own.path() / "e", "x");
    (void)read_file(own.path() / "e");
    EXPECT_FALSE(was_read(own.path() / "e"));
}

TEST_F(read_files, links_and_other_names_refer_to_the_same_file)
{
    const fs::path read = file("sub/a");
    note_read(read);
    fs::create_symlink("sub/a", here_ / "link");
    fs::create_hard_link(read, here_ / "other");
    fs::create_directory_symlink("sub", here_ / "way");
    for (const char* name : {"sub/a", "link", "other", "way/a", "sub/../sub/./a"})
        EXPECT_TRUE(was_read(here_ / name)) << name;
    EXPECT_FALSE(was_read(file("sub/b")));
}

TEST_F(read_files, a_missing_file_is_recorded_by_its_path)
{
    note_read(here_ / "sub/store.db");
    fs::create_directory_symlink("sub", here_ / "way");
    EXPECT_TRUE(was_read(here_ / "sub/store.db"));
    EXPECT_TRUE(was_read(here_ / "way/store.db"));
    EXPECT_FALSE(was_read(here_ / "store.db"));
    file("sub/store.db");
    EXPECT_TRUE(was_read(here_ / "way/store.db"));
}

TEST_F(read_files, one_of_several_names_is_enough)
{
    const fs::path first = file("a"), second = here_ / "b", third = here_ / "c";
    fs::create_hard_link(first, second);
    fs::create_hard_link(first, third);
    note_read(first);
    note_read(second);
    fs::remove(second);
    EXPECT_TRUE(was_read(third));
    fs::remove(first);
    EXPECT_FALSE(was_read(third)) << "as if it were the next file with this number";
}

// The inode number of a removed file is reused for the next one.
TEST_F(read_files, a_reused_inode_number_is_not_an_input)
{
    const fs::path read = file("a"), other = file("b");
    note_read(read);
    fs::rename(read, here_ / "moved");
    EXPECT_FALSE(was_read(here_ / "moved")) << "as if it were the next file with this number";
    EXPECT_TRUE(was_read(read)) << "by its path";
    EXPECT_FALSE(was_read(other));
}

}  // namespace
}  // namespace launchbox
