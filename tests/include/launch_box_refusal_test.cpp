// Invalid uses of launch_box.cuh are refused in one sentence that says what to do; a small change of each compiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/files/files.hpp"
#include "support/process/parallel.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

struct attempt {
    std::string text;                                    ///< after the include
    std::vector<std::string> options = {"-arch=sm_90"};  ///< in addition to -std=c++20
};

struct refusal {
    std::string name;
    std::string sentence;  ///< the beginning of the only error
    attempt wrong, right;
};

const char* const row_type = "struct row { int threads, items, min_blocks = 0; };\n";

// A body with `table`, and a launch of it.
std::string launched(const std::string& before)
{
    return before +
           "struct body {\n"
           "    using tuning = table;\n"
           "    template <row r> static __device__ void run(int* data, int n) { data[threadIdx.x] = r.items + n; }\n"
           "};\n"
           "void use(int* data, int n) { launchbox::launch<body>(nullptr, n, data, n); }\n";
}

// Only a table, in the three ways of using one: a body, a __global__ function, and a query.
std::string used(const std::string& rows)
{
    return launched(row_type + ("using table = " + rows + ";\n")) +
           "template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void plain(int* data)\n"
           "{\n"
           "    data[threadIdx.x] = launchbox::row_here<Tuning>().items;\n"
           "}\n"
           "int ask() { return launchbox::row_for<table>(plain<table>).items + launchbox::row_for<table>().items; "
           "}\n";
}

std::string with_tables(const std::string& text)
{
    return std::string(row_type) + "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n" + text;
}

std::string launch_call(const std::string& call)
{
    return with_tables(
        "struct body {\n"
        "    using tuning = table;\n"
        "    template <row r> static __device__ void run(int* data, int n) { data[threadIdx.x] = r.items + n; }\n"
        "};\n"
        "void use(int* data, const int* fixed) { (void)data; (void)fixed; launchbox::" +
        call + "; }\n");
}

// A body whose rows come from a template.
std::string several_types(const std::string& head, const std::string& one, const std::string& other,
                          const std::string& member = "")
{
    return head + " struct row { int threads, items, min_blocks = 0; " + member +
           " bool operator==(const row&) const = default; };\n"
           "struct body {\n"
           "    using tuning = launchbox::launch_box<launchbox::sm<80, " +
           one + ">, launchbox::sm<90, " + other +
           ">>;\n"
           "    template <auto r> static __device__ void run(int* data) { data[threadIdx.x] = r.items; }\n"
           "};\n"
           "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n";
}

std::string box(const std::string& rows)
{
    return "launchbox::launch_box<" + rows + ">";
}

attempt table(const std::string& rows, const std::string& architecture = "sm_90")
{
    return {used(box(rows)), {"-arch=" + architecture}};
}

// A table with two rows for some GPUs, and one for all.
std::string some_gpus(const std::string& one, const std::string& other)
{
    return std::string(row_type) +
           "using table = launchbox::launch_box<launchbox::sm<90, row{256, 3}>, "
           "launchbox::on_gpus<launchbox::sm<90, row{128, 3}>, " +
           one + ">, launchbox::on_gpus<launchbox::sm<90, row{64, 3}>, " + other + ">>;\n";
}

const std::vector<refusal>& refusals()
{
    static const std::vector<refusal> all = {
        {"rows_not_ascending", "launch_box: rows name architectures in strictly ascending order",
         table("launchbox::sm<90, row{256, 3}>, launchbox::sm<80, row{128, 3}>"),
         table("launchbox::sm<80, row{128, 3}>, launchbox::sm<90, row{256, 3}>")},
        {"two_rows_of_one_architecture", "launch_box: rows name architectures in strictly ascending order",
         table("launchbox::sm<80, row{256, 3}>, launchbox::sm<80, row{128, 3}>"),
         table("launchbox::sm<80, row{256, 3}>, launchbox::sm<86, row{128, 3}>")},
        {"two_rows_for_the_same_gpus",
         "launch_box: two rows of one architecture are for the same GPUs",
         {launched(some_gpus("launchbox::gpu_range{.max_sms = 100}", "launchbox::gpu_range{.min_sms = 100}"))},
         {launched(some_gpus("launchbox::gpu_range{.max_sms = 100}", "launchbox::gpu_range{.min_sms = 101}"))}},
        {"a_range_that_holds_nothing",
         "launch_box: on_gpus has one range of GPUs or more",
         {launched(some_gpus("launchbox::gpu_range{.max_sms = 100}",
                             "launchbox::gpu_range{.min_memory_bytes = 2, .max_memory_bytes = 1}"))},
         {launched(some_gpus("launchbox::gpu_range{.max_sms = 100}",
                             "launchbox::gpu_range{.min_sms = 101, .min_memory_bytes = 1}"))}},
        {"two_rows_for_gpus_of_the_same_bandwidth",
         "launch_box: two rows of one architecture are for the same GPUs",
         {launched(some_gpus("launchbox::gpu_range{.max_memory_gb_per_second = 2000}",
                             "launchbox::gpu_range{.min_memory_gb_per_second = 2000}"))},
         {launched(some_gpus("launchbox::gpu_range{.max_memory_gb_per_second = 1999}",
                             "launchbox::gpu_range{.min_memory_gb_per_second = 2000}"))}},
        {"a_row_for_some_gpus_before_that_for_all",
         "launch_box: rows name architectures in strictly ascending order",
         {launched(row_type + std::string("using table = launchbox::launch_box<launchbox::on_gpus<launchbox::sm<90, "
                                          "row{64, 3}>, launchbox::gpu_range{.max_sms = 100}>, "
                                          "launchbox::sm<90, row{256, 3}>>;\n"))},
         {launched(some_gpus("launchbox::gpu_range{.max_sms = 100}", "launchbox::gpu_range{.min_sms = 101}"))}},
        {"no_last_resort",
         "launch_box: this code is compiled for an architecture older than every row of its table",
         {launched(row_type + std::string("using table = launchbox::launch_box<launchbox::on_gpus<launchbox::sm<90, "
                                          "row{64, 3}>, launchbox::gpu_range{.max_sms = 100}>>;\n"))},
         {launched(row_type + std::string("using table = launchbox::launch_box<launchbox::sm<80, row{64, 2}>, "
                                          "launchbox::on_gpus<launchbox::sm<90, "
                                          "row{64, 3}>, launchbox::gpu_range{.max_sms = 100}>>;\n"))}},
        {"rows_for_some_gpus_that_no_gpu_can_hold",
         "launch_box: ptxas would ignore min_blocks",
         {launched(row_type + std::string("using table = launchbox::launch_box<launchbox::sm<80, row{64, 2}>, "
                                          "launchbox::on_gpus<launchbox::sm<80, row{512, 3, 4}>, "
                                          "launchbox::gpu_range{.max_sms = 100}>>;\n")),
          {"-arch=sm_86"}},
         {launched(row_type + std::string("using table = launchbox::launch_box<launchbox::sm<80, row{64, 2}>, "
                                          "launchbox::on_gpus<launchbox::sm<80, row{512, 3, 3}>, "
                                          "launchbox::gpu_range{.max_sms = 100}>>;\n")),
          {"-arch=sm_86"}}},
        {"rows_for_some_gpus_of_a_function",
         "launch_box: a __global__ function has one row per architecture",
         {std::string(row_type) +
          "using table = launchbox::launch_box<launchbox::sm<80, row{64, 2}>, launchbox::on_gpus<launchbox::sm<80, "
          "row{512, 3}>, launchbox::gpu_range{.max_sms = 100}>>;\n"
          "template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void plain(int* data)\n"
          "{\n"
          "    data[threadIdx.x] = launchbox::row_here<Tuning>().items;\n"
          "}\n"
          "int ask() { return launchbox::row_for<table>(plain<table>).items; }\n"},
         {std::string(row_type) +
          "using table = launchbox::launch_box<launchbox::sm<80, row{64, 2}>, launchbox::sm<90, row{512, 3}>>;\n"
          "template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void plain(int* data)\n"
          "{\n"
          "    data[threadIdx.x] = launchbox::row_here<Tuning>().items;\n"
          "}\n"
          "int ask() { return launchbox::row_for<table>(plain<table>).items; }\n"}},
        {"a_suffix_before_its_plain_row", "launch_box: rows name architectures in strictly ascending order",
         table("launchbox::sm_a<90, row{256, 3}>, launchbox::sm<90, row{128, 3}>"),
         table("launchbox::sm<90, row{128, 3}>, launchbox::sm_a<90, row{256, 3}>")},
        {"an_architecture_older_than_the_first_row",
         "launch_box: this code is compiled for an architecture older than every row of its table",
         table("launchbox::sm<90, row{256, 3}>", "sm_80"), table("launchbox::sm<90, row{256, 3}>", "sm_90")},
        {"one_of_two_architectures_older_than_the_first_row",
         "launch_box: this code is compiled for an architecture older than every row of its table",
         {used(box("launchbox::sm<90, row{256, 3}>")),
          {"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90", "-fatbin"}},
         {used(box("launchbox::sm<90, row{256, 3}>")),
          {"-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_100,code=sm_100", "-fatbin"}}},
        {"only_a_suffix_row_and_plain_code",
         "launch_box: this code is compiled for an architecture older than every row of its table",
         table("launchbox::sm_a<90, row{256, 3}>", "sm_90"), table("launchbox::sm_a<90, row{256, 3}>", "sm_90a")},
        {"threads_beyond_a_block", "launch_box: a row has 1 to 1,024 threads", table("launchbox::sm<80, row{2048, 3}>"),
         table("launchbox::sm<80, row{1024, 3}>")},
        {"no_threads", "launch_box: a row has 1 to 1,024 threads", table("launchbox::sm<80, row{0, 3}>"),
         table("launchbox::sm<80, row{1, 3}>")},
        {"no_items", "launch_box: a row has 1 item per thread or more", table("launchbox::sm<80, row{256, 0}>"),
         table("launchbox::sm<80, row{256, 1}>")},
        {"negative_min_blocks", "launch_box: min_blocks and dynamic_shared_bytes of a row are 0 or more",
         table("launchbox::sm<80, row{256, 3, -1}>"), table("launchbox::sm<80, row{256, 3, 0}>")},
        {"a_wrong_row_that_this_build_does_not_use", "launch_box: a row has 1 to 1,024 threads",
         table("launchbox::sm<80, row{256, 3}>, launchbox::sm<100, row{1025, 3}>"),
         table("launchbox::sm<80, row{256, 3}>, launchbox::sm<100, row{1024, 3}>")},
        {"min_blocks_that_ptxas_drops", "launch_box: ptxas would ignore min_blocks",
         table("launchbox::sm<90, row{1024, 3, 3}>"), table("launchbox::sm<90, row{1024, 3, 2}>")},
        {"min_blocks_dropped_where_the_row_is_inherited", "launch_box: ptxas would ignore min_blocks",
         table("launchbox::sm<80, row{512, 3, 4}>", "sm_86"), table("launchbox::sm<80, row{512, 3, 3}>", "sm_86")},
        {"shared_memory_that_no_block_has",
         "launch_box: a block of this architecture cannot have as much dynamic shared memory as this row",
         {launched("struct row { int threads, items, min_blocks = 0, dynamic_shared_bytes = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0, 166913}>>;\n")},
         {launched("struct row { int threads, items, min_blocks = 0, dynamic_shared_bytes = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0, 166912}>>;\n")}},
        {"shared_memory_that_an_inheriting_architecture_has_not",
         "launch_box: a block of this architecture cannot have as much dynamic shared memory as this row",
         {launched("struct row { int threads, items, min_blocks = 0, dynamic_shared_bytes = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0, 101377}>>;\n"),
          {"-arch=sm_86"}},
         {launched("struct row { int threads, items, min_blocks = 0, dynamic_shared_bytes = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0, 101376}>>;\n"),
          {"-arch=sm_86"}}},
        {"min_blocks_that_shared_memory_forbids",
         "launch_box: min_blocks blocks of this row need more shared memory than an SM of this architecture",
         {launched("struct row { int threads, items, min_blocks = 0, dynamic_shared_bytes = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<90, row{256, 3, 3, 80000}>>;\n")},
         {launched("struct row { int threads, items, min_blocks = 0, dynamic_shared_bytes = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<90, row{256, 3, 2, 80000}>>;\n")}},
        {"shared_memory_of_the_body_forbids_min_blocks",
         "launch_box: min_blocks blocks of this row need more shared memory than an SM of this architecture",
         {with_tables("using two = launchbox::launch_box<launchbox::sm<90, row{256, 3, 3}>>;\n"
                      "struct body {\n"
                      "    using tuning = two;\n"
                      "    static constexpr int dynamic_shared_bytes(row r) { return r.threads * 313; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("using two = launchbox::launch_box<launchbox::sm<90, row{256, 3, 3}>>;\n"
                      "struct body {\n"
                      "    using tuning = two;\n"
                      "    static constexpr int dynamic_shared_bytes(row r) { return r.threads * 290; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"shared_memory_of_a_body_as_a_number",
         "launch_box: 'dynamic_shared_bytes' of a body is a 'static constexpr' function of a row",
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    static constexpr int dynamic_shared_bytes = 4096;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    static constexpr int dynamic_shared_bytes(row) { return 4096; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"shared_memory_of_a_body_not_static",
         "launch_box: 'dynamic_shared_bytes' of a body is a 'static constexpr' function of a row",
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    int dynamic_shared_bytes(row r) const { return r.threads * 16; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    static constexpr int dynamic_shared_bytes(row r) { return r.threads * 16; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"tile_of_a_body_without_a_row",
         "launch_box: 'tile' of a body is a 'static constexpr' function of a row",
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    static constexpr int tile() { return 4096; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    static constexpr int tile(row) { return 4096; }\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"shared_memory_of_rows_not_const",
         "launch_box: 'dynamic_shared_bytes' of the rows is a number, or a constexpr const function",
         {launched("struct row { int threads, items, min_blocks = 0; constexpr int dynamic_shared_bytes() { return "
                   "4096; } };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n")},
         {launched("struct row { int threads, items, min_blocks = 0; constexpr int dynamic_shared_bytes() const { "
                   "return 4096; } };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n")}},
        {"tile_of_rows_not_const",
         "launch_box: 'tile' of the rows is a number, or a constexpr const function",
         {launched("struct row { int threads, items, min_blocks = 0; constexpr int tile() { return 4096; } };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n")},
         {launched("struct row { int threads, items, min_blocks = 0; constexpr int tile() const { return 4096; } };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n")}},
        {"a_run_for_another_type_of_row",
         "launch_box: a body has 'template <row r> static __device__ void run(...)'",
         {with_tables("struct body { using tuning = table; template <int> static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body { using tuning = table; template <auto> static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_struct_that_derives_from_a_wrong_table",
         "launch_box: rows name architectures in strictly ascending order",
         {launched(std::string(row_type) + "struct table : launchbox::launch_box<launchbox::sm<90, row{256, 3}>, "
                                           "launchbox::sm<80, row{256, 3}>> {};\n")},
         {launched(std::string(row_type) + "struct table : launchbox::launch_box<launchbox::sm<80, row{256, 3}>, "
                                           "launchbox::sm<90, row{256, 3}>> {};\n")}},
        {"no_member_threads",
         "launch_box: the type of the rows has no member 'threads'",
         {launched("struct row { int thread_count, items, min_blocks; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0}>>;\n")},
         {launched("struct row { int threads, items, min_blocks; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0}>>;\n")}},
        {"no_member_items",
         "launch_box: the type of the rows has no member 'items'",
         {"struct row { int threads, min_blocks; };\n"
          "using table = launchbox::launch_box<launchbox::sm<80, row{256, 0}>>;\n"
          "struct body {\n"
          "    using tuning = table;\n"
          "    template <row r> static __device__ void run(int* data) { data[0] = r.threads; }\n"
          "};\n"
          "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n"},
         {"struct row { int threads, min_blocks, items = 1; };\n"
          "using table = launchbox::launch_box<launchbox::sm<80, row{256, 0}>>;\n"
          "struct body {\n"
          "    using tuning = table;\n"
          "    template <row r> static __device__ void run(int* data) { data[0] = r.threads; }\n"
          "};\n"
          "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n"}},
        {"no_member_min_blocks",
         "launch_box: the type of the rows has no member 'min_blocks'",
         {launched("struct row { int threads, items; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n")},
         {launched("struct row { int threads, items, min_blocks = 0; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>>;\n")}},
        {"no_member_threads_in_the_one_row",
         "launch_box: the type of the rows has no member 'threads'",
         {launched("struct row { int items, min_blocks; };\n"
                   "using table = launchbox::only<row{3, 0}>;\n")},
         {launched("struct row { int items, min_blocks, threads = 256; };\n"
                   "using table = launchbox::only<row{3, 0}>;\n")}},
        {"a_row_that_is_a_number",
         "launch_box: the type of the rows has no member 'threads'",
         {"using table = launchbox::launch_box<launchbox::sm<80, 256>>;\n"
          "int ask() { return launchbox::row_for<table>(); }\n"},
         {std::string(row_type) + "using table = launchbox::launch_box<launchbox::sm<80, row{256, 1}>>;\n"
                                  "int ask() { return launchbox::row_for<table>().items; }\n"}},
        {"rows_of_two_types",
         "launch_box: all rows of a box are of one type",
         {launched(std::string(row_type) + "struct other { int threads, items, min_blocks; };\n"
                                           "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>, "
                                           "launchbox::sm<90, other{128, 3, 0}>>;\n")},
         {launched(std::string(row_type) + "struct other { int threads, items, min_blocks; };\n"
                                           "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3}>, "
                                           "launchbox::sm<90, row{128, 3, 0}>>;\n")}},
        {"rows_of_one_template_with_values",
         "launch_box: all rows of a box are of one type, or of one class template whose parameters are types",
         {several_types("template <int Steps, class Type>", "row<1, short>{128, 7}", "row<2, double>{256, 5}")},
         {several_types("template <class Type>", "row<short>{128, 7}", "row<double>{256, 5}")}},
        {"rows_of_several_types_with_a_bool",
         "launch_box: rows of several types have no bool, floating-point number or gap between members",
         {several_types("template <class Type>", "row<short>{128, 7}", "row<double>{256, 5}", "bool wide = false;")},
         {several_types("template <class Type>", "row<short>{128, 7}", "row<double>{256, 5}", "int wide = 0;")}},
        {"rows_of_several_types_and_one_given",
         "LAUNCHBOX_ROW: a table with rows of several types has no single row",
         {several_types("template <class Type>", "row<short>{128, 7}", "row<double>{256, 5}"),
          {"-arch=sm_90", "-DLAUNCHBOX_ROW={128\\,7}"}},
         {several_types("template <class Type>", "row<short>{128, 7}", "row<short>{256, 5}"),
          {"-arch=sm_90", "-DLAUNCHBOX_ROW={128\\,7}"}}},
        {"a_wrong_row_among_several_types",
         "launch_box: a row has 1 to 1,024 threads",
         {several_types("template <class Type>", "row<short>{128, 7}", "row<double>{1025, 5}")},
         {several_types("template <class Type>", "row<short>{128, 7}", "row<double>{1024, 5}")}},
        {"not_a_row",
         "launch_box: each row is written as sm<90, row{...}>, sm_a<90, row{...}> or sm_f<100, row{...}>",
         {launched(std::string(row_type) + "using table = launchbox::launch_box<int>;\n")},
         {launched(std::string(row_type) + "using table = launchbox::launch_box<launchbox::sm<80, row{32, 1}>>;\n")}},
        {"strict_without_a_row_of_its_own",
         "launch_box: this code is compiled for an architecture that has no row of its own, and the table is strict",
         {used("launchbox::strict<" + box("launchbox::sm<80, row{256, 3}>") + ">"), {"-arch=sm_86"}},
         {used("launchbox::strict<" + box("launchbox::sm<80, row{256, 3}>") + ">"), {"-arch=sm_80"}}},
        {"no_rows", "launch_box: give at least one row", {used(box(""))}, table("launchbox::sm<80, row{256, 3}>")},
        {"an_unknown_architecture", "launch_box: launchbox has no limits for the architecture of this row",
         table("launchbox::sm<80, row{256, 3}>, launchbox::sm<91, row{256, 3}>"),
         table("launchbox::sm<80, row{256, 3}>, launchbox::sm<90, row{256, 3}>")},
        {"an_architecture_as_cuda_arch", "launch_box: launchbox has no limits for the architecture of this row",
         table("launchbox::sm<800, row{256, 3}>"), table("launchbox::sm<80, row{256, 3}>")},
        {"a_body_without_tuning",
         "launch_box: a body names its table: 'using tuning = ...;'",
         {with_tables("struct body {\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_body_without_tuning_to_explain",
         "launch_box: a body names its table: 'using tuning = ...;'",
         {with_tables("struct body {\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "std::string use() { return launchbox::explain<body>(); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "std::string use() { return launchbox::explain<body>(); }\n")}},
        {"a_body_without_tuning_to_prepare",
         "launch_box: a body names its table: 'using tuning = ...;'",
         {with_tables("struct body {};\nvoid use() { launchbox::prepare<body>(); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use() { launchbox::prepare<body>(); }\n")}},
        {"a_body_without_tuning_to_count",
         "launch_box: a body names its table: 'using tuning = ...;'",
         {with_tables("struct body {};\nint use() { return launchbox::resident_blocks<body>(); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "int use() { return launchbox::resident_blocks<body>(); }\n")}},
        {"a_tuning_that_is_no_table",
         "launch_box: 'tuning' of a body is a table such as launch_box<...>",
         {with_tables("struct body {\n"
                      "    using tuning = row;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body {\n"
                      "    using tuning = table;\n"
                      "    template <row r> static __device__ void run(int* data) { data[0] = r.items; }\n"
                      "};\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_question_about_no_table",
         "launch_box: this is neither a body, which has a 'tuning', nor a table such as launch_box<...>",
         {with_tables("void use() { (void)launchbox::row_for<row>(); }\n")},
         {with_tables("void use() { (void)launchbox::row_for<table>(); }\n")}},
        {"a_body_without_run",
         "launch_box: a body has 'template <row r> static __device__ void run(...)'",
         {with_tables("struct body { using tuning = table; };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body { using tuning = table; template <row> static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_run_that_is_no_template",
         "launch_box: a body has 'template <row r> static __device__ void run(...)'",
         {with_tables("struct body { using tuning = table; static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body { using tuning = table; template <row> static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_run_that_is_not_static",
         "launch_box: run of a body is a 'static __device__ void' function template",
         {with_tables("struct body { using tuning = table; template <row> __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body { using tuning = table; template <row> static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_run_that_returns_something",
         "launch_box: run of a body is a 'static __device__ void' function template",
         {with_tables("struct body { using tuning = table; template <row> static __device__ int run(int*)\n"
                      "{ return 1; } };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")},
         {with_tables("struct body { using tuning = table; template <row> static __device__ void run(int*) {} };\n"
                      "void use(int* data) { launchbox::launch<body>(nullptr, 1, data); }\n")}},
        {"a_run_with_a_reference",
         "launch_box: run of a body takes its parameters by value",
         {with_tables("struct body { using tuning = table; template <row> static __device__ void run(const int&)\n"
                      "{} };\n"
                      "void use() { launchbox::launch<body>(nullptr, 1, 7); }\n")},
         {with_tables("struct body { using tuning = table; template <row> static __device__ void run(const int)\n"
                      "{} };\n"
                      "void use() { launchbox::launch<body>(nullptr, 1, 7); }\n")}},
        {"a_bool_without_equality",
         "launch_box: rows with a bool, a floating-point number or gaps between members need an operator==",
         {launched("struct row { int threads, items, min_blocks; bool swap; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0, true}>>;\n")},
         {launched("struct row { int threads, items, min_blocks; bool swap;\n"
                   "    bool operator==(const row&) const = default; };\n"
                   "using table = launchbox::launch_box<launchbox::sm<80, row{256, 3, 0, true}>>;\n")}},
        {"too_few_arguments",
         "launchbox::launch: the kernel takes another number of arguments",
         {launch_call("launch<body>(nullptr, 1, data)")},
         {launch_call("launch<body>(nullptr, 1, data, 1)")}},
        {"too_many_arguments",
         "launchbox::launch: the kernel takes another number of arguments",
         {launch_call("try_launch<body>({.cooperative = true}, 1, data, 1, 1)")},
         {launch_call("try_launch<body>({.cooperative = true}, 1, data, 1)")}},
        {"an_argument_of_another_type",
         "launchbox::launch: an argument does not convert to the kernel's parameter",
         {launch_call("launch<body>(nullptr, 1, fixed, 1)")},
         {launch_call("launch<body>(nullptr, 1, data, 1)")}},
        {"sizes_not_ascending",
         "by_size: sizes are in strictly ascending order",
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{32, 1}>>, "
                   "launchbox::upto<100, launchbox::only<row{64, 1}>>, "
                   "launchbox::otherwise<launchbox::only<row{128, 1}>>>;\n")},
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{32, 1}>>, "
                   "launchbox::upto<101, launchbox::only<row{64, 1}>>, "
                   "launchbox::otherwise<launchbox::only<row{128, 1}>>>;\n")}},
        {"sizes_without_otherwise",
         "by_size: the last class is otherwise<box>",
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{32, 1}>>>;\n")},
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::otherwise<launchbox::only<row{32, 1}>>>;\n")}},
        {"no_sizes",
         "by_size: give at least otherwise<box>",
         {launched(std::string(row_type) + "using table = launchbox::by_size<>;\n")},
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::otherwise<launchbox::only<row{32, 1}>>>;\n")}},
        {"sizes_with_rows_of_two_types",
         "by_size: the rows of all classes are of one type",
         {launched(std::string(row_type) +
                   "struct other { int threads, items, min_blocks; };\n"
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{32, 1}>>, "
                   "launchbox::otherwise<launchbox::only<other{128, 1, 0}>>>;\n")},
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{32, 1}>>, "
                   "launchbox::otherwise<launchbox::only<row{128, 1, 0}>>>;\n")}},
        {"a_wrong_row_in_a_size_class",
         "launch_box: a row has 1 to 1,024 threads",
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{2048, 1}>>, "
                   "launchbox::otherwise<launchbox::only<row{128, 1}>>>;\n")},
         {launched(std::string(row_type) +
                   "using table = launchbox::by_size<launchbox::upto<100, launchbox::only<row{1024, 1}>>, "
                   "launchbox::otherwise<launchbox::only<row{128, 1}>>>;\n")}},
        {"a_size_dependent_table_for_a_plain_kernel",
         "launch_box: a __global__ function has one table, and by_size is several",
         {std::string(row_type) +
          "using table = launchbox::by_size<launchbox::otherwise<launchbox::only<row{32, 1}>>>;\n"
          "template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void plain() {}\n"
          "int ask() { return launchbox::row_for<table>(plain<table>).items; }\n"},
         {std::string(row_type) + "using table = launchbox::only<row{32, 1}>;\n"
                                  "template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void plain() {}\n"
                                  "int ask() { return launchbox::row_for<table>(plain<table>).items; }\n"}},
        {"the_one_row_too_large",
         "launch_box: a row has 1 to 1,024 threads",
         {used("launchbox::only<row{1025, 3}>")},
         {used("launchbox::only<row{1024, 3}>")}},
        {"the_given_row_too_large",
         "launch_box: a row has 1 to 1,024 threads",
         {used(box("launchbox::sm<80, row{256, 3}>")), {"-arch=sm_90", "-DLAUNCHBOX_ROW={1025\\,3}"}},
         {used(box("launchbox::sm<80, row{256, 3}>")), {"-arch=sm_90", "-DLAUNCHBOX_ROW={1024\\,3}"}}},
        {"the_given_row_with_min_blocks_that_ptxas_drops",
         "launch_box: ptxas would ignore min_blocks",
         {used(box("launchbox::sm<80, row{256, 3}>")), {"-arch=sm_90", "-DLAUNCHBOX_ROW={1024\\,3\\,3}"}},
         {used(box("launchbox::sm<80, row{256, 3}>")), {"-arch=sm_90", "-DLAUNCHBOX_ROW={1024\\,3\\,2}"}}},
        {"an_older_standard",
         "launchbox/launch_box.cuh needs C++20: compile with -std=c++20",
         {"", {"-arch=sm_90", "-std=c++17"}},
         {"", {"-arch=sm_90", "-std=c++20"}}},
        {"a_compiler_without_the_list",
         "launchbox/launch_box.cuh needs a compiler that defines __CUDA_ARCH_LIST__",
         {"", {"-arch=sm_90", "-U__CUDA_ARCH_LIST__"}},
         {"", {"-arch=sm_90"}}},
    };
    return all;
}

subprocess_result compile(const std::string& text, const std::vector<std::string>& options)
{
    const temporary_directory folder;
    const std::filesystem::path source = folder.path() / "unit.cu";
    write_file_atomically(source, "#include <launchbox/launch_box.cuh>\n" + text);
    std::vector<std::string> command{LAUNCHBOX_NVCC,
                                     "-ccbin",
                                     LAUNCHBOX_CXX,
                                     "-I" LAUNCHBOX_SOURCE_DIR "/include",
                                     source.string(),
                                     "-o",
                                     (folder.path() / "unit.out").string()};
    const auto has = [&](const std::string& start) {
        return std::any_of(options.begin(), options.end(),
                           [&](const std::string& option) { return option.starts_with(start); });
    };
    if (!has("-std=")) command.push_back("-std=c++20");
    if (!has("-fatbin") && !has("-c")) command.push_back("-cubin");
    command.insert(command.end(), options.begin(), options.end());
    return run(command);
}

int count(const std::string& text, const std::string& wanted)
{
    int found = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++found;
    return found;
}

/// The compiler's message for each error, with the instantiations that lead to it: a line "FILE(3): error..." and the
/// lines after it up to the next error.
std::vector<std::string> errors_in(const std::string& output)
{
    std::vector<std::string> errors;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("): error") != std::string::npos) errors.emplace_back();
        if (!errors.empty()) errors.back() += line + "\n";
    }
    return errors;
}

bool is_refused_with_one_error(const refusal& wanted, const subprocess_result& answer)
{
    return answer.exit_code != 0 && count(answer.output, ": error") == 1 && count(answer.output, "fatal") == 0 &&
           answer.output.find(wanted.sentence) != std::string::npos;
}

/// The cases that are refused when all are compiled together, each with only the expected error. #line gives each case
/// a file name, which is in its errors or in the instantiations that lead to them. An error may keep the compiler from
/// finding others: a case that is not in the result is undecided.
std::set<std::string> refused_together(const std::vector<const refusal*>& all)
{
    std::string text;
    for (const refusal* one : all)
        text += "#line 1 \"" + one->name + ".cu\"\nnamespace " + one->name + " {\n" + one->wrong.text + "}\n";
    const subprocess_result answer = compile(text, all.front()->wrong.options);
    const std::vector<std::string> errors = errors_in(answer.output);
    std::set<std::string> refused;
    for (const refusal* one : all) {
        std::vector<std::string> own;
        for (const std::string& error : errors)
            if (error.find(one->name + ".cu") != std::string::npos) own.push_back(error);
        if (answer.exit_code != 0 && own.size() == 1 && own.front().find(one->sentence) != std::string::npos)
            refused.insert(one->name);
    }
    return refused;
}

// All together first, since a run of nvcc for each would take minutes; then the undecided ones separately.
TEST(launch_box_refusal, each_is_one_error)
{
    if (!*LAUNCHBOX_NVCC) GTEST_SKIP() << "no nvcc here";
    const std::vector<refusal>& all = refusals();
    std::map<std::vector<std::string>, std::vector<const refusal*>> units;
    for (const refusal& one : all) units[one.wrong.options].push_back(&one);
    const std::vector<std::pair<std::vector<std::string>, std::vector<const refusal*>>> groups(units.begin(),
                                                                                               units.end());
    std::vector<std::set<std::string>> together(groups.size());
    run_parallel(groups.size(), [&](std::size_t i) {
        if (groups[i].second.size() > 1) together[i] = refused_together(groups[i].second);
    });

    std::vector<const refusal*> left;
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (const refusal* one : groups[i].second)
            if (!together[i].contains(one->name)) left.push_back(one);
    std::vector<subprocess_result> alone(left.size());
    run_parallel(left.size(), [&](std::size_t i) { alone[i] = compile(left[i]->wrong.text, left[i]->wrong.options); });
    for (std::size_t i = 0; i < left.size(); ++i)
        EXPECT_TRUE(is_refused_with_one_error(*left[i], alone[i]))
            << left[i]->name << ", which shall say: " << left[i]->sentence << "\n"
            << alone[i].output;
    std::cout << all.size() - left.size() << " refused together, " << left.size() << " alone\n";
}

// The cases with the same options are in one unit, each in its own namespace.
TEST(launch_box_acceptance, a_small_change_of_each_compiles_without_a_warning)
{
    if (!*LAUNCHBOX_NVCC) GTEST_SKIP() << "no nvcc here";
    std::map<std::vector<std::string>, std::string> units;
    for (const refusal& one : refusals())
        units[one.right.options] += "namespace " + one.name + " {\n" + one.right.text + "}\n";
    const std::vector<std::pair<std::vector<std::string>, std::string>> cases(units.begin(), units.end());
    std::vector<subprocess_result> results(cases.size());
    run_parallel(cases.size(), [&](std::size_t i) { results[i] = compile(cases[i].second, cases[i].first); });
    for (std::size_t i = 0; i < cases.size(); ++i) {
        EXPECT_EQ(results[i].exit_code, 0) << cases[i].first.front();
        EXPECT_EQ(results[i].output, "");
    }
}

// Under -fsanitize=undefined, GCC treats less as constant: for example not whether an address is null.
TEST(launch_box_acceptance, the_sanitizers_of_the_host_compiler_change_nothing)
{
    if (!*LAUNCHBOX_NVCC) GTEST_SKIP() << "no nvcc here";
    const subprocess_result result =
        compile(used("launchbox::launch_box<launchbox::sm<80, row{256, 3}>, launchbox::sm<90, row{512, 5, 2}>>"),
                {"-arch=sm_90", "-c", "-Xcompiler=-fsanitize=undefined"});
    EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(launch_box_without_nvcc, a_host_compiler_says_to_use_nvcc)
{
    const temporary_directory folder;
    const std::filesystem::path source = folder.path() / "unit.cpp";
    write_file_atomically(source, "#include <launchbox/launch_box.cuh>\n");
    const auto compile = [&](const std::vector<std::string>& options) {
        std::vector<std::string> command{LAUNCHBOX_CXX,   "-I" LAUNCHBOX_SOURCE_DIR "/include",
                                         "-isystem",      LAUNCHBOX_CUDA_INCLUDE,
                                         "-fsyntax-only", source.string()};
        command.insert(command.end(), options.begin(), options.end());
        return run(command).output;
    };
    const std::string host = compile({"-std=c++20"});
    EXPECT_EQ(count(host, ": error"), 1) << host;
    EXPECT_GE(count(host, "#error \"launchbox/launch_box.cuh defines kernels: compile it as CUDA C++"), 1) << host;
    const std::string old = compile({"-std=c++17"});
    EXPECT_EQ(count(old, ": error"), 1) << old;
    EXPECT_GE(count(old, "launchbox/launch_box.cuh needs C++20"), 1) << old;
}

}  // namespace
}  // namespace launchbox
