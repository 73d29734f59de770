// Every outcome at every stage, with the worker process and a double of the CUDA driver.
#include "tune/worker/gpu_worker.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include "on_fake_gpu.hpp"
#include "tune/types/objective.hpp"

namespace launchbox {
namespace {

using nlohmann::json;
using gpu_worker_test = on_fake_gpu;

TEST_F(gpu_worker_test, a_correct_kernel_is_measured)
{
    plan_["kernels"] = {{{"match", "copy"}, {"ns", 5000}}};
    gpu_worker& tried = worker();
    const measurement found = tried.measure(task(copy_256_4));
    EXPECT_EQ(found.status, outcome::measured) << found.reason;
    EXPECT_EQ(found.reason, "");
    EXPECT_TRUE(found.verified);
    EXPECT_FALSE(found.sticky);
    ASSERT_EQ(found.samples_ns.size(), 12u);
    for (const double sample : found.samples_ns) EXPECT_NEAR(sample, 5000, 51);
    EXPECT_EQ(found.checksum, checksum_text(checksum(content(input()))));
    EXPECT_EQ(tried.measure(task(copy_256_4)).samples_ns, found.samples_ns);
    EXPECT_EQ(tried.starts(), 1);
    EXPECT_GT(tried.process(), 0);
}

TEST_F(gpu_worker_test, sampling_ends_when_there_are_enough_and_slow_candidates_are_given_up)
{
    gpu_task adaptive = task();
    adaptive.samples = 0;
    const measurement enough = worker().measure(adaptive);
    EXPECT_GE(enough.samples_ns.size(), 10u);
    EXPECT_LT(enough.samples_ns.size(), 200u);
    EXPECT_FALSE(enough.stopped_early);
    adaptive.best_ns = 100;
    const measurement slow = worker().measure(adaptive);
    EXPECT_EQ(slow.status, outcome::measured);
    EXPECT_TRUE(slow.stopped_early);
    EXPECT_EQ(slow.samples_ns.size(), 1u) << "more than three times as long: the first sample is enough";
}

// Each part of the duration of a measurement is recorded next to the total.
TEST_F(gpu_worker_test, phases_are_parts_of_the_total)
{
    plan_["kernels"] = {{{"ns", 1'000'000}}};
    const measurement found = worker().measure(task());
    ASSERT_EQ(found.status, outcome::measured) << found.reason;
    ASSERT_TRUE(found.phases.has_value());
    double sum = 0;
    for (const auto& kind : phase_kinds) {
        if (kind.member == &phase_seconds::reference) continue;  // the worker does not wait for it
        EXPECT_GT(found.phases.value().*kind.member, 0) << kind.name;
        sum += found.phases.value().*kind.member;
    }
    EXPECT_LE(sum, found.seconds);
    fault({{"stage", "first_launch_runs"}, {"action", "wrong_one"}});
    const measurement wrong = worker().measure(task());
    ASSERT_TRUE(wrong.phases.has_value());
    EXPECT_GT(wrong.phases->verify, 0);
    EXPECT_EQ(wrong.phases->time, 0) << "what is wrong is not timed";
}

// In the final race a kernel is only loaded at its first turn, whatever runs between its turns; every launch is judged.
TEST_F(gpu_worker_test, repeated_tasks_are_loaded_once)
{
    fault({{"stage", "first_launch"}, {"action", "error"}, {"code", 701}, {"skip", 2}});
    gpu_worker& tried = worker();
    gpu_task one = task(), other = task(copy_256_4);
    std::filesystem::copy_file(one.cubin_file, path("other.cubin"));
    other.cubin_file = path("other.cubin");
    one.repeated = other.repeated = true;
    for (const int turn : {1, 2, 3})
        for (const gpu_task* each : {&one, &other}) {
            const measurement found = tried.measure(*each);
            EXPECT_EQ(found.status, outcome::measured) << turn << found.reason;
            EXPECT_EQ(found.samples_ns.size(), 12u);
            ASSERT_TRUE(found.phases.has_value());
            EXPECT_EQ(found.phases->verify > 0, turn == 1) << turn;
            EXPECT_EQ(found.phases->load > 0, turn == 1) << turn;
            EXPECT_TRUE(found.verified);
        }
    // A task that is not a turn starts over, and so does a turn after it.
    gpu_task again = one;
    again.repeated = false;
    EXPECT_EQ(tried.measure(again).status, outcome::launch_error);
    EXPECT_EQ(tried.measure(one).status, outcome::launch_error);
}

TEST_F(gpu_worker_test, outputs_are_saved)
{
    gpu_task saving = task();
    saving.expected.clear();
    saving.makes_reference = true;
    saving.save_outputs = {{"out", path("out.npy")}};
    gpu_worker& saved = worker();
    const measurement found = saved.measure(saving);
    EXPECT_EQ(found.status, outcome::measured) << found.reason;
    saved.measure(task());  // before this task starts, the file has been written
    EXPECT_EQ(read_input(path("out.npy")), read_input(path("expected.npy")));
}

TEST_F(gpu_worker_test, the_outputs_of_the_reference_stay_on_the_gpu)
{
    gpu_task reference = task();
    reference.expected.clear();
    reference.makes_reference = true;
    gpu_worker& tried = worker();
    const measurement made = tried.measure(reference);
    EXPECT_EQ(made.status, outcome::measured) << made.reason;

    gpu_task compared = task();
    compared.expected = {{"out", path("nowhere.npy")}};
    compared.reference = made.checksum;
    const measurement found = tried.measure(compared);
    EXPECT_EQ(found.status, outcome::measured) << found.reason;
    EXPECT_TRUE(found.verified);
    EXPECT_EQ(found.checksum, made.checksum);

    // If a reference has another hash, its file is used; without that file the task is rejected.
    compared.reference = "0123456789abcdef";
    EXPECT_EQ(tried.measure(compared).status, outcome::rejected);
    compared.expected = task().expected;
    EXPECT_EQ(tried.measure(compared).status, outcome::measured);
    write_file_atomically(path("other.npy"), npy_header({element_type::kind::signed_integer, 4}, count) +
                                                 std::string(content(input()).size(), 'x'));
    compared.expected = {{"out", path("other.npy")}};
    EXPECT_EQ(tried.measure(compared).status, outcome::wrong_result);
}

TEST_F(gpu_worker_test, outputs_that_differ_from_the_reference_on_the_gpu_are_wrong)
{
    fault({{"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"times", 1}});
    gpu_task reference = task();
    reference.expected.clear();
    reference.makes_reference = true;
    reference.absolute = 1;  // its own later launches are right, but it differs
    gpu_worker& tried = worker();
    gpu_task compared = task();
    compared.reference = tried.measure(reference).checksum;
    compared.expected = {{"out", path("nowhere.npy")}};
    const measurement found = tried.measure(compared);
    EXPECT_EQ(found.status, outcome::wrong_result);
    EXPECT_NE(found.reason.find("1 of 10,007 differ"), std::string::npos) << found.reason;
}

TEST_F(gpu_worker_test, memory_is_prepared_before_there_is_a_kernel)
{
    gpu_task early = task();
    early.cubin_file.clear();
    gpu_worker& tried = worker();
    const measurement ready = tried.measure(early);
    EXPECT_EQ(ready.status, outcome::measured) << ready.reason;
    EXPECT_TRUE(ready.samples_ns.empty());
    const measurement found = tried.measure(task());
    EXPECT_EQ(found.status, outcome::measured) << found.reason;
    EXPECT_TRUE(found.verified);
    EXPECT_EQ(tried.starts(), 1);
}

TEST_F(gpu_worker_test, an_array_changed_in_place_is_restored_before_each_launch)
{
    plan_["kernels"] = {{{"effect", "accumulate"}}};
    gpu_task in_place = task();
    in_place.arguments[1] = input();
    in_place.arguments[1].seed = 43;
    in_place.arguments[1].name = "out";
    in_place.arguments[1].role = argument_role::in_out;
    for (const bool cold : {true, false}) {
        in_place.measure.cold = cold;
        in_place.expected.clear();
        in_place.makes_reference = true;
        in_place.save_outputs = {{"out", path("out.npy")}};
        gpu_worker& saved = worker();
        const measurement found = saved.measure(in_place);
        EXPECT_EQ(found.status, outcome::measured) << found.reason;
        saved.measure(task());  // before this task starts, the file has been written
        const std::string bytes = read_input(path("out.npy")), before = content(input()),
                          began = content(in_place.arguments[1]);
        const npy_array out = read_npy(bytes, "out");
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t is = 0, was = 0, other = 0;
            std::memcpy(&is, out.data.data() + 4 * i, 4);
            std::memcpy(&was, before.data() + 4 * i, 4);
            std::memcpy(&other, began.data() + 4 * i, 4);
            ASSERT_EQ(is, was ^ other ^ 0x55555555U);
        }
        // After all samples the checksum is the same.
        EXPECT_EQ(found.checksum, checksum_text(checksum(out.data)));
    }
}

TEST_F(gpu_worker_test, variables_of_the_module_are_filled)
{
    plan_["kernels"] = {{{"match", "plain"}, {"effect", "variable"}}};
    plan_["variables"] = {{"table", count * 4}, {"small", 2}};
    gpu_task with = task();
    with.variables = {input()};
    with.variables[0].name = "table";
    EXPECT_EQ(worker().measure(with).status, outcome::measured);
    with.variables[0].seed = 7;
    EXPECT_EQ(worker().measure(with).status, outcome::wrong_result);

    with.variables = {{.name = "small", .type = "int", .scalar = true, .integer = 3}};
    EXPECT_EQ(worker().measure(with).reason, "the variable 'small' has 2 bytes, but its data has 4");
    with.variables[0].name = "other";
    EXPECT_EQ(worker().measure(with).reason, "its module has no variable 'other'");
}

TEST_F(gpu_worker_test, inputs_are_rotated)
{
    gpu_task rotated = task();
    rotated.measure.rotate_inputs = true;
    const measurement found = worker().measure(rotated);
    EXPECT_EQ(found.status, outcome::measured) << found.reason;
    EXPECT_EQ(found.samples_ns.size(), 12u);
}

TEST_F(gpu_worker_test, errors_of_the_driver)
{
    const struct {
        const char* stage;
        int code;
        outcome status;
        const char* reason;
        bool sticky;
    } cases[] = {
        {"load", 200, outcome::launch_error, "when its module was loaded", false},
        {"load", 209, outcome::launch_error, "when its module was loaded", false},
        {"load", 2, outcome::out_of_memory, "when its module was loaded", false},
        {"function", 500, outcome::launch_error, "was looked up in its module", false},
        {"first_launch", 701, outcome::launch_error, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701", false},
        {"first_launch", 1, outcome::launch_error, "at the first launch", false},
        {"first_launch", 98, outcome::launch_error, "at the first launch", false},
        {"first_launch", 2, outcome::out_of_memory, "at the first launch", false},
        {"timed_launch", 701, outcome::launch_error, "at a timed launch", false},
        {"alloc", 2, outcome::out_of_memory, "for 'in' were allocated", false},
        {"first_launch", 214, outcome::device_lost, "at the first launch", true},
    };
    for (const auto& item : cases) {
        SCOPED_TRACE(std::string(item.stage) + " " + std::to_string(item.code));
        plan_["faults"] = json::array();
        std::filesystem::remove(path("state.json"));
        const measurement found =
            faulty({{"stage", item.stage}, {"action", item.sticky ? "dead" : "error"}, {"code", item.code}});
        EXPECT_EQ(found.status, item.status) << found.reason;
        EXPECT_NE(found.reason.find(item.reason), std::string::npos) << found.reason;
        EXPECT_EQ(found.sticky, item.sticky);
    }
}

TEST_F(gpu_worker_test, errors_while_a_kernel_runs)
{
    const std::pair<int, outcome> codes[] = {{700, outcome::illegal_access}, {714, outcome::illegal_access},
                                             {716, outcome::illegal_access}, {717, outcome::illegal_access},
                                             {718, outcome::illegal_access}, {710, outcome::trap},
                                             {715, outcome::trap},           {719, outcome::trap},
                                             {702, outcome::hang},           {999, outcome::device_lost}};
    for (const auto& [code, what] : codes)
        for (const std::string stage : {"first_launch_runs", "timed_launch_runs"}) {
            SCOPED_TRACE(stage + " " + std::to_string(code));
            plan_["faults"] = json::array();
            std::filesystem::remove(path("state.json"));
            const measurement found = faulty({{"stage", stage}, {"action", "async"}, {"code", code}});
            EXPECT_EQ(found.status, what) << found.reason;
            EXPECT_TRUE(found.sticky);
            EXPECT_TRUE(found.samples_ns.empty());
        }
}

TEST_F(gpu_worker_test, wrong_results)
{
    const measurement one = faulty({{"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"index", 1042}});
    EXPECT_EQ(one.status, outcome::wrong_result);
    EXPECT_EQ(one.reason.find("out[1042] is "), 0u) << one.reason;
    EXPECT_NE(one.reason.find("; 1 of 10,007 differ"), std::string::npos) << one.reason;
    EXPECT_FALSE(one.verified);
    EXPECT_TRUE(one.samples_ns.empty());

    for (const std::string action : {"wrong_zero", "untouched", "race"})
        for (const std::string stage : {"first_launch_runs", "timed_launch_runs"}) {
            SCOPED_TRACE(action + stage);
            plan_["faults"] = json::array();
            std::filesystem::remove(path("state.json"));
            const measurement found = faulty({{"stage", stage}, {"action", action}});
            EXPECT_EQ(found.status, outcome::wrong_result) << found.reason;
            EXPECT_FALSE(found.sticky);
            const bool untouched = found.reason.find("was not written") != std::string::npos ||
                                   found.reason.find("as before the launch") != std::string::npos;
            // A cleared output contains zeros, as any output does before some launches.
            EXPECT_TRUE(action == "wrong_zero" || untouched == (action == "untouched")) << found.reason;
        }
}

TEST_F(gpu_worker_test, a_tolerance_permits_small_differences_only)
{
    fault({{"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"index", 5}});
    gpu_task tolerant = task();
    tolerant.absolute = 1;
    EXPECT_EQ(worker().measure(tolerant).status, outcome::measured);
    tolerant.absolute = 0.5;
    EXPECT_EQ(worker().measure(tolerant).status, outcome::wrong_result);
}

// If the outputs after the samples have another checksum than those of the first launch, they are compared with the
// tolerance again.
TEST_F(gpu_worker_test, outputs_that_differ_between_runs_are_compared_again)
{
    fault({{"stage", "timed_launch_runs"}, {"action", "wrong_one"}, {"index", 7}});
    gpu_task tolerant = task();
    tolerant.absolute = 1;
    const measurement near = worker().measure(tolerant);
    EXPECT_EQ(near.status, outcome::measured) << near.reason;
    EXPECT_TRUE(near.verified);
    EXPECT_NE(near.checksum, checksum_text(checksum(content(input()))));
    tolerant.absolute = 0.5;
    const measurement far = worker().measure(tolerant);
    EXPECT_EQ(far.status, outcome::wrong_result);
    EXPECT_NE(far.reason.find("; 1 of 10,007 differ, by 1 at most"), std::string::npos) << far.reason;
    EXPECT_TRUE(far.samples_ns.empty());
}

// The reference is allocated last: without memory for it the host compares, with the same result.
TEST_F(gpu_worker_test, without_memory_for_the_reference_the_host_compares)
{
    fault({{"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"index", 1042}});
    const std::string on_the_gpu = worker().measure(task()).reason;
    EXPECT_EQ(on_the_gpu.find("out[1042] is "), 0u) << on_the_gpu;
    const auto without_allocation = [&](int number, bool wrong) {
        plan_["faults"] = json::array();
        fault({{"stage", "alloc"}, {"action", "error"}, {"code", 2}, {"skip", number}, {"times", 1}});
        if (wrong) fault({{"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"index", 1042}});
        std::filesystem::remove(path("state.json"));
        return worker().measure(task());
    };
    const auto allocations = [&] { return json::parse(read_input(path("state.json"))).at("fault 1").get<int>(); };
    int last = 0;
    while (without_allocation(last, false), allocations() > last) ASSERT_LT(++last, 100);
    ASSERT_GT(last, 2);
    const measurement right = without_allocation(last - 1, false);
    EXPECT_EQ(right.status, outcome::measured) << right.reason;
    EXPECT_TRUE(right.verified);
    EXPECT_EQ(without_allocation(last - 1, true).reason, on_the_gpu);
    EXPECT_NE(without_allocation(last - 2, false).status, outcome::measured) << "an argument, which there must be";
}

TEST_F(gpu_worker_test, stray_writes_are_detected_and_repaired)
{
    const std::tuple<const char*, int, const char*> cases[] = {
        {"write_behind", 1, "wrote 1 byte after the end of 'out'"},
        {"write_behind", 400, "wrote 400 bytes after the end of 'out'"},
        {"write_before", 8, "wrote 8 bytes before the begin of 'out'"},
        {"write_input", 1, "changed its input 'in'"},
    };
    for (const auto& [action, bytes, reason] : cases)
        for (const std::string stage : {"first_launch_runs", "timed_launch_runs"}) {
            SCOPED_TRACE(std::string(action) + stage);
            plan_["faults"] = json::array();
            std::filesystem::remove(path("state.json"));
            const measurement found = faulty({{"stage", stage}, {"action", action}, {"bytes", bytes}});
            EXPECT_EQ(found.status, outcome::illegal_access);
            EXPECT_EQ(found.reason, reason);
            EXPECT_FALSE(found.sticky);
            EXPECT_TRUE(found.samples_ns.empty());
        }
}

TEST_F(gpu_worker_test, a_kernel_that_hangs_is_ended)
{
    for (const std::string stage : {"first_launch_runs", "timed_launch_runs"}) {
        plan_["faults"] = json::array();
        std::filesystem::remove(path("state.json"));
        const measurement found = faulty({{"stage", stage}, {"action", "hang"}});
        EXPECT_EQ(found.status, outcome::hang);
        EXPECT_NE(found.reason.find("not finished after 0.05 s"), std::string::npos) << found.reason;
        EXPECT_TRUE(found.sticky);
    }
}

TEST_F(gpu_worker_test, a_call_that_does_not_return_is_ended_by_the_parent)
{
    for (const std::string stage : {"load", "first_launch", "timed_launch"}) {
        plan_["faults"] = json::array();
        std::filesystem::remove(path("state.json"));
        fault({{"stage", stage}, {"action", "hang_call"}, {"times", 1}});
        gpu_worker& tried = worker(1.5);
        const measurement found = tried.measure(task());
        EXPECT_EQ(found.status, outcome::hang) << stage << ": " << found.reason;
        EXPECT_TRUE(found.sticky);
        EXPECT_EQ(tried.process(), 0);
        EXPECT_EQ(tried.measure(task()).status, outcome::measured);
        EXPECT_EQ(tried.starts(), 2);
    }
}

TEST_F(gpu_worker_test, a_worker_that_dies_is_restarted)
{
    for (const std::string action : {"exit", "abort", "segfault", "kill"})
        for (const std::string stage : {"load", "function", "first_launch", "timed_launch"}) {
            SCOPED_TRACE(action + " " + stage);
            plan_["faults"] = json::array();
            std::filesystem::remove(path("state.json"));
            const measurement found = faulty({{"stage", stage}, {"action", action}});
            EXPECT_EQ(found.status, outcome::worker_died) << found.reason;
#if defined(__SANITIZE_ADDRESS__)
            if (action == "segfault") continue;  // the sanitizer reports it and exits with a status
#endif
            EXPECT_NE(found.reason.find(action == "exit" ? "exit status 3" : "killed by signal"), std::string::npos)
                << found.reason;
        }
}

TEST_F(gpu_worker_test, a_worker_killed_between_tasks_is_not_blamed_on_the_next)
{
    gpu_worker& tried = worker();
    const measurement first = tried.measure(task());
    ASSERT_EQ(::kill(tried.process(), SIGKILL), 0);
    const measurement second = tried.measure(task());
    EXPECT_EQ(second.status, outcome::measured) << second.reason;
    EXPECT_EQ(second.samples_ns, first.samples_ns);
    EXPECT_EQ(tried.starts(), 2);
}

TEST_F(gpu_worker_test, a_lost_gpu_is_tried_three_times)
{
    fault({{"stage", "context"}, {"action", "error"}, {"code", 46}, {"skip", 1}, {"times", 3}});
    fault({{"stage", "first_launch"}, {"action", "kill"}, {"times", 1}});
    gpu_worker& tried = worker();
    EXPECT_EQ(tried.measure(task()).status, outcome::worker_died);
    const measurement lost = tried.measure(task());
    EXPECT_EQ(lost.status, outcome::device_lost);
    EXPECT_NE(lost.reason.find("when its context was made"), std::string::npos) << lost.reason;
    EXPECT_EQ(tried.starts(), 4);
    EXPECT_EQ(tried.measure(task()).status, outcome::measured);
    EXPECT_EQ(tried.starts(), 5);
}

TEST_F(gpu_worker_test, two_failed_starts_are_tolerated)
{
    fault({{"stage", "init"}, {"action", "error"}, {"code", 3}, {"times", 1}});
    fault({{"stage", "context"}, {"action", "segfault"}, {"times", 1}});
    gpu_worker& tried = worker();
    EXPECT_EQ(tried.measure(task()).status, outcome::measured);
    EXPECT_EQ(tried.starts(), 3);
}

TEST_F(gpu_worker_test, workloads_are_freed_to_make_room_for_others)
{
    plan_["devices"][0]["memory_bytes"] = (1 << 20) + 300'000;  // the size of L2, and at most three workloads
    gpu_worker& tried = worker();
    for (int i = 0; i < 8; ++i) {
        gpu_task other = task();
        other.workload = "number " + std::to_string(i % 5);
        const measurement found = tried.measure(other);
        EXPECT_EQ(found.status, outcome::measured) << found.reason;
    }
    gpu_task large = task();
    large.workload = "large";
    large.arguments[1].count = 100'000;
    const measurement refused = tried.measure(large);
    EXPECT_EQ(refused.status, outcome::out_of_memory) << refused.reason;
    EXPECT_EQ(tried.measure(task()).status, outcome::measured);
    EXPECT_EQ(tried.starts(), 1);
}

TEST_F(gpu_worker_test, impossible_shapes)
{
    gpu_worker& tried = worker();
    gpu_task shaped = task();
    shaped.threads = {2048, 1, 1};
    EXPECT_EQ(tried.measure(shaped).status, outcome::launch_error);
    shaped = task();
    shaped.blocks = {std::int64_t{1} << 32, 1, 1};
    EXPECT_EQ(tried.measure(shaped).status, outcome::rejected);
    shaped = task();
    shaped.dynamic_shared_bytes = 300 << 10;
    EXPECT_EQ(tried.measure(shaped).status, outcome::launch_error);
    shaped.dynamic_shared_bytes = 100 << 10;
    EXPECT_EQ(tried.measure(shaped).status, outcome::measured);
    shaped = task();
    shaped.cluster = {16, 1, 1};
    EXPECT_EQ(tried.measure(shaped).status, outcome::measured);
    shaped.cluster = {32, 1, 1};
    EXPECT_EQ(tried.measure(shaped).status, outcome::launch_error);
    shaped = task();
    shaped.arguments.pop_back();
    const measurement few = tried.measure(shaped);
    EXPECT_EQ(few.status, outcome::rejected);
    EXPECT_EQ(few.reason, "the kernel has 3 parameters, but 2 arguments are given");
    shaped = task("no_such_kernel");
    EXPECT_EQ(tried.measure(shaped).status, outcome::launch_error);
    EXPECT_EQ(tried.starts(), 1);
}

TEST_F(gpu_worker_test, throttled_samples_are_discarded)
{
    const json good{{"sm_clock", 1980}, {"memory_clock", 3201}, {"temperature", 60}, {"power", 400000}, {"reasons", 4}};
    json hot = good;
    hot["reasons"] = 0x40 | 0x4;
    plan_["nvml"] = {good, hot, good, good};
    const measurement found = worker().measure(task());
    EXPECT_EQ(found.status, outcome::measured);
    EXPECT_EQ(found.samples_ns.size(), 12u);
    EXPECT_EQ(found.dropped, 12);
    ASSERT_TRUE(found.device);
    EXPECT_EQ(found.device->sm_clock_mhz, 1980);
    EXPECT_EQ(found.device->temperature_celsius, 60);
    EXPECT_EQ(found.device->throttling, "power cap");

    plan_["nvml"] = {hot};
    const measurement always = worker().measure(task());
    EXPECT_EQ(always.status, outcome::measured);
    EXPECT_EQ(always.samples_ns.size(), 12u);
    EXPECT_EQ(always.device->throttling, "thermal, power cap");
}

class energy_on_fake_gpu : public on_fake_gpu {
protected:
    void SetUp() override
    {
        on_fake_gpu::SetUp();
        plan_["nvml"] = {{{"sm_clock", 1980}, {"reasons", 0}}};
        plan_["energy"] = {{"idle", 0.001}, {"launch", 20.0}};
    }
    [[nodiscard]] gpu_task energy_task(double best_joules = 0) const
    {
        gpu_task asked = task();
        asked.with_energy = true;
        asked.best_joules = best_joules;
        asked.launch_seconds = 5;
        asked.measure.max_seconds = 0.2;
        return asked;
    }
};

// The counter's increase over rounds with the launch, minus that over rounds without it. On a busy machine the rounds
// may take another time than the samples: then there is no energy, and a warning gives the reason.
TEST_F(energy_on_fake_gpu, the_energy_of_a_launch_is_the_difference_of_rounds_with_and_without_it)
{
    gpu_worker& asked = worker();
    int found_energy = 0;
    for (int time = 0; time < 40 && found_energy < 2; ++time) {  // by then the rounds without a launch are known
        const measurement found = asked.measure(energy_task());
        ASSERT_EQ(found.status, outcome::measured) << found.reason;
        EXPECT_TRUE(found.verified);
        EXPECT_EQ(found.samples_ns.size(), 12u);
        const std::optional<sample_summary> energy = quantity_of(found, energy_quantity),
                                            power = quantity_of(found, power_quantity);
        ASSERT_EQ(energy.has_value(), power.has_value());
        if (!energy) {
            EXPECT_FALSE(found.warnings.empty());
            continue;
        }
        ++found_energy;
        EXPECT_GE(energy->count, 3u);
        // The amount depends on how steady this machine is; rounds without a launch use next to nothing.
        EXPECT_GT(energy->median, 1);
        EXPECT_NEAR(power->median, energy->median / (summarise(found.samples_ns).median * 1e-9), 1e-6 * power->median);
    }
    EXPECT_EQ(found_energy, 2);
    EXPECT_TRUE(asked.measure(task()).quantities.empty());
}

TEST_F(energy_on_fake_gpu, a_launch_is_given_up_if_the_idle_gpu_would_have_used_more_energy)
{
    plan_["energy"] = {{"idle", 1.0}, {"launch", 20.0}};
    const measurement found = worker().measure(energy_task(1e-9));
    EXPECT_EQ(found.status, outcome::measured);
    EXPECT_TRUE(found.stopped_early);
    EXPECT_TRUE(found.quantities.empty());
}

TEST_F(energy_on_fake_gpu, launches_that_do_nothing_during_the_energy_measurement_have_no_energy)
{
    fault({{"stage", "timed_launch_runs"}, {"match", plain}, {"action", "untouched"}, {"skip", 16}});
    const measurement found = worker().measure(energy_task());
    EXPECT_EQ(found.status, outcome::wrong_result);
    EXPECT_TRUE(found.quantities.empty());
    EXPECT_TRUE(found.samples_ns.empty());
}

TEST_F(energy_on_fake_gpu, a_missing_counter_is_reported_and_nothing_guessed)
{
    plan_.erase("energy");
    const measurement found = worker().measure(energy_task());
    EXPECT_EQ(found.status, outcome::rejected);
    EXPECT_EQ(found.reason, "the GPU has no energy counter, or NVML does not report it");
}

}  // namespace
}  // namespace launchbox
