#include "support/files/own_temporaries.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>

#include "support/files/files.hpp"
#include "support/files/proc_file.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// The name that a run on another host would give its folder: the same except for the boot id.
std::string of_another_boot(const std::string& name)
{
    std::string other = name;
    char& digit = other.at(std::string("launchbox-run-").size());
    digit = digit == 'a' ? 'b' : 'a';
    return other;
}

fs::path make_folder(const fs::path& path)
{
    fs::create_directory(path);
    std::ofstream(path / "module") << "in use";
    return path;
}

void make_old(const fs::path& path, int days)
{
    const auto time = fs::file_time_type::clock::now() - std::chrono::hours(24 * days);
    if (fs::is_directory(path))
        for (const auto& entry : fs::recursive_directory_iterator(path)) fs::last_write_time(entry.path(), time);
    fs::last_write_time(path, time);
}

// A process that keeps a folder in `base` until it is killed.
class other_process {
public:
    explicit other_process(const fs::path& base)
    {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        child_ = ::fork();
        if (child_ == 0) {
            const temporary_directory held(base);
            std::ofstream(held.path().parent_path() / "module") << "in use";
            const std::string name = held.path().parent_path().string() + "\n";
            if (::write(ends[1], name.data(), name.size()) < 0) ::_exit(1);
            for (;;) ::pause();
        }
        ::close(ends[1]);
        std::string name;
        for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) name += c;
        ::close(ends[0]);
        held_ = name;
    }
    ~other_process() { kill(); }
    other_process(const other_process&) = delete;
    other_process& operator=(const other_process&) = delete;
    void kill()
    {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        child_ = 0;
    }
    [[nodiscard]] const fs::path& held() const { return held_; }

private:
    pid_t child_ = 0;
    fs::path held_;
};

std::string name_now()
{
    const temporary_directory base;
    const temporary_directory one(base.path());
    return one.path().parent_path().filename().string();
}

// The number of the process namespace, which used to identify the owner's machine, is the same on every Linux host.
TEST(own_temporaries, of_another_host_with_the_same_folder_are_kept)
{
    const temporary_directory base;
    struct stat process_namespace {};
    ASSERT_EQ(::stat("/proc/self/ns/pid", &process_namespace), 0);
    const std::string number = std::to_string(process_namespace.st_ino);
    const fs::path former = make_folder(base.path() / ("launchbox-run-" + number + "-999999-123-aaaaaa"));
    const fs::path another = make_folder(base.path() / of_another_boot(name_now()));
    const fs::path unknown = make_folder(base.path() / "launchbox-run-unknown-host-1-aaaaaa");
    const temporary_directory mine(base.path());
    for (const fs::path& other : {former, another, unknown})
        EXPECT_TRUE(fs::exists(other / "module")) << other.filename();
}

TEST(own_temporaries, of_another_host_are_removed_after_a_long_time_without_changes)
{
    const temporary_directory base;
    const std::string other = of_another_boot(name_now());
    const fs::path old = make_folder(base.path() / other);
    const fs::path old_file = base.path() / (other + "-file");
    std::ofstream(old_file) << "half";
    const fs::path at_work = make_folder(base.path() / (other + "-at-work"));  // changed deep inside
    make_old(old, 31);
    make_old(old_file, 31);
    make_old(at_work, 31);
    fs::last_write_time(at_work / "module", fs::file_time_type::clock::now());
    const fs::path younger = make_folder(base.path() / (other + "-younger"));
    make_old(younger, 29);
    const temporary_directory mine(base.path());
    EXPECT_FALSE(fs::exists(old));
    EXPECT_FALSE(fs::exists(old_file));
    EXPECT_TRUE(fs::exists(at_work));
    EXPECT_TRUE(fs::exists(younger));
}

// Also those of a process in another container, whose id means nothing here: the lock shows whether it is alive.
TEST(own_temporaries, that_are_locked_are_kept_until_their_owner_is_killed)
{
    const temporary_directory first, second, third;
    other_process in_first(first.path()), in_second(second.path());
    ASSERT_TRUE(fs::exists(in_first.held()));
    make_old(in_first.held(), 1000);
    {
        const temporary_directory mine(first.path());
        EXPECT_TRUE(fs::exists(in_first.held() / "module")) << "its owner lives";
    }
    in_second.kill();
    const temporary_directory mine(second.path());
    EXPECT_FALSE(fs::exists(in_second.held())) << "its owner is gone";
}

TEST(own_temporaries, entries_with_similar_names_are_kept)
{
    const temporary_directory base, elsewhere;
    const std::string name = name_now();
    const fs::path target = make_folder(elsewhere.path() / "target");
    fs::create_directory_symlink(target, base.path() / name);  // a link is never ours
    const fs::path pipe = base.path() / (name + "-pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);  // a pipe without a writer
    make_old(target, 1000);
    const temporary_directory mine(base.path());
    EXPECT_TRUE(fs::is_symlink(base.path() / name));
    EXPECT_TRUE(fs::exists(target / "module"));
    EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(own_temporaries, have_machine_and_process_in_their_names)
{
    const std::string name = name_now();
    std::string boot = read_proc_file("/proc/sys/kernel/random/boot_id");
    std::erase_if(boot, [](unsigned char c) { return std::isxdigit(c) == 0; });
    EXPECT_TRUE(name.starts_with("launchbox-run-" + boot + "-")) << name;
    EXPECT_NE(name.find("-" + std::to_string(::getpid()) + "-"), std::string::npos) << name;
}

}  // namespace
}  // namespace launchbox
