// Help, completion and manual pages.
#include <fstream>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

std::string written(const temporary_directory& folder, const std::string& name, const std::string& text)
{
    std::string file = (folder.path() / name).string();
    write_file_atomically(file, text);
    return file;
}

// Bash's completions of the last of these words, in the order of the script; `words` as a shell has split them.
std::vector<std::string> offered(const std::vector<std::string>& words)
{
    const temporary_directory folder;
    std::string script = launchbox_run({"completion", "bash"}).out + "launchbox() { \"" LAUNCHBOX_TOOL "\" \"$@\"; }\n";
    script += "COMP_WORDS=(launchbox";
    for (const std::string& word : words) script += " '" + word + "'";
    script += "); COMP_CWORD=" + std::to_string(words.size()) +
              "; _launchbox; for word in \"${COMPREPLY[@]}\"; do printf '%s\\n' \"$word\"; done\n";
    return lines_of(run({"bash", written(folder, "completion.sh", script)}).output);
}

using words = std::vector<std::string>;

TEST(shell, help_completion_and_man_are_generated_from_the_options)
{
    EXPECT_EQ(launchbox_run({"help", "inspect"}).out, launchbox_run({"inspect", "--help"}).out);
    EXPECT_EQ(launchbox_run({"help"}).out, launchbox_run({"--help"}).out);
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const call result = launchbox_run({"completion", shell});
        EXPECT_EQ(result.status, 0);
        for (const char* word : {"stack-reserve", "occupancy", "before-linking"})
            EXPECT_TRUE(result.shows(word)) << shell;
    }
    const temporary_directory folder;
    const std::string script =
        written(folder, "completion.sh",
                launchbox_run({"completion", "bash"}).out +
                    "COMP_WORDS=(launchbox inspect --before); COMP_CWORD=2; _launchbox; echo \"${COMPREPLY[@]}\"\n");
    EXPECT_EQ(run({"bash", script}).output, "--before-linking\n");
    const call page = launchbox_run({"man", "inspect"});
    EXPECT_TRUE(page.out.starts_with(".TH \"launchbox\\-inspect\" 1")) << page.out.substr(0, 80);
    EXPECT_TRUE(page.shows("\\-\\-before\\-linking"));
    expect_refused(launchbox_run({"man", "nothing"}), "unknown command 'nothing'");
}

TEST(shell, values_of_options_are_completed)
{
    EXPECT_EQ(offered({"inspect", "--format", "j"}), (words{"json", "jsonl"}));
    EXPECT_EQ(offered({"occupancy", "--format", ""}), (words{"table", "json", "csv", "markdown"}));
    EXPECT_EQ(offered({"occupancy", "--format", "=", "c"}), words{"csv"});
    EXPECT_EQ(offered({"occupancy", "--format", "="}), (words{"table", "json", "csv", "markdown"}));
    EXPECT_EQ(offered({"suggest", "--ties", "b"}), words{"balanced"});
    EXPECT_EQ(offered({"occupancy", "--arch", "sm_3"}), (words{"sm_30", "sm_32", "sm_35", "sm_37"}));
    EXPECT_EQ(offered({"occupancy", "-a", "sm_90,sm_2"}), (words{"sm_90,sm_20", "sm_90,sm_21"}));
    EXPECT_EQ(offered({"bounds", "--arch", "al"}), words{"all"});
    const words gpus = offered({"bounds", "--arch", "RTX 50"});
    EXPECT_NE(std::ranges::find(gpus, "RTX 5090"), gpus.end());
    EXPECT_EQ(offered({"completion", "f"}), words{"fish"});
    EXPECT_EQ(offered({"man", "occ"}), words{"occupancy"});
    EXPECT_EQ(offered({"help", "occ"}), words{"occupancy"});
    EXPECT_EQ(offered({"occ"}), words{"occupancy"});
    EXPECT_EQ(offered({"inspect", repository_file("examples/mer")}), words{repository_file("examples/merge.cu")});
    EXPECT_EQ(offered({"occupancy", "--arch", "gfx"}), words{});
}

TEST(shell, kernels_of_the_files_are_completed)
{
    const temporary_directory folder;
    const std::string source =
        written(folder, "k.cu",
                "namespace a { __global__ void scale(float* p) { *p = 1; } }\n"
                "template <int N> __global__ void __launch_bounds__(N) copy(int* p) { *p = N; }\n"
                "__device__ int helper() { return 1; }\n// __global__ void no() {}\n"
                "#define BOUNDS(n) __launch_bounds__(n)\n"
                "__global__ void BOUNDS(64) bounded(int* p) { *p = 1; }\n");
    EXPECT_EQ(offered({"inspect", source, "--kernel", ""}), (words{"a::scale", "bounded", "copy<*"}));
    EXPECT_EQ(offered({"inspect", source, "-k", "co"}), words{"copy<*"});
    EXPECT_EQ(offered({"inspect", folder.path().string(), "-k", "co"}), words{"copy<*"});
    EXPECT_EQ(offered({"inspect", "missing.cu", "-k", "c"}), words{});
    const words of_log = offered({"inspect", log_90, "--kernel", ""});
    EXPECT_FALSE(of_log.empty());
    for (const std::string& name : of_log)
        EXPECT_EQ(launchbox_run({"inspect", log_90, "--kernel", name}).status, 0) << name;

    const call none = launchbox_run({"completion", "kernels", "missing.cu", "/", "README.md"});
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.out + none.err, "");
}

// Names come from untrusted files: bash must not execute them.
TEST(shell, a_kernel_named_like_a_command_is_not_executed)
{
    const temporary_directory folder;
    const std::string ran = (folder.path() / "ran").string();
    const std::string log =
        written(folder, "k.log",
                "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function '$(touch${IFS}" + ran +
                    ")`touch " + ran + "`' for 'sm_90'\n" +
                    "ptxas info    : Function properties for x\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes "
                    "spill loads\nptxas info    : Used 8 registers, 360 bytes cmem[0]\n");
    const words names = offered({"inspect", log, "--kernel", ""});
    ASSERT_EQ(names.size(), 1u);
    EXPECT_TRUE(names[0].starts_with("$(touch")) << names[0];
    EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST(shell, manual_pages_list_the_options_of_a_verb)
{
    const auto synopsis = [](const std::string& verb) {
        const std::vector<std::string> lines = lines_of(launchbox_run({"man", verb}).out);
        return *(std::ranges::find(lines, ".SH SYNOPSIS") + 1);
    };
    EXPECT_TRUE(synopsis("tune").ends_with("[\\fIoptions\\fR] [\\fISPEC\\fR]")) << synopsis("tune");
    EXPECT_TRUE(synopsis("inspect").ends_with(" \\fIFILE\\fR...")) << synopsis("inspect");
    EXPECT_TRUE(synopsis("occupancy").ends_with(" [\\fIFILE\\fR...]")) << synopsis("occupancy");
    EXPECT_TRUE(synopsis("bounds").ends_with(" [\\fIFILE\\fR]")) << synopsis("bounds");
    EXPECT_TRUE(synopsis("capture").ends_with(" [\\fIPROGRAM\\fR...]")) << synopsis("capture");
    EXPECT_TRUE(synopsis("devices").ends_with("[\\fIoptions\\fR]")) << synopsis("devices");
    EXPECT_TRUE(synopsis("completion").ends_with(" \\fISHELL\\fR [\\fIFILE\\fR...]")) << synopsis("completion");
}

TEST(shell, all_manual_pages_are_written_into_a_folder)
{
    const temporary_directory folder;
    EXPECT_EQ(launchbox_run({"man", "--folder", folder.path().string()}).status, 0);
    for (const char* verb : {"inspect", "tune", "bench-search", "completion", "man"}) {
        std::ifstream page(folder.path() / ("launchbox-" + std::string(verb) + ".1"));
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(page), {}), launchbox_run({"man", verb}).out);
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "launchbox.1"));
    expect_refused(launchbox_run({"man", "--folder", (folder.path() / "none").string()}), "is not a folder");
}

}  // namespace
}  // namespace launchbox
