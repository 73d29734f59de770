// Two shared libraries that launch kernels, each with its own CUDA runtime: the dynamic linker must not merge functions
// that call the runtime.
#include <gtest/gtest.h>

#include <string>

#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

constexpr const char* library = R"(
#include <launchbox/launch_box.cuh>
struct row { int threads, items, min_blocks = 0; };
struct body {
    using tuning = launchbox::by_size<launchbox::upto<100, launchbox::only<row{64, 1}>>,
                                      launchbox::otherwise<launchbox::launch_box<launchbox::sm<75, row{256, 3}>>>>;
    template <row r> static __device__ void run(int* data) { data[threadIdx.x] = r.items; }
};
struct table : launchbox::only<row{32, 1}> {};
__global__ LAUNCHBOX_BOUNDS(table) void plain(int* data) { *data = 1; }
struct keeps {  // a class of the user's, of our types: no warning
    launchbox::launch_config config;
    launchbox::blocks blocks;
    launchbox::block_size_suggestion suggestion;
};
int use(int* data, const keeps& kept)
{
    launchbox::prepare<body>();
    launchbox::launch<body>(nullptr, kept.blocks, data);
    launchbox::launch<body>(kept.config, 1, data);
    launchbox::launch(plain, kept.config, data);
    const row r = launchbox::row_for<table>(plain);
    const std::string text = launchbox::explain<body>() + launchbox::explain_launch(plain, kept.config);
    return launchbox::suggest_block_size(plain).threads + r.threads + int(text.size()) + launchbox::row_for<body>().items +
           launchbox::resident_blocks<body>() + launchbox::resident_blocks(plain, {.threads = 32}) +
           launchbox::try_launch<body>(nullptr, 1, data);
}
)";

TEST(launch_visibility, functions_that_call_the_runtime_are_not_exported)
{
    if (*LAUNCHBOX_NVCC == '\0') GTEST_SKIP() << "needs nvcc";
    const temporary_directory folder;
    const std::string source = (folder.path() / "library.cu").string(),
                      shared = (folder.path() / "library.so").string();
    write_file_atomically(source, library);
    const subprocess_result built = run({LAUNCHBOX_NVCC, "-ccbin", LAUNCHBOX_CXX, "-std=c++20", "-arch=sm_90", "-O0",
                                         "-Werror=all-warnings", "-Xcompiler=-fPIC,-Wall,-Wextra,-Werror", "-shared",
                                         "-I" LAUNCHBOX_SOURCE_DIR "/include", source, "-o", shared});
    ASSERT_EQ(built.exit_code, 0) << built.output;

    // Functions of ours that call the runtime and are visible outside the object: at -O0 nothing is inlined.
    const subprocess_result all = run({"nm", "-C", "--defined-only", shared});
    const subprocess_result exported = run({"nm", "-DC", "--defined-only", shared});
    ASSERT_EQ(all.exit_code, 0) << all.output;
    ASSERT_EQ(exported.exit_code, 0) << exported.output;
    for (const char* name :
         {"launchbox::detail::launch_checked(", "launchbox::detail::choose_row(", "launchbox::detail::gather(",
          "launchbox::detail::opted_in", "launchbox::detail::tuned_entry<body", "launchbox::detail::unit_pointers<body",
          "launchbox::detail::table_entry<table", "void launchbox::launch<int*, int*&>(",
          "void launchbox::launch<body,", "launchbox::detail::know("}) {
        EXPECT_NE(all.output.find(name), std::string::npos) << name;
        EXPECT_EQ(exported.output.find(name), std::string::npos) << name;
    }
    EXPECT_EQ(exported.output.find("unit_for<"), std::string::npos) << exported.output;
    EXPECT_NE(exported.output.find("typeinfo for launchbox::launch_error"), std::string::npos);  // caught outside
}

}  // namespace
}  // namespace launchbox
