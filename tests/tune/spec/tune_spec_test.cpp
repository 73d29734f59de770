// The spec: the meaning of each section, and one clear line with its place for every mistake.
#include "tune/spec/tune_spec.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/error.hpp"

namespace launchbox {
namespace {

const std::string head = "[tunable]\nname = \"x\"\n[parameters]\n";

// A spec with these parameters and a program.
tune_spec spec_of(const std::string& parameters, const std::string& rest = "")
{
    return parse_tune_spec("x.toml", head + parameters + "\n" + rest + "\n[program]\nrun = [\"true\"]\n");
}

std::string values_of(const std::string& value)
{
    std::string text;
    const tune_spec spec = spec_of("a = " + value);
    for (const parameter_value& element : spec.parameters.at(0).values)
        text += (text.empty() ? "" : " ") + parameter_text(element);
    return text;
}

std::string complaint_of(const std::string& text)
{
    try {
        parse_tune_spec("x.toml", text);
        return {};
    } catch (const error& failure) {
        EXPECT_EQ(failure.status(), exit_status::bad_input);
        EXPECT_FALSE(failure.hint().empty()) << text;
        return std::string(failure.what()) + " | " + failure.hint();
    }
}

// Line 4 is `parameters`, line 5 the first of `rest`.
void expect_complaint(const std::string& parameters, const std::string& rest, const std::string& wanted)
{
    const std::string complaint = complaint_of(head + parameters + "\n" + rest + "\n[program]\nrun = [\"true\"]\n");
    EXPECT_TRUE(complaint.starts_with("x.toml:" + wanted)) << complaint << "\nnot " << wanted;
}

TEST(tune_spec, reads_an_example_with_all_sections)
{
    const tune_spec spec = parse_tune_spec("/some/where/block_sort.toml", R"toml(
[tunable]
name = "block_sort"
baseline = { threads = 256, items = 11, min_blocks = 0 }
[parameters]
threads    = [64, 128, 256, 512, 1024]
items      = { from = 3, to = 31, step = 2 }
min_blocks = [0, 1, 2, 3, 4, 6, 8]
[constraints]
all = ["threads * items <= 16384", "min_blocks * threads <= sm.max_threads"]
[[workload]]
type = ["int", "long long"]
n    = [1048576, 134217728]
weight = 3
[kernel]
source = "block_sort.cu"
name   = "block_sort<{type}, {threads}, {items}, {min_blocks}>"
threads = "threads"
blocks  = ["ceil_div(n, threads * items)", 2]
dynamic_shared = 1024
compile_memory = "2G"
flags = ["-DX={threads}"]
arguments = [
  { name = "keys", type = "{type}", count = "n", fill = "random", seed = 42, low = 0, high = 9.5 },
  { name = "out",  type = "{type}", count = "n", fill = "poison", role = "output" },
  { name = "n",  type = "int", value = "n" },
]
[verify]
against = "expected_{n}.npy"
tolerance = 0.001
[measure]
cache = "hot"
max_seconds = 3
[screen]
min_occupancy = 0.25
)toml");
    EXPECT_EQ(spec.folder, "/some/where");
    EXPECT_EQ(spec.name, "block_sort");
    EXPECT_EQ(parameter_text(*spec.baseline), "threads=256 items=11 min_blocks=0");
    ASSERT_EQ(spec.parameters.size(), 3u);
    EXPECT_EQ(spec.parameters[1].values.size(), 15u);
    ASSERT_EQ(spec.workloads.size(), 4u);
    EXPECT_EQ(parameter_text(spec.workloads[1].values), "type=int n=134217728");
    EXPECT_EQ(parameter_text(spec.workloads[2].values), "type=long long n=1048576");
    EXPECT_EQ(spec.workloads[3].weight, 3);
    ASSERT_TRUE(spec.kernel);
    EXPECT_FALSE(spec.program);
    EXPECT_EQ(spec.kernel->blocks[1], "2");
    EXPECT_EQ(spec.kernel->threads[2], "1");
    EXPECT_EQ(spec.kernel->dynamic_shared, "1024");
    EXPECT_EQ(spec.kernel->compile_memory_bytes, std::int64_t{2} << 30);
    ASSERT_EQ(spec.kernel->arguments.size(), 3u);
    EXPECT_EQ(spec.kernel->arguments[0].fill, fill_kind::random);
    EXPECT_EQ(spec.kernel->arguments[0].high, 9.5);
    EXPECT_EQ(spec.kernel->arguments[1].role, argument_role::output);
    EXPECT_EQ(spec.kernel->arguments[2].value, "n");
    EXPECT_EQ(spec.verify.against, verification::source::file);
    EXPECT_EQ(spec.verify.files.at("out"), "expected_{n}.npy");
    EXPECT_EQ(spec.verify.relative, 0.001);
    EXPECT_FALSE(spec.measure.cold);
    EXPECT_EQ(spec.measure.max_seconds, 3);
    EXPECT_EQ(spec.screen.min_occupancy, 0.25);
}

TEST(tune_spec, reads_the_example_that_needs_no_gpu)
{
    const std::string file = std::string(LAUNCHBOX_SOURCE_DIR) + "/examples/tune_cpu_sort/tune_cpu_sort.toml";
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    const tune_spec spec = parse_tune_spec(file, text.str());
    ASSERT_TRUE(spec.program);
    EXPECT_EQ(spec.program->build.back(), "{output}");
    EXPECT_EQ(filled_in(spec.program->build[3], *spec.baseline), "-DCUTOFF=16");
}

TEST(tune_spec, values_of_every_type)
{
    EXPECT_EQ(values_of("[3, 1, 2]"), "3 1 2");
    EXPECT_EQ(values_of("[0.5, 1]"), "0.5 1");
    EXPECT_EQ(values_of("['half', \"f~\u00e4\"]"), "half f~\u00e4");
    EXPECT_EQ(values_of("[true, false]"), "true false");
    EXPECT_EQ(values_of("{ from = 3, to = 8, step = 2 }"), "3 5 7");
    EXPECT_EQ(values_of("{ from = 3, to = 5 }"), "3 4 5");
    EXPECT_EQ(values_of("{ from = 5, to = 1, step = -2 }"), "5 3 1");
    EXPECT_EQ(values_of("{ from = 4, to = 4, step = -2 }"), "4");
    EXPECT_EQ(values_of("{ from = 32, to = 1024, factor = 2 }"), "32 64 128 256 512 1024");
    EXPECT_EQ(values_of("{ from = 1, to = 9223372036854775807, factor = 3037000500 }"), "1 3037000500");
    EXPECT_EQ(values_of("{ from = 0, to = 0.5, step = 0.1 }"), "0 0.1 0.2 0.3 0.4 0.5");
    EXPECT_EQ(values_of("{ from = 0.5, to = 4, factor = 2 }"), "0.5 1 2 4");
    EXPECT_EQ(values_of("{ from = 9223372036854775800, to = 9223372036854775807, step = 5 }"),
              "9223372036854775800 9223372036854775805");
    EXPECT_EQ(spec_of("a = { from = 1, to = 100000 }").parameters[0].values.size(), 100'000u);
    const tune_spec spec = spec_of("a = [true, false]\nb = { from = 2, to = 4, when = 'a', otherwise = 0 }");
    EXPECT_EQ(spec.parameters[1].when, "a");
    EXPECT_EQ(spec.parameters[1].otherwise, parameter_value(std::int64_t{0}));
    EXPECT_EQ(spec.workloads.size(), 1u);
    EXPECT_TRUE(spec.workloads[0].values.values.empty());
}

TEST(tune_spec, invalid_parameters)
{
    const auto expect = [](const char* parameters, const char* wanted) { expect_complaint(parameters, "", wanted); };
    expect("a = 3", "4:5: a is the number 3, and must be a list or a range | write a = [32");
    expect("a = []", "4:5: a is an empty list, and must be a list of values");
    expect("a = [1, 'x']", "4:5: a has values of more than one type: 1 and x | ");
    expect("a = [1, 2, 1]", "4:5: a has the value 1 twice | ");
    expect("a = [1, 1.0]", "4:5: a has the value 1 twice | ");
    expect("a = [1, [2]]", "4:9: a value of a is a list, and must be a number");
    expect("a = [1, nan]", "4:9: a ");
    expect("a = [2020-01-01]", "4:6: a value of a is a date or time");
    expect("a-b = [1]", "4:1: a parameter \"a-b\" has an invalid name | ");
    expect("end = [1]", "4:1: a parameter \"end\" has an invalid name");
    expect("sm = [1]", "4:1: a parameter cannot be named sm | ");
    expect("output = [1]", "4:1: a parameter cannot be named output | ");
    expect("'\u00e4' = [1]", "4:1: a parameter \"\u00e4\" has an invalid name");
    expect("a = { from = 1, to = 5, step = 0 }", "4:32: a.step is 0 | ");
    expect("a = { from = 5, to = 1 }", "4:5: a is an empty range | ");
    expect("a = { from = 1, to = 5, step = -1 }", "4:5: a is an empty range | ");
    expect("a = { from = 1.5, to = 1 }", "4:5: a is an empty range | ");
    expect("a = { from = 0, to = 100000 }", "4:5: a has more than 100,000 values | ");
    expect("a = { from = -9223372036854775807, to = 9223372036854775807 }", "4:5: a has more than 100,000 values | ");
    expect("a = { from = 0, to = 1, step = 1e-9 }", "4:5: a has more than 100,000 values | ");
    expect("a = { from = 1, to = 5, factor = 1 }", "4:34: a.factor is 1 | ");
    expect("a = { from = 0, to = 5, factor = 2 }", "4:14: a.from is 0, with a factor | ");
    expect("a = { from = 1, to = 5, step = 2, factor = 2 }", "4:44: a has both step and factor | ");
    expect("a = { from = 1 }", "4:5: a has no to | ");
    expect("a = { from = '1', to = 2 }", "4:14: a.from is the string \"1\", and must be a number");
    expect("a = { vales = [1] }", "4:7: unknown key \"vales\" of the parameter a | did you mean values?");
    expect("a = { values = [1], when = 'true' }", "4:5: a has `when` without `otherwise` | ");
    expect("a = { values = [1], otherwise = 0 }", "4:5: a has `otherwise` without `when` | ");
    expect("a = { values = [1], when = 'true', otherwise = 'x' }", "4:48: a.otherwise is of another type");
    expect("a = { values = [1], when = 'b', otherwise = 0 }", "4:28: unknown name \"b\" in a.when | ");
    expect("a = { values = [1], when = '1 +', otherwise = 0 }", "4:28: '1 +' is not an expression: ");
    expect("a = { values = [1], when = 'b > 0', otherwise = 0 }\nb = { values = [1], when = 'a > 0', otherwise = 0 }",
           "4:28: the `when` of a depends on itself: a, b, a | ");
    std::string many;
    for (int i = 0; i < 65; ++i) many += "p" + std::to_string(i) + " = [1]\n";
    expect(many.c_str(), "3:1: there are 65 parameters | ");
}

TEST(tune_spec, other_mistakes_are_reported_with_their_place)
{
    const auto expect = [](const char* rest, const char* wanted) { expect_complaint("a = [1, 2]", rest, wanted); };
    expect("[workload]\nn = 1", "5:1: workload is a table, and must be a list of tables");
    expect("[[workload]]\na = 1", "6:1: a is both a parameter and a workload's value | ");
    expect("[[workload]]\nn = 1\nweight = 0", "7:10: weight is 0 | ");
    expect("[[workload]]\nn = 1\n[[workload]]\nm = 1", "7:1: this workload has no n | ");
    expect("[[workload]]\nn = [1, 2]\n[[workload]]\nn = 2", "5:1: duplicate workload \"n=2\" | ");
    expect("[constraints]\nall = ['b < 1']", "6:8: unknown name \"b\" in a constraint | did you mean a?");
    expect("[constraints]\nall = ['a && a']", "6:8: 'a && a' is not an expression: there is no && here | write and");
    expect("[constraints]\nany = ['a < 1']", "6:1: unknown key \"any\" in [constraints] | ");
    expect("[constraints]\nall = ['a < sm.max_thread']",
           "6:8: unknown name \"sm.max_thread\" in a constraint | did you mean sm.max_threads?");
    expect("[mesure]\nx = 1", "5:2: unknown key \"mesure\" at the top of the file | did you mean measure?");
    expect("[measure]\ncache = 'warm'", "6:9: cache is \"warm\" | write \"cold\" or \"hot\"");
    expect("[measure]\nmin_samples = 2", "6:15: min_samples is 2 | it can be from 3");
    expect("[measure]\nmin_samples = 20\nmax_samples = 10", "7:15: max_samples is 10, below min_samples | ");
    expect("[screen]\nmin_occupancy = 50", "6:17: min_occupancy is 50 | it can be from 0 to 1");
    expect("[verify]\nagainst = 'x.npy'", "6:11: a .npy file can only be compared");
    expect("[verify]\nagainst = 'baselin'", "6:11: against is \"baselin\" | did you mean \"baseline\"?");
    expect("[verify]\ntolerance = -1", "6:13: tolerance is -1 | ");
    expect("[verify]\nagainst = ['check', '{a}']", "6:11: a command can only make the outputs of a [kernel] | ");
    expect("[kernel]\nsource = 'x.cu'", "7:1: there are both [kernel] and [program] | ");
    expect("x = ", "5:");
    expect("x = \"\"\"a\"\"\"", "5:5: a multi-line string | ");
}

TEST(tune_spec, reads_a_callback_process)
{
    const std::string head = "[tunable]\nname = 'x'\n[parameters]\na = [1]\n";
    const tune_spec spec = parse_tune_spec("s.toml", head + R"([callback]
command = ["python3", "{worker}.py"]
device = "processor"
count = 2
preparers = 3
sources = "tune.py"
software = "triton 3.6.0"
start_seconds = 1
first_seconds = 2.5
check_seconds = 3
memory_bytes = "2G"
)");
    ASSERT_TRUE(spec.callback.has_value());
    const callback_target& callback = *spec.callback;
    EXPECT_EQ(callback.command, (std::vector<std::string>{"python3", "{worker}.py"})) << "no placeholders";
    EXPECT_FALSE(callback.on_gpu);
    EXPECT_EQ(callback.count, 2);
    EXPECT_EQ(callback.preparers, 3);
    EXPECT_EQ(callback.sources, std::vector<std::string>{"tune.py"});
    EXPECT_EQ(callback.software, "triton 3.6.0");
    EXPECT_EQ(callback.first_seconds, 2.5);
    EXPECT_EQ(callback.memory_bytes, std::int64_t{2} << 30);

    const auto expect = [&](const std::string& rest, const std::string& told) {
        try {
            parse_tune_spec("s.toml", head + rest);
            ADD_FAILURE() << rest;
        } catch (const error& failure) {
            const std::string all = std::string(failure.what()) + " | " + failure.hint();
            EXPECT_NE(all.find(told), std::string::npos) << all;
        }
    };
    expect("[callback]\ndevice = 'gpu'", "5:1: [callback] has no command | ");
    expect("[callback]\ncommand = []", "6:11: command has no program | ");
    expect("[callback]\ncommand = ['x']\ndevice = 'tpu'", "7:10: device is \"tpu\" | ");
    expect("[callback]\ncommand = ['x']\ncount = 2", "7:9: there is one process for each GPU | ");
    expect("[callback]\ncommand = ['x']\ndevice = 'processor'\ncount = 65", "8:9: count is 65 | ");
    expect("[callback]\ncommand = ['x']\nsources = ['']", "7:11: a source is empty | ");
    expect("[callback]\ncommand = ['x']\nmemory_bytes = 1", "7:16: memory_bytes is 1 | ");
    expect("[callback]\ncommand = ['x']\n[program]\nrun = 'x'", "there are both [program] and [callback] | ");
    expect("[callback]\ncommand = ['x']\n[verify]\nagainst = 'x.npy'", "a .npy file can only be compared");
}

TEST(tune_spec, reads_the_work_of_a_workload)
{
    const tune_spec spec = spec_of("a = [1]", R"toml(
[[workload]]
type = ["float", "double"]
n = [1000, 3000000000]
work = { elements = "n", bytes = "2 * n * (type == 'double' and 8 or 4)" }
[[workload]]
type = "int"
n = 7
work = { flops = "n // 2 + 0.5" }
[[workload]]
type = "int"
n = 8
[[workload]]
type = "int"
n = 9
[workload.work]
elements = 12
bytes = 1.5
flops = "2.0 * n * n * n"
)toml");
    const auto work = [&](std::size_t i) { return spec.workloads.at(i).work; };
    ASSERT_EQ(spec.workloads.size(), 7u);
    EXPECT_EQ(work(0), (work_amounts{.elements = 1000, .bytes = 8000}));
    EXPECT_EQ(work(1), (work_amounts{.elements = 3e9, .bytes = 24e9}));
    EXPECT_EQ(work(2), (work_amounts{.elements = 1000, .bytes = 16000}));
    EXPECT_EQ(work(3), (work_amounts{.elements = 3e9, .bytes = 48e9}));
    EXPECT_EQ(work(4), (work_amounts{.flops = 3.5}));
    EXPECT_FALSE(work(5).any());
    EXPECT_EQ(work(6), (work_amounts{.elements = 12, .bytes = 1.5, .flops = 1458}));
    // Workload values may have all these names: in examples/block_sort one is the size of the keys.
    const tune_spec named =
        spec_of("a = [1]", "[[workload]]\nn = 5\nbytes = [4, 8]\nelements = 'many or few'\nflops = 1");
    EXPECT_EQ(parameter_text(named.workloads.at(1).values), "n=5 bytes=8 elements=many or few flops=1");
    const tune_spec both =
        spec_of("a = [1]",
                "[[workload]]\nn = 5\nbytes = [4, 8]\nwork = { bytes = 'n * bytes' }\n[[workload]]\nn = 6\nbytes = 2");
    EXPECT_EQ(both.workloads.at(1).work, work_amounts{.bytes = 40});
    EXPECT_EQ(parameter_text(spec_of("a = [1]", "[[workload]]\nwork = 3").workloads.at(0).values), "work=3");
}

TEST(tune_spec, mistakes_in_the_work_are_reported_with_their_place)
{
    const auto expect = [](const std::string& work, const char* wanted) {
        expect_complaint("a = [1, 2]", "[[workload]]\nn = [3, 2097152]\nt = 'x'\nwork = " + work, wanted);
    };
    expect("{ elements = 'm' }", "8:21: unknown name 'm' in 'm' | ");
    expect("{ elements = 'a * n' }", "8:21: work.elements depends on the parameter a | ");
    expect("{ elements = 'sm.registers' }", "8:21: unknown name 'sm.registers'");
    expect("{ elements = 'n +' }", "8:21: 'n +' is not an expression: ");
    expect("{ elements = 0 }", "8:21: work.elements is 0, with n=3 t=x | it must be above 0");
    expect("{ flops = 'n - 3' }", "8:18: work.flops is 0, with n=3 t=x | ");
    expect("{ flops = 'n // (n - 3)' }", "8:18: cannot evaluate 'n // (n - 3)': ");
    expect("{ bytes = '-n' }", "8:18: work.bytes is -3, with n=3 t=x | ");
    expect("{ bytes = 'n / 0' }", "8:18: work.bytes is inf, with n=3 t=x | ");
    expect("{ bytes = 't' }", "8:18: work.bytes is x, with ");
    expect("{ bytes = 'n > 1' }", "8:18: work.bytes is true, with ");
    expect("{ bytes = true }", "8:18: work.bytes is ");
    expect("{ bytes = [1, 2] }", "8:18: work.bytes is ");
    expect("{ byte = 1 }", "8:10: unknown key \"byte\" of the workload's work | did you mean bytes?");
    expect("{}", "8:8: work is empty | ");
    // 2 * 2097152^3 is 2^64, which overflows to 0 as an integer; times 3, to another number.
    expect("{ flops = '2 * n * n * n' }", "8:18: work.flops is 0, with n=2097152 t=x: it does not fit");
    expect("{ flops = '3 * n * n * n + 1' }",
           "8:18: work.flops is -9223372036854775807, with n=2097152 t=x: it does not fit");
    expect("{ flops = '2 * n * n * n + n' }",
           "8:18: work.flops is 2097152, with n=2097152 t=x: it does not fit into a whole number | use floating point");
    expect_complaint(
        "a = [1, 2]", "[[workload]]\nn = 3\nelements = '2 * n'",
        "7:1: elements is a value of the workload here, and a string | how much work it is: write work = { elements");
}

TEST(tune_spec, mistakes_in_the_target)
{
    const auto complaint = [](const std::string& rest) { return complaint_of(head + "a = [1, 2]\n" + rest); };
    const auto expect = [&](const std::string& rest, const std::string& wanted) {
        EXPECT_TRUE(complaint(rest).starts_with("x.toml:" + wanted)) << complaint(rest) << "\nnot " << wanted;
    };
    expect("", " there is neither [kernel] nor [program] | ");
    expect("[program]\nbuild = ['cc']", "5:1: [program] has no run | ");
    expect("[program]\nrun = ['{b}']", "6:8: {b} in the command is not a known name | ");
    expect("[program]\nrun = ['{a']", "6:8: a { without } in {a | ");
    expect("[program]\nrun = \"x 'y\"", "6:7: the quote ' is not closed");
    expect("[program]\nrun = []", "6:7: run has no program");
    expect("[program]\nrun = 'x'\nmetric = '([0-9'", "7:10: metric is not a valid regular expression");
    expect("[program]\nrun = 'x'\nmetric = '(?=a)(b)'",
           "7:10: metric is not a valid regular expression: invalid perl operator");
    expect("[program]\nrun = 'x'\nmetric = '[0-9]+'", "7:10: metric has no group");
    expect("[program]\nrun = 'x'\nunit = 'ns'", "7:8: unit without metric");
    const std::string kernel = "[kernel]\nsource = 'x.cu'\nname = 'f'\nthreads = 'a'\nblocks = 1\n";
    EXPECT_EQ(complaint(kernel), "");
    expect("[kernel]\nsource = 'x.cu'\nname = 'f<{b}>'\nthreads = 'a'\nblocks = 1", "7:8: {b} in the command");
    expect("[kernel]\nsource = 'x.cu'\nname = 'f'\nblocks = 1", "5:1: [kernel] has no threads");
    expect(kernel + "cluster = [1, 1, 1, 1]", "10:11: cluster has 4 dimensions");
    EXPECT_EQ(complaint(kernel + "constants = ['a']"), "");
    expect(kernel + "constants = ['B']", "10:13: constants names \"B\", which is not a parameter");
    expect(kernel + "constants = 3", "10:13: constants is the number 3, and must be a list of strings");
    expect(kernel + "dynamic_shared = 'b * 4'", "10:18: unknown name \"b\" in dynamic_shared");
    expect(kernel + "compile_memory = '8X'", "10:18: compile_memory is \"8X\" | ");
    expect(kernel + "compiler = 'gcc'", "10:12: compiler is \"gcc\" | ");
    const auto argument = [&](const std::string& text) {
        return kernel + "arguments = [{ name = 'x', type = 'int', " + text + " }]";
    };
    EXPECT_EQ(complaint(argument("value = 1")), "");
    EXPECT_EQ(complaint(argument("count = 'a * 100', fill = 'constant', value = -1")), "");
    expect(argument("role = 'output'"), "10:49: the argument \"x\" has role but no count");
    expect(kernel + "arguments = [{ name = 'x', type = 'int' }]",
           "10:23: the argument \"x\" has neither count nor value");
    expect(argument("count = 1, low = 1"), "10:59: the argument \"x\" has low, but fill is not \"random\"");
    expect(argument("count = 1, fill = 'file'"), "10:60: the argument \"x\" has no file");
    expect(kernel + "arguments = [{ name = 'x', type = 'imt', value = 1 }]",
           "10:35: unknown type \"imt\" | did you mean int?");
    expect(
        kernel + "arguments = [{ name = 'x', type = 'float{a}', value = 1 }, { name = 'y', type = 'f{a}', value = 1 }]",
        "10:81: unknown type \"f1\"");
    EXPECT_EQ(complaint(kernel + "variables = [{ name = 'x', type = 'int', count = 'a', fill = 'random' }]"), "");
    expect(kernel + "variables = [{ name = 'x', type = 'int', count = 1, role = 'output' }]",
           "10:60: a variable has a role");
    EXPECT_EQ(complaint(kernel + "variables = [{ name = 'x', reset = true }]"), "");
    EXPECT_EQ(complaint(kernel + "variables = [{ name = 'x', type = 'int', value = 0, reset = false }]"), "");
    expect(kernel + "variables = [{ name = 'x' }]", "10:14: a variable has neither a type nor reset | write type");
    expect(kernel + "variables = [{ name = 'x', value = 0, reset = true }]", "10:36: a variable has value but no type");
    expect(kernel + "variables = [{ name = 'x', reset = 1 }]", "10:36: reset is the number 1, and must be");
    expect(argument("count = 1, reset = true"),
           "10:61: an argument has reset, which is for variables | arguments with role = \"in_out\" are restored");
    expect(kernel + "variables = [{ name = 'x', type = 'int', count = 'b' }]", "10:50: unknown name \"b\" in count");
    expect(kernel + "variables = [{ name = 'x', type = 'imt', value = 1 }]", "10:35: unknown type \"imt\"");
    expect(kernel + "variables = 1", "10:13: variables is the number 1, and must be a list of tables");
    expect(kernel + "[verify]\nagainst = 'x.npy'", "11:11: one file for 0 outputs");
    expect(kernel + "[verify]\nagainst = ['check', '{a}']", "11:21: {a} in the command is not a known name | ");
}

TEST(tune_spec, mistakes_in_the_tunable)
{
    const auto complaint = [](const std::string& tunable) {
        return complaint_of("[tunable]\n" + tunable +
                            "\n[parameters]\na = [1, 2]\nb = [0.5]\n[program]\nrun = ['x']\n");
    };
    EXPECT_EQ(complaint("name = 'x'\nbaseline = { b = 0.5, a = 2 }"), "");
    EXPECT_TRUE(complaint("").starts_with("x.toml:1:1: [tunable] has no name | "));
    EXPECT_TRUE(complaint("name = '../x'").starts_with("x.toml:2:8: the tunable's name is \"../x\" | "));
    EXPECT_TRUE(complaint("name = 'x'\nbaseline = { a = 1 }").starts_with("x.toml:3:12: the baseline has no b | "));
    EXPECT_TRUE(
        complaint("name = 'x'\nbaseline = { a = 3, b = 0.5 }")
            .starts_with("x.toml:3:18: the baseline's a is 3, which the parameter does not have | it has 1, 2"));
    EXPECT_TRUE(
        complaint("name = 'x'\nbaseline = { a = 1, b = 0.5, c = 1 }").starts_with("x.toml:3:30: unknown key \"c\""));
    EXPECT_TRUE(complaint_of("[parameters]\na = [1]").starts_with("x.toml: there is no [tunable] | "));
    EXPECT_TRUE(
        complaint_of(std::string(1 << 21, '#')).starts_with("x.toml:1: the spec is larger than 1,048,576 bytes | "));
}

TEST(tune_spec, types_and_names_are_filled_in)
{
    EXPECT_EQ(element_type_of("unsigned long long").bytes, 8);
    EXPECT_EQ(element_type_of("std::int16_t").bytes, 2);
    EXPECT_EQ(element_type_of("float4").bytes, 16);
    EXPECT_EQ(element_type_of("float4").what, element_type::kind::opaque);
    EXPECT_EQ(element_type_of("__half").what, element_type::kind::half);
    EXPECT_EQ(element_type_of("uint32_t").what, element_type::kind::unsigned_integer);
    for (const char* name : {"", "float5", "std::float", "int*", "4"})
        EXPECT_THROW(element_type_of(name), error) << name;
    EXPECT_EQ(filled_in("-DROW={{{a}\\,{b}}}", {{{"a", std::int64_t{1}}, {"b", 0.5}}}), "-DROW={1\\,0.5}");
    EXPECT_THROW(filled_in("{c}", {}), error);
}

}  // namespace
}  // namespace launchbox
