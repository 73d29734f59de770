// Compilers that hang, die and print false messages, imitated by a script called nvcc.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "kernel_specs.hpp"
#include "launchbox/sm_limits.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/build/compile_endings.hpp"
#include "tune/build/kernel_builder.hpp"

using namespace launchbox;
using namespace launchbox::testing_specs;
namespace fs = std::filesystem;

namespace {

// The kernel's name says what it does; the name is in its last argument, the unit.
constexpr const char* script = R"BASH(#!/bin/bash
case "$*" in
    *--version*) release="$(cat "$(dirname "$0")/release" 2> /dev/null || echo 13.0)"
                 echo "Cuda compilation tools, release $release, V$release.88"; exit 0 ;;
    *--dryrun*) exit 0 ;;
esac
unit="${@: -1}"
folder="$(dirname "$0")"
kernel="$(sed -n -e 's/.*launchbox_marker<&\(.*\)>();/\1/p' -e 's/.*= &\(.*\);/\1/p' "$unit")"
case "$*" in
    *apply-controls=*) words="$*"; kernel="${words#*apply-controls=}"; kernel="${kernel%%.acf*}" ;;
esac
echo "$kernel" >> "$folder/calls"
previous=""
for word in "$@"; do
    [ "$previous" = -o ] && output="$word"
    previous="$word"
done
case "$kernel" in
    hang*) sleep 1000 & wait ;;
    swallow) text="$(head -c 3000000000 /dev/zero | tr '\0' x)"; exit 0 ;;
    die) kill -SEGV $$ ;;
    die_once) [ "$(grep -c die_once "$folder/calls")" = 1 ] && kill -SEGV $$ ;;
    cicc) echo "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)"; exit 11 ;;
    shell) exit 134 ;;
    killed) kill -KILL $$ ;;
    says_it_died) echo "nvcc error   : 'cicc' died due to signal 9 (Kill signal)" ;;
    says_memory*) echo "cc1plus: out of memory allocating 8 bytes; std::bad_alloc; Cannot allocate memory" ;;
    says_disk*) echo "as: k.o: No space left on device" ;;
    kill_worker) kill -ABRT $PPID; sleep 1000 & wait ;;
    lie) head -c 3000 /bin/bash; head -c 5000 /bin/bash > "$output"; exit 0 ;;
    nothing) exit 0 ;;
    status*) echo "ptxas k.ptx, line 7; error   : $kernel is no instruction"
             echo "ptxas k.ptx, line 9; error   : nor is that"
             echo "ptxas fatal   : Ptx assembly aborted due to errors"; exit "${kernel#status_}" ;;
    silent*) exit "${kernel#silent_}" ;;
esac
echo "k.cu(1): error: $kernel is refused"
exit 2
)BASH";

class CompileFaults : public testing::Test {
protected:
    void SetUp() override
    {
        write_file_atomically(folder_.path() / "nvcc", script);
        fs::permissions(folder_.path() / "nvcc", fs::perms::owner_all);
        write_file_atomically(folder_.path() / "k.cu", "// whatever\n");
        spec_ = spec_of(folder_.path(), "k.cu", "{kernel}");
        spec_.kernel->compile_memory_bytes = std::int64_t{1} << 30;
    }
    [[nodiscard]] builder_options options(unsigned jobs = 2) const
    {
        return {.compiler = "nvcc",
                .nvcc = (folder_.path() / "nvcc").string(),
                .cache_folder = folder_.path() / "cache",
                .jobs = jobs};
    }
    [[nodiscard]] static build_result build(kernel_builder& builder, const std::string& kernel)
    {
        return builder.build(values_of({{"kernel", kernel}}), sm_90.capability);
    }
    [[nodiscard]] std::ptrdiff_t calls_of(const std::string& kernel) const
    {
        const std::string calls = "\n" + read_input((folder_.path() / "calls").string());
        std::ptrdiff_t count = 0;
        for (std::size_t at = 0; (at = calls.find("\n" + kernel + "\n", at)) != std::string::npos; ++at) ++count;
        return count;
    }

    temporary_directory folder_;
    tune_spec spec_;
};

TEST_F(CompileFaults, one_that_hangs_is_stopped_and_the_others_finish)
{
    spec_.kernel->compile_seconds = 5;
    kernel_builder builder(spec_, options());
    const std::vector<std::string> kernels{"hang_1", "a", "b", "hang_2", "c", "d", "e", "f"};
    std::vector<build_result> results(kernels.size());
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < kernels.size(); ++i)
            threads.emplace_back([&, i] { results[i] = build(builder, kernels[i]); });
    }
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const bool hangs = kernels[i].starts_with("hang");
        EXPECT_EQ(results[i].build.status, hangs ? build_status::compile_timeout : build_status::compile_error);
        EXPECT_EQ(results[i].build.reason,
                  hangs ? "the compiler did not end within 5 s" : "k.cu(1): " + kernels[i] + " is refused");
        EXPECT_EQ(calls_of(kernels[i]), 1) << kernels[i];
    }
    EXPECT_EQ(builder.compiles(), kernels.size());
    EXPECT_GE(builder.compile_seconds(), 10);
}

TEST_F(CompileFaults, one_that_exhausts_memory_is_stopped)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "memory is not limited under the address sanitizer";
#endif
    kernel_builder builder(spec_, options());
    const build_result result = build(builder, "swallow");
    EXPECT_EQ(result.build.status, build_status::compile_timeout);
    EXPECT_EQ(result.build.reason, "the compiler took more than 1 GiB of memory") << result.build.log;
    EXPECT_EQ(build(builder, "a").build.reason, "k.cu(1): a is refused");
}

TEST_F(CompileFaults, one_that_dies_is_tried_once_more)
{
    kernel_builder builder(spec_, options(1));
    const build_result dead = build(builder, "die");
    EXPECT_EQ(dead.build.status, build_status::compile_error);
    EXPECT_EQ(dead.build.reason, "the compiler died: killed by signal 11 (Segmentation fault), twice");
    EXPECT_EQ(calls_of("die"), 2);
    EXPECT_EQ(build(builder, "die_once").build.reason, "k.cu(1): die_once is refused");
    EXPECT_EQ(calls_of("die_once"), 2);
    EXPECT_EQ(build(builder, "cicc").build.reason,
              "the compiler died: killed by signal 11 (Segmentation fault), twice");
    EXPECT_EQ(build(builder, "shell").build.reason, "the compiler died: killed by signal 6 (Aborted), twice");
}

TEST_F(CompileFaults, an_exit_status_is_not_a_signal)
{
    // nvcc returns the status of the program that failed: for ptxas this is 255 after any error.
    kernel_builder builder(spec_, options(1));
    for (const std::string status : {"1", "2", "128", "160", "200", "254", "255"}) {
        const build_result refused = build(builder, "status_" + status);
        EXPECT_EQ(refused.build.status, build_status::compile_error);
        EXPECT_EQ(refused.build.reason, "k.ptx(7): status_" + status + " is no instruction");
        EXPECT_EQ(refused.build.machine_failure, "");
        EXPECT_EQ(calls_of("status_" + status), 1);
        EXPECT_EQ(build(builder, "silent_" + status).build.reason, "nvcc 13.0.88: ended with exit status " + status);
        EXPECT_EQ(calls_of("silent_" + status), 1);
    }
}

// A source may print such messages while it is compiled (#pragma message, #warning, a static_assert). They are not
// trusted: it is a compile error of the candidate, which is stored, and the machine does not lack anything.
TEST_F(CompileFaults, output_of_a_compiler_is_not_trusted)
{
    kernel_builder builder(spec_, options(1));
    for (const char* kernel : {"says_it_died", "says_memory_is_short", "says_disk_is_full"}) {
        const build_result result = build(builder, kernel);
        EXPECT_EQ(result.build.status, build_status::compile_error) << kernel;
        EXPECT_EQ(result.build.reason.find("the compiler "), std::string::npos) << result.build.reason;
        EXPECT_NE(result.build.log.find(std::string(kernel) + " is refused"), std::string::npos);
        EXPECT_EQ(result.build.machine_failure, "") << kernel;
        EXPECT_EQ(calls_of(kernel), 1) << kernel;
    }
}

// SIGKILL comes from outside, usually because memory is short: the candidate is tried again another time.
TEST_F(CompileFaults, one_that_is_killed_from_outside_counts_as_a_failure_of_the_machine)
{
    kernel_builder builder(spec_, options(1));
    const build_result killed = build(builder, "killed");
    EXPECT_EQ(killed.build.status, build_status::compile_error);
    EXPECT_EQ(killed.build.machine_failure, "the compiler died: killed by signal 9 (Killed)");
    const auto calls = calls_of("killed");
    (void)build(builder, "killed");
    EXPECT_GT(calls_of("killed"), calls) << "it may be gone";
}

// Our temporary folder was removed, as cleaners on other hosts have done: not the candidate's fault.
TEST_F(CompileFaults, a_removed_folder_counts_as_a_failure_of_the_machine)
{
    write_file_atomically(folder_.path() / "worker", R"BASH(#!/bin/bash
while read -r line; do
    outputs="${line##*\"outputs\":\"}"
    rm -rf "${outputs%%\"*}"
    echo '{"exit_code":0,"made":true}'
done
)BASH");
    fs::permissions(folder_.path() / "worker", fs::perms::owner_all);
    builder_options swept = options();
    swept.worker_program = (folder_.path() / "worker").string();
    kernel_builder builder(spec_, swept);
    const build_result result = build(builder, "a");
    EXPECT_EQ(result.build.status, build_status::compile_error);
    EXPECT_NE(result.build.machine_failure, "") << result.build.reason;
}

// Each affects only its own candidates; those without it, and with others, are built.
TEST_F(CompileFaults, a_control_file_that_crashes_or_hangs_the_compiler_only_fails_its_candidates)
{
    write_file_atomically(folder_.path() / "release", "13.3");
    for (const char* name : {"die", "hang_1", "good"})
        write_file_atomically(folder_.path() / (name + std::string(".acf")), name);
    spec_.kernel->compile_seconds = 5;
    spec_.kernel->flags = {"-Xptxas=--apply-controls={controls}"};
    kernel_builder builder(spec_, options());
    const auto build_with = [&](const std::string& controls) {
        return builder.build(values_of({{"kernel", std::string("a")}, {"controls", controls}}), sm_90.capability);
    };
    EXPECT_EQ(build_with("die.acf").build.reason, "the compiler died: killed by signal 11 (Segmentation fault), twice");
    EXPECT_EQ(build_with("hang_1.acf").build.reason, "the compiler did not end within 5 s");
    EXPECT_EQ(build_with("hang_1.acf").build.status, build_status::compile_timeout);
    EXPECT_EQ(build_with("good.acf").build.reason, "k.cu(1): good is refused");
    EXPECT_EQ(build_with("").build.reason, "k.cu(1): a is refused") << "no option where the value is empty";
    // The content counts, not the name.
    const auto calls = calls_of("good");
    (void)build_with("good.acf");
    EXPECT_EQ(calls_of("good"), calls);
    write_file_atomically(folder_.path() / "good.acf", "something else");
    (void)build_with("good.acf");
    EXPECT_GT(calls_of("good"), calls);
}

TEST_F(CompileFaults, control_files_need_a_compiler_that_knows_them)
{
    spec_.kernel->flags = {"-Xptxas", "--apply-controls={controls}"};
    try {
        kernel_builder builder(spec_, options());
        FAIL();
    } catch (const error& old) {
        EXPECT_STREQ(old.what(),
                     "[kernel] flags: --apply-controls={controls} needs the compilers of CUDA 13.3 or "
                     "later, and this is nvcc 13.0.88");
        EXPECT_EQ(old.status(), exit_status::missing);
    }
    for (const char* release : {"13.3", "13.10", "14.0"}) {
        write_file_atomically(folder_.path() / "release", release);
        EXPECT_NO_THROW(kernel_builder(spec_, options())) << release;
    }
}

TEST(compile_endings, have_readable_sizes)
{
    EXPECT_EQ(timeout_reason(300), "the compiler did not end within 300 s");
    EXPECT_EQ(timeout_reason(0.5), "the compiler did not end within 0.5 s");
    EXPECT_EQ(memory_reason(std::int64_t{8} << 30), "the compiler took more than 8 GiB of memory");
    EXPECT_EQ(memory_reason(std::int64_t{1536} << 20), "the compiler took more than 1.5 GiB of memory");
    EXPECT_EQ(memory_reason(std::int64_t{300} << 20), "the compiler took more than 300 MiB of memory");
}

}  // namespace
