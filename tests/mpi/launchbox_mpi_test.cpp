// launchbox-mpi under mpirun, on doubles of GPUs, with ranks that are killed and stopped.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "candidates.hpp"
#include "scale.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class launchbox_mpi_test : public ::testing::Test {
protected:
    temporary_directory folder;
    fs::path here = folder.path();
    json plan;

    void SetUp() override
    {
        NEEDS_NVCC();
#if defined(__SANITIZE_ADDRESS__)
        // Open MPI unloads its components, after which their leaks have no names, so they cannot be suppressed one by
        // one.
        ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 1);
#endif
        plan = candidates_in(here, is_exhaustive() ? 16 : 3);
        set_gpus(8);
    }

    void set_gpus(int count)
    {
        plan["devices"] = json::array();
        for (int i = 0; i < count; ++i) plan["devices"].push_back({{"name", "Double"}, {"memory_bytes", 64 << 20}});
    }

    // The first worker that runs this kernel has the fault.
    void fault_once(const char* kernel, const char* action)
    {
        plan["faults"] = {{{"match", kernel}, {"stage", "first_launch"}, {"action", action}, {"times", 1}}};
    }

    struct mpi_result {
        int status = 0;
        std::string text;
        [[nodiscard]] bool says(const std::string& words) const { return text.find(words) != std::string::npos; }
    };

    [[nodiscard]] mpi_result start(std::vector<std::string> words, const std::vector<std::string>& more = {}) const
    {
        write_file_atomically(here / "plan.json", plan.dump());
        // As root, as in a container, mpirun requires this option.
        words.insert(words.begin(), {LAUNCHBOX_MPIRUN, "--allow-run-as-root", "--oversubscribe"});
        std::vector<std::string> environment{"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER,
                                             "FAKE_GPU_PLAN=" + (here / "plan.json").string(),
                                             "LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE, "NO_COLOR=1"};
        environment.insert(environment.end(), more.begin(), more.end());
        const subprocess_result ran = run(words, {.directory = here, .environment = environment, .time_limit = 240});
        EXPECT_FALSE(ran.timed_out) << ran.output;
        return {ran.exit_code, ran.output};
    }

    [[nodiscard]] mpi_result tune(int ranks, const std::string& store, const std::vector<std::string>& of_mpirun = {},
                                  const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> words = of_mpirun;
        words.insert(words.end(),
                     {"-n", std::to_string(ranks), LAUNCHBOX_MPI, "tune", "candidates.toml", "--store", store});
        words.insert(words.end(), more.begin(), more.end());
        return start(words);
    }

    [[nodiscard]] json report(const std::string& store) const
    {
        const call shown = launchbox_run({"results", (here / store).string(), "--format", "json", "--samples"});
        EXPECT_EQ(shown.status, 0) << shown.err;
        return shown.json();
    }

    // The double's result for each candidate, which is the same in every run.
    static std::map<std::string, std::string> outcomes(const json& report)
    {
        std::map<std::string, std::string> all;
        for (const json& each : report.at("candidates"))
            all[each.at("parameters").dump()] = each.at("status").dump() + each.at("samples_ns").dump() +
                                                each.at("checksum").dump() + each.at("resources").dump();
        return all;
    }

    [[nodiscard]] std::map<std::string, std::string> of_one_process() const
    {
        write_file_atomically(here / "plan.json", plan.dump());
        const call alone = launchbox_run(
            {"tune", (here / "candidates.toml").string(), "--store", (here / "alone.db").string(), "--gpu", "0"}, {},
            {"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER, "FAKE_GPU_PLAN=" + (here / "plan.json").string(),
             "LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE});
        EXPECT_EQ(alone.status, 0) << alone.err;
        return outcomes(report("alone.db"));
    }
};

}  // namespace

TEST_F(launchbox_mpi_test, the_results_equal_those_of_one_process)
{
    const auto alone = of_one_process();
    ASSERT_EQ(alone.size(), is_exhaustive() ? 200u : 57u);
    for (int ranks = 2; ranks <= 8; ranks += is_exhaustive() ? 1 : 3) {
        const std::string store = std::to_string(ranks) + ".db";
        const mpi_result ran = tune(ranks, store);
        ASSERT_EQ(ran.status, 0) << ran.text;
        EXPECT_EQ(outcomes(report(store)), alone) << ranks;
        // Rank 0 measures, too, while there are spare GPUs.
        EXPECT_EQ(report(store).at("devices").size(), static_cast<std::size_t>(ranks));
    }
}

TEST_F(launchbox_mpi_test, a_rank_that_is_killed_is_named_and_its_candidate_is_measured_elsewhere)
{
    const auto alone = of_one_process();
    set_gpus(3);  // none for rank 0, which must not be killed
    fault_once("candidateILi7E", "kill_parent");
    // Rank 0 notices the end of a process on its own machine without waiting for the timeout.
    const mpi_result ran = tune(4, "killed.db", {"--enable-recovery"}, {"--rank-timeout", "200"});
    EXPECT_TRUE(ran.says("is left out: its process has ended")) << ran.text;
    const json shown = report("killed.db");
    EXPECT_EQ(outcomes(shown), alone) << ran.text;
    int lost = 0;
    for (const json& device : shown.at("devices")) lost += device.at("lost").get<std::string>().empty() ? 0 : 1;
    EXPECT_EQ(lost, 1);
}

TEST_F(launchbox_mpi_test, a_rank_that_is_stopped_is_named_and_its_candidate_is_measured_elsewhere)
{
    const auto alone = of_one_process();
    set_gpus(3);  // as above
    fault_once("candidateILi7E", "stop_parent");
    const mpi_result ran = tune(4, "stopped.db", {}, {"--rank-timeout", "6"});
    EXPECT_TRUE(ran.says("is left out: it has not answered for 6 s")) << ran.text;
    EXPECT_EQ(outcomes(report("stopped.db")), alone) << ran.text;
}

// Also over shared memory, which the user may choose; in that case without the kernel's copies between processes, with
// which rank 0 reads the rest itself.
TEST_F(launchbox_mpi_test, half_a_message_of_one_rank_does_not_block_those_of_others)
{
    const std::vector<std::string> shared{"OMPI_MCA_btl=self,vader", "OMPI_MCA_btl_vader_single_copy_mechanism=none"};
    for (const std::vector<std::string>& transport : {std::vector<std::string>{}, shared}) {
        const mpi_result ran = start({"-n", "3", LAUNCHBOX_HALF_MESSAGE}, transport);
        EXPECT_TRUE(ran.says("heard 300 of 300")) << ran.text;
    }
}

TEST_F(launchbox_mpi_test, ranks_of_one_host_use_tcp_unless_the_user_chooses)
{
    // The components that MPI has loaded, as it prints them.
    const std::vector<std::string> words{"-n",      "2",    LAUNCHBOX_MPI, "tune", "candidates.toml",
                                         "--store", "x.db", "--budget",    "1"};
    const mpi_result usual = start(words, {"OMPI_MCA_btl_base_verbose=20"});
    EXPECT_EQ(usual.status, 0) << usual.text;
    EXPECT_TRUE(usual.says("init of component tcp returned success")) << usual.text;
    EXPECT_TRUE(usual.says("Using interface: lo")) << usual.text;
    EXPECT_FALSE(usual.says("component vader")) << usual.text;
    const mpi_result chosen = start(words, {"OMPI_MCA_btl_base_verbose=20", "OMPI_MCA_btl=self,vader"});
    EXPECT_EQ(chosen.status, 0) << chosen.text;
    EXPECT_TRUE(chosen.says("init of component vader returned success")) << chosen.text;
    EXPECT_FALSE(chosen.says("component tcp")) << chosen.text;
}

TEST_F(launchbox_mpi_test, without_recovery_mpirun_ends_all_and_the_same_command_continues_with_fewer_ranks)
{
    const auto alone = of_one_process();
    fault_once("candidateILi7E", "kill_parent");
    const mpi_result first = tune(4, "again.db");
    EXPECT_NE(first.status, 0) << first.text;
    // Rank 0 notices at once that a process has ended, and the others may have done its work before mpirun ends them.
    EXPECT_GT(outcomes(report("again.db")).size(), 0u);
    const mpi_result again = tune(3, "again.db");
    EXPECT_EQ(again.status, 0) << again.text;
    EXPECT_EQ(outcomes(report("again.db")), alone);
}

TEST_F(launchbox_mpi_test, a_worker_that_dies_is_restarted_and_its_rank_continues)
{
    const auto alone = of_one_process();
    fault_once("candidateILi7E", "kill");
    const mpi_result ran = tune(3, "worker.db");
    EXPECT_EQ(ran.status, 0) << ran.text;
    EXPECT_EQ(outcomes(report("worker.db")), alone);
    EXPECT_FALSE(ran.says("left out")) << ran.text;
}

TEST_F(launchbox_mpi_test, gpus_of_two_models_are_tuned_concurrently_and_kept_apart)
{
    plan["devices"] = {{{"name", "Double"}, {"memory_bytes", 64 << 20}},
                       {{"name", "Other"}, {"memory_bytes", 64 << 20}, {"sms", 78}}};
    const mpi_result ran = tune(3, "models.db", {}, {"--budget", "20", "--strategy", "random"});
    EXPECT_EQ(ran.status, 0) << ran.text;
    const json shown = report("models.db");
    ASSERT_EQ(shown.at("runs").size(), 2u);
    for (const int run : {0, 1}) {
        int measured = 0;
        for (const json& each : shown.at("candidates"))
            measured += each.at("run") == run && each.at("status") == "measured" ? 1 : 0;
        EXPECT_EQ(measured, 20) << run;
    }
}

TEST_F(launchbox_mpi_test, errors_are_reported_before_work_starts)
{
    set_gpus(1);
    const std::vector<std::pair<mpi_result, std::string>> all{
        {tune(1, "x.db"), "there is only one rank"},
        {tune(3, "x.db"), "rank 2 has no GPU of its own"},
        {tune(3, "x.db"), "GPU 0 belongs to rank 1"},
        {tune(2, "x.db", {}, {"--replay", "a.json"}), "--replay does not measure"},
        {tune(2, "x.db", {}, {"--build-only"}), "work on one machine"},
        {tune(2, "x.db", {}, {"--rank-timeout", "1"}), "--rank-timeout"},
        {tune(2, "x.db", {}, {"--compile-ranks", "-1"}), "--compile-ranks"},
        {tune(2, "no_such_folder/x.db"), "no_such_folder/x.db"},
    };
    for (const auto& [ran, words] : all) {
        EXPECT_EQ(ran.status, 2) << ran.text;
        EXPECT_TRUE(ran.says(words)) << ran.text;
    }
    EXPECT_FALSE(fs::exists(here / "x.db"));
    set_gpus(0);
    const mpi_result none = tune(2, "x.db");
    EXPECT_EQ(none.status, 3);
    EXPECT_TRUE(none.says("no rank has a GPU")) << none.text;
}

TEST_F(launchbox_mpi_test, a_store_that_is_not_a_file_is_refused_and_unchanged)
{
    // A device like /dev/null, where we may create it; otherwise a pipe.
    const fs::path device = here / "device";
    if (::mknod(device.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0) {
        ASSERT_EQ(::mkfifo(device.c_str(), 0600), 0);
    }
    const fs::file_type before = fs::status(device).type();
    const mpi_result ran = tune(2, "device");
    EXPECT_EQ(ran.status, 2) << ran.text;
    EXPECT_TRUE(ran.says("device is not a file")) << ran.text;
    EXPECT_EQ(fs::status(device).type(), before);
    for (const char* suffix : {"-wal", "-shm", "-journal"}) EXPECT_FALSE(fs::exists(device.string() + suffix));
}

TEST_F(launchbox_mpi_test, a_rank_of_another_release_is_named)
{
    const std::vector<std::string> words{"tune", "candidates.toml", "--store", "x.db"};
    std::vector<std::string> both{"-n", "2", LAUNCHBOX_MPI};
    both.insert(both.end(), words.begin(), words.end());
    both.insert(both.end(), {":", "-n", "1", LAUNCHBOX_MPI_OTHER});
    both.insert(both.end(), words.begin(), words.end());
    const mpi_result ran = start(both);
    EXPECT_EQ(ran.status, 2) << ran.text;
    EXPECT_TRUE(ran.says("runs launchbox 99.1, and rank 0")) << ran.text;
    EXPECT_FALSE(fs::exists(here / "x.db"));
}

TEST_F(launchbox_mpi_test, ranks_with_another_toolkit_are_named_and_kept_apart)
{
    const std::vector<std::string> words{"tune", "candidates.toml", "--store", "x.db", "--budget", "4"};
    std::vector<std::string> both{"-n", "2", LAUNCHBOX_MPI};
    both.insert(both.end(), words.begin(), words.end());
    both.insert(both.end(), {":", "-n", "1", LAUNCHBOX_MPI});
    both.insert(both.end(), words.begin(), words.end());
    both.insert(both.end(), {"--compiler", "nvcc"});
    set_gpus(2);
    const mpi_result ran = start(both);
    EXPECT_EQ(ran.status, 0) << ran.text;
    EXPECT_TRUE(ran.says("their results are kept apart")) << ran.text;
    EXPECT_EQ(report("x.db").at("runs").size(), 2U);
}

TEST_F(launchbox_mpi_test, without_open_mpi_it_says_so_and_still_shows_its_help)
{
    const auto without = [&](const std::vector<std::string>& words) {
        return run(words, {.directory = here, .environment = {"LD_PRELOAD=" LAUNCHBOX_NO_MPI}});
    };
    const subprocess_result ran = without({LAUNCHBOX_MPI, "tune", "candidates.toml"});
    EXPECT_EQ(ran.exit_code, 3) << ran.output;
    EXPECT_NE(ran.output.find("Open MPI (libmpi.so.40) is not installed here"), std::string::npos) << ran.output;
    EXPECT_NE(ran.output.find("apt-get install openmpi-bin"), std::string::npos) << ran.output;
    EXPECT_EQ(without({LAUNCHBOX_MPI, "tune", "--help"}).exit_code, 0);
}

TEST_F(launchbox_mpi_test, ranks_without_a_gpu_compile_for_the_others)
{
    const auto alone = of_one_process();
    set_gpus(2);
    const mpi_result refused = tune(5, "compile.db");
    EXPECT_EQ(refused.status, 2) << refused.text;
    EXPECT_TRUE(refused.says("--compile-ranks 2")) << refused.text;
    const mpi_result ran = tune(5, "compile.db", {}, {"--compile-ranks", "2"});
    EXPECT_EQ(ran.status, 0) << ran.text;
    const json shown = report("compile.db");
    EXPECT_EQ(outcomes(shown), alone);
    EXPECT_EQ(shown.at("devices").size(), 2U);
    // The rate and idle share of each GPU, and how the two compare.
    EXPECT_TRUE(ran.says("% idle")) << ran.text;
    EXPECT_TRUE(ran.says("2 GPUs timed the reference")) << ran.text;
}

TEST_F(launchbox_mpi_test, without_the_coordinator_the_others_end)
{
    // Rank 0 has its own plan, in which its worker kills it; the others must not wait for it forever.
    set_gpus(3);
    fault_once("candidateILi0E", "kill_parent");
    write_file_atomically(here / "first.json", plan.dump());
    plan.erase("faults");
    const std::string words_of_first = "FAKE_GPU_PLAN=" + (here / "first.json").string();
    const std::vector<std::string> words{LAUNCHBOX_MPI,    "tune", "candidates.toml", "--store", "x.db",
                                         "--rank-timeout", "2"};
    std::vector<std::string> both{"--enable-recovery", "-n", "1", "-x", words_of_first};
    both.insert(both.end(), words.begin(), words.end());
    both.insert(both.end(), {":", "-n", "2"});
    both.insert(both.end(), words.begin(), words.end());
    const mpi_result ran = start(both);  // with --enable-recovery, mpirun's own status says nothing
    EXPECT_TRUE(ran.says("rank 0 does not answer any more")) << ran.text;
}

TEST_F(launchbox_mpi_test, ranks_that_read_other_files_are_named)
{
    for (const char* each : {"a", "b"}) {
        fs::create_directory(here / each);
        for (const char* file : {"candidates.cu", "candidates.toml"}) fs::copy_file(here / file, here / each / file);
    }
    write_file_atomically(here / "b" / "candidates.cu", read_input((here / "candidates.cu").string()) + "// changed\n");
    const std::vector<std::string> words{LAUNCHBOX_MPI, "tune", "candidates.toml", "--store", (here / "x.db").string()};
    std::vector<std::string> both{"-n", "2", "-wdir", (here / "a").string()};
    both.insert(both.end(), words.begin(), words.end());
    both.insert(both.end(), {":", "-n", "1", "-wdir", (here / "b").string()});
    both.insert(both.end(), words.begin(), words.end());
    const mpi_result ran = start(both);
    EXPECT_EQ(ran.status, 2) << ran.text;
    EXPECT_TRUE(ran.says("have different sources beside the same spec")) << ran.text;
}

TEST_F(launchbox_mpi_test, a_store_on_a_file_system_without_locks_is_named)
{
    std::vector<std::string> words{
        "-x", "LD_PRELOAD=" LAUNCHBOX_NO_LOCKS, "-n", "2", LAUNCHBOX_MPI, "tune", "candidates.toml", "--store", "x.db"};
    const mpi_result ran = start(words);
    EXPECT_EQ(ran.status, 2) << ran.text;
    EXPECT_TRUE(ran.says("its file system has no locks")) << ran.text;
    EXPECT_TRUE(ran.says("--store /tmp/run.db")) << ran.text;
}

TEST_F(launchbox_mpi_test, only_tune_and_only_with_several_ranks)
{
    const subprocess_result help = run({LAUNCHBOX_MPI, "tune", "--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const char* words : {"--compile-ranks", "--rank-timeout", "--budget", "mpirun -n 9 launchbox-mpi tune"})
        EXPECT_NE(help.output.find(words), std::string::npos) << words;
    const subprocess_result other = run({LAUNCHBOX_MPI, "occupancy"});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_NE(other.output.find("unknown command"), std::string::npos) << other.output;
    EXPECT_EQ(run({LAUNCHBOX_MPI}).exit_code, 2);
}

// They are generated from the options, like the help: options that only launchbox-mpi has are in none of launchbox's.
TEST_F(launchbox_mpi_test, completion_and_manual_page_have_its_options)
{
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"man", "tune"}}) {
        std::vector<std::string> of_mpi{LAUNCHBOX_MPI}, of_tool{LAUNCHBOX_TOOL};
        of_mpi.insert(of_mpi.end(), words.begin(), words.end());
        of_tool.insert(of_tool.end(), words.begin(), words.end());
        const subprocess_result mpi = run(of_mpi), tool = run(of_tool);
        EXPECT_EQ(mpi.exit_code, 0) << words[0];
        const char* option = words[0] == "man" ? "compile\\-ranks" : "compile-ranks";
        EXPECT_NE(mpi.output.find(option), std::string::npos) << mpi.output;
        EXPECT_EQ(tool.output.find(option), std::string::npos) << words[1];
        EXPECT_NE(mpi.output.find(words[0] == "man" ? "launchbox\\-mpi" : "launchbox-mpi"), std::string::npos);
    }
    const subprocess_result bash = run({"bash", "-c",
                                        "source <(\"$0\" completion bash); COMP_WORDS=(launchbox-mpi tune --comp); "
                                        "COMP_CWORD=2; _launchbox_mpi; echo \"${COMPREPLY[*]}\"",
                                        LAUNCHBOX_MPI});
    EXPECT_NE(bash.output.find("--compile-ranks"), std::string::npos) << bash.output;
}

}  // namespace launchbox
