// Ctrl-C: finished results are shown, the exit status is right, nothing is left behind. The compiler is a script that
// reports when it has begun and then waits to be stopped, so the tests do not depend on time.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tool.hpp"

extern char** environ;

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// Starts the tool as a shell starts a command: in its own process group, with the default signal handlers.
class interrupted_run {
public:
    explicit interrupted_run(const std::vector<std::string>& arguments, bool cached = false)
    {
        const fs::path here = folder_.path();
        fs::create_directory(here / "tmp");
        if (::mkfifo((here / "begun").c_str(), 0600) != 0) ADD_FAILURE() << "no pipe";
        // Without a cache the first architecture is compiled at once; with one, its preprocessing waits, too.
        const std::string finish_one = cached ? "" : "if [ $architecture = sm_75 ]; then finish; exit; fi\n";
        const fs::path nvcc =
            make_nvcc(here, "echo $architecture >>'" + (here / "started").string() + "'\n" + finish_one + "echo >'" +
                                (here / "begun").string() + "'\nexec sleep 1000");
        std::vector<std::string> words{LAUNCHBOX_TOOL};
        words.insert(words.end(), arguments.begin(), arguments.end());
        words.insert(words.end(), {"--nvcc", nvcc.string(), "--jobs", "1", "--arch", "sm_75,sm_80,sm_90"});
        std::vector<std::string> settings{"TMPDIR=" + (here / "tmp").string(),
                                          "COLUMNS=100",
                                          "LC_ALL=C.UTF-8",
                                          "LAUNCHBOX_CACHE=" + (cached ? (here / "cache").string() : ""),
                                          "XDG_CACHE_HOME=",
                                          "HOME="};  // no compile cache there
        for (char** each = environ; *each != nullptr; ++each) settings.emplace_back(*each);

        posix_spawnattr_t attributes;
        ::posix_spawnattr_init(&attributes);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
        ::posix_spawnattr_setpgroup(&attributes, 0);
        sigset_t usual;
        ::sigemptyset(&usual);
        ::sigaddset(&usual, SIGINT);
        ::posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawn_file_actions_t files;
        ::posix_spawn_file_actions_init(&files);
        const int flags = O_WRONLY | O_CREAT | O_TRUNC;
        ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, (here / "out").c_str(), flags, 0600);
        ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, (here / "err").c_str(), flags, 0600);
        const int failure = ::posix_spawn(&child_, LAUNCHBOX_TOOL, &files, &attributes, pointers(words).data(),
                                          pointers(settings).data());
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
        if (failure != 0) ADD_FAILURE() << "cannot start the tool";
    }

    // Waits until the second architecture is being compiled, then interrupts tool and compiler as a terminal does.
    call interrupt(int signal)
    {
        {
            static_cast<void>(read_input((folder_.path() / "begun").string()));
        }
        ::kill(-child_, signal);
        int status = 0;
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
        call result;
        result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        result.out = read_input((folder_.path() / "out").string());
        result.err = read_input((folder_.path() / "err").string());
        return result;
    }

    [[nodiscard]] bool left_nothing() const { return fs::is_empty(folder_.path() / "tmp"); }
    [[nodiscard]] std::string started() const { return read_input((folder_.path() / "started").string()); }

private:
    static std::vector<char*> pointers(std::vector<std::string>& texts)
    {
        std::vector<char*> result;
        for (std::string& text : texts) result.push_back(text.data());
        result.push_back(nullptr);
        return result;
    }

    temporary_directory folder_;
    pid_t child_ = 0;
};

const std::string source = repository_file("examples/merge.cu");

class interrupt : public testing::TestWithParam<int> {};

TEST_P(interrupt, inspect_shows_finished_results)
{
    interrupted_run run({"inspect", source, "--threads", "256", "--format", "json"});
    const call result = run.interrupt(GetParam());
    EXPECT_EQ(result.status, 4) << result.err;
    const nlohmann::json json = result.json();
    ASSERT_FALSE(json["kernels"].empty());
    EXPECT_EQ(json["kernels"][0]["architecture"], "sm_75");
    EXPECT_EQ(result.out.find("sm_80"), std::string::npos);
    EXPECT_TRUE(result.says("interrupted; the finished part is shown")) << result.err;
    EXPECT_FALSE(result.says("nvcc failed")) << result.err;
    EXPECT_TRUE(run.left_nothing());
    EXPECT_EQ(run.started(), "sm_75\nsm_80\n");  // no compiler was started afterwards
}

// With a cache each compile begins with the preprocessor; the script waits there, too.
TEST_P(interrupt, while_preprocessing_no_compile_is_started)
{
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"inspect", source, "--format", "json"},
          {"check", source, "--budget", repository_file("examples/launchbox.budget.toml")}}) {
        interrupted_run run(words, true);
        const call result = run.interrupt(GetParam());
        EXPECT_EQ(result.status, 4) << words[0] << ": " << result.err;
        EXPECT_FALSE(result.says("nvcc failed")) << result.err;
        EXPECT_TRUE(run.left_nothing());
        EXPECT_EQ(lines_of(run.started()).size(), 1u) << run.started();
    }
}

TEST_P(interrupt, occupancy_and_suggest_show_finished_results)
{
    for (const char* verb : {"occupancy", "suggest"}) {
        std::vector<std::string> words{verb, source, "--format", "json"};
        if (std::string(verb) == "occupancy") words.insert(words.end(), {"--threads", "256"});
        interrupted_run run(words);
        const call result = run.interrupt(GetParam());
        EXPECT_EQ(result.status, 4) << verb << result.err;
        ASSERT_NE(result.out, "") << verb << result.err;
        EXPECT_FALSE(result.json()["results"].empty());
        EXPECT_TRUE(run.left_nothing());
    }
}

INSTANTIATE_TEST_SUITE_P(by, interrupt, testing::Values(SIGINT, SIGTERM),
                         [](const auto& entry) { return entry.param == SIGINT ? "SIGINT" : "SIGTERM"; });

}  // namespace
}  // namespace launchbox
