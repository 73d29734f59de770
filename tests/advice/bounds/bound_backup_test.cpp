// Edits of real files, and how they are undone.
#include "advice/bounds/bound_backup.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <optional>

#include <fstream>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class bound_backup : public testing::Test {
protected:
    void SetUp() override { write("one\n"); }
    void write(const std::string& text) const { std::ofstream(file, std::ios::binary) << text; }
    [[nodiscard]] std::string text() const { return read_input(file.string()); }
    [[nodiscard]] int entries() const
    {
        return static_cast<int>(std::distance(fs::directory_iterator(folder.path()), {}));
    }
    static std::string refused(const auto& action)
    {
        try {
            action();
        } catch (const error& failure) {
            return std::string(failure.what()) + " | " + failure.hint();
        }
        return {};
    }

    const temporary_directory folder;
    const fs::path file = folder.path() / "k.cu";
};

TEST_F(bound_backup, an_edit_is_undone)
{
    const fs::path backup = apply_edit(file, "one\n", "two\n");
    EXPECT_EQ(text(), "two\n");
    EXPECT_EQ(read_input(backup.string()), "one\n");
    const std::string name = backup.filename().string();
    ASSERT_EQ(name.size(), std::string("k.cu.before-").size() + 16 + 1 + 16);
    EXPECT_TRUE(name.starts_with("k.cu.before-"));
    EXPECT_EQ(name.find_first_not_of("0123456789abcdef", 12), 28u);
    EXPECT_EQ(revert_edit(file), backup);
    EXPECT_EQ(text(), "one\n");
    EXPECT_EQ(entries(), 1);
    EXPECT_EQ(refused([&] { revert_edit(file); }),
              "there is no backup of " + file.string() + " | launchbox bounds --apply makes one with each edit");
}

// Nobody else writes between reading the text and writing it: the second writer waits, and sees that it has changed.
TEST_F(bound_backup, two_edits_at_once_lose_nothing)
{
    for (const bool reverts : {false, true}) {
        write_file_atomically(file, "one\n");
        if (reverts) apply_edit(file, "one\n", "two\n");
        std::optional<folder_lock> other(file);
        int waited = 0;
        const auto waiting = [&](const std::string&) {
            ++waited;
            write_file_atomically(file, "edited by the other\n");
            other.reset();
        };
        const std::string why = refused([&] {
            if (reverts)
                revert_edit(file, waiting);
            else
                apply_edit(file, "one\n", "two\n", waiting);
        });
        EXPECT_NE(why.find(reverts ? "was changed since it was edited" : "was changed by another program meanwhile"),
                  std::string::npos)
            << why;
        EXPECT_EQ(waited, 1);
        EXPECT_EQ(text(), "edited by the other\n");
    }
}

TEST_F(bound_backup, two_edits_are_undone_in_two_steps_even_if_the_second_restores_the_first_text)
{
    apply_edit(file, "one\n", "two\n");
    apply_edit(file, "two\n", "one\n");
    apply_edit(file, "one\n", "two\n");  // starts from the same text as the first edit, so it needs a backup of its own
    EXPECT_EQ(entries(), 4);
    revert_edit(file);
    EXPECT_EQ(text(), "one\n");
    revert_edit(file);
    EXPECT_EQ(text(), "two\n");
    revert_edit(file);
    EXPECT_EQ(text(), "one\n");
    EXPECT_EQ(entries(), 1);
}

TEST_F(bound_backup, two_edits_to_the_same_text_keep_both_originals)
{
    apply_edit(file, "one\n", "three\n");
    write("two\n");  // by hand
    apply_edit(file, "two\n", "three\n");
    revert_edit(file);
    EXPECT_EQ(text(), "two\n");
    EXPECT_EQ(entries(), 2);  // "one" is still there
}

TEST_F(bound_backup, a_file_that_changed_is_left_alone)
{
    EXPECT_NE(refused([&] { apply_edit(file, "other\n", "two\n"); }).find("changed by another program"),
              std::string::npos);
    EXPECT_EQ(text(), "one\n");
    EXPECT_EQ(entries(), 1);
    const fs::path backup = apply_edit(file, "one\n", "two\n");
    write("three\n");
    const std::string why = refused([&] { revert_edit(file); });
    EXPECT_NE(why.find("was changed since it was edited"), std::string::npos) << why;
    EXPECT_NE(why.find(backup.string()), std::string::npos) << why;
    EXPECT_EQ(text(), "three\n");
    EXPECT_EQ(read_input(backup.string()), "one\n");
}

TEST_F(bound_backup, a_backup_that_changed_or_was_planted_is_not_used)
{
    const fs::path backup = apply_edit(file, "one\n", "two\n");
    write_file_atomically(backup, "planted\n");
    EXPECT_NE(refused([&] { revert_edit(file); }).find("no longer contains the text that was saved"),
              std::string::npos);
    EXPECT_EQ(text(), "two\n");
    write_file_atomically(backup, "one\n");
    revert_edit(file);
    EXPECT_EQ(text(), "one\n");
}

TEST_F(bound_backup, permissions_stay)
{
    fs::permissions(file, fs::perms(0750));
    const fs::path backup = apply_edit(file, "one\n", "two\n");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0750));
    EXPECT_EQ(fs::status(backup).permissions(), fs::perms(0750));
    fs::permissions(file, fs::perms(0640));
    revert_edit(file);
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
}

TEST_F(bound_backup, a_link_is_followed_and_kept)
{
    fs::create_directory(folder.path() / "links");
    const fs::path link = folder.path() / "links" / "l.cu";
    fs::create_symlink("../k.cu", link);
    const fs::path backup = apply_edit(link, "one\n", "two\n");
    EXPECT_EQ(fs::canonical(backup.parent_path()), fs::canonical(folder.path()));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(text(), "two\n");
    revert_edit(link);
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(text(), "one\n");
}

TEST_F(bound_backup, an_unwritable_file_is_refused_and_left_unchanged)
{
    fs::permissions(file, fs::perms(0444));
    EXPECT_NE(refused([&] { apply_edit(file, "one\n", "two\n"); }).find("is read-only"), std::string::npos);
    EXPECT_NE(refused([&] { revert_edit(file); }).find("is read-only"), std::string::npos);
    EXPECT_EQ(entries(), 1);
    EXPECT_NE(refused([&] { apply_edit(folder.path(), "", "x"); }).find("is not a file"), std::string::npos);
    EXPECT_NE(refused([&] { apply_edit(folder.path() / "none", "", "x"); }).find("cannot open"), std::string::npos);
    // With so long a name, the backup's name would exceed the limit: this fails before the file is touched.
    const fs::path longest = folder.path() / std::string(250, 'k');
    std::ofstream(longest) << "one\n";
    EXPECT_NE(refused([&] { apply_edit(longest, "one\n", "two\n"); }), "");
    EXPECT_EQ(read_input(longest.string()), "one\n");
    EXPECT_EQ(entries(), 2);
}

}  // namespace
}  // namespace launchbox
