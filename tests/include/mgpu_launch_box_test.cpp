// Code in the style of MGPU 1.x with mgpu_launch_box.cuh: the host launches with the values compiled into the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "launch_box/workshop.hpp"

namespace launchbox {
namespace {

// Has the calls of MGPU's own kernels, and a context that is never used.
const char* const old_code = R"cuda(
#include <launchbox/mgpu_launch_box.cuh>
#include <cstdio>

namespace mgpu {
class CudaContext { CudaContext(const CudaContext&); public: CudaContext() {} cudaStream_t Stream() { return 0; } };

template<typename Tuning>
MGPU_LAUNCH_BOUNDS void KernelReverse(const int* source_global, int count, int* dest_global) {
    typedef MGPU_LAUNCH_PARAMS Params;
    const int NT = Params::NT;
    const int VT = Params::VT;
    const int NV = NT * VT;
    __shared__ int shared[NV];
    int tid = threadIdx.x;
    int gid = NV * blockIdx.x;
    #pragma unroll
    for(int i = 0; i < VT; ++i)
        shared[NT * i + tid] = NT * i + tid + gid < count ? source_global[NT * i + tid + gid] : 0;
    __syncthreads();
    for(int i = 0; i < VT; ++i)
        if(NT * i + tid + gid < count) dest_global[NT * i + tid + gid] = shared[NV - 1 - NT * i - tid];
}

template<typename Tuning>
void Reverse(const char* name, const int* source, int count, int* dest, CudaContext& context) {
    int2 launch = Tuning::GetLaunchParams(context);
    int NV = launch.x * launch.y;
    int numBlocks = (count + NV - 1) / NV;
    if(count) KernelReverse<Tuning><<<numBlocks, launch.x, 0, context.Stream()>>>(source, count, dest);
    printf("%s %d %d\n", name, launch.x, launch.y);
}

struct Box1 : LaunchBoxVT<128, 7> { };
struct Box2 : LaunchBoxVT<128, 7, 4, 192, 9, 5> { };
struct Box3 : LaunchBoxVT<128, 7, 4, 192, 9, 5, 256, 15, 3> { };

template<int NT_, int VT_, int OCC_, bool HalfCapacity_, typename Type>
struct MyParams {
    enum { NT = NT_, VT = VT_, OCC = OCC_, HalfCapacity = HalfCapacity_ };
    typedef Type T;
};
typedef LaunchBox<MyParams<128, 11, 0, false, short>, MyParams<128, 7, 0, true, int>, MyParams<64, 5, 6, true, double> >
    Mine;
template<typename Tuning>
MGPU_LAUNCH_BOUNDS void KernelMine(double* data) {
    typedef MGPU_LAUNCH_PARAMS Params;
    __shared__ typename Params::T shared[Params::HalfCapacity ? Params::NT / 2 : Params::NT];
    shared[threadIdx.x / 2] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = shared[threadIdx.x % 2];
}
}

// What has no counterpart in MGPU: the row, checked against the kernel.
void checked(int* data) {
    const auto r = launchbox::row_for<mgpu::Box3::table>(mgpu::KernelReverse<mgpu::Box3>);
    mgpu::KernelReverse<mgpu::Box3><<<1, r.threads>>>(data, r.items, data);
}

int main(int argc, char**) {
    mgpu::CudaContext context;
    const int count = argc - 1;  // nothing is launched
    mgpu::Reverse<mgpu::Box1>("Box1", 0, count, 0, context);
    mgpu::Reverse<mgpu::Box2>("Box2", 0, count, 0, context);
    mgpu::Reverse<mgpu::Box3>("Box3", 0, count, 0, context);
    int2 launch = mgpu::Mine::GetLaunchParams();
    if(count) mgpu::KernelMine<mgpu::Mine><<<1, launch.x>>>(0);
    printf("Mine %d %d\n", launch.x, launch.y);
    static_assert(mgpu::Mine::Params::HalfCapacity && sizeof(mgpu::Mine::Sm20::T) == 2, "");
    if(count > 1) checked(0);
}
)cuda";

// The kernel of a tuning. One image per architecture of an executable is the linker's and has no kernels.
kernel_info kernel_of(const std::vector<image>& images, const std::string& architecture, const std::string& tuning)
{
    std::vector<kernel_info> found;
    for (const image& in : images)
        for (const auto& [name, kernel] : in.kernels)
            if (in.architecture == architecture && demangle(kernel.name).find("<mgpu::" + tuning) != std::string::npos)
                found.push_back(kernel);
    EXPECT_EQ(found.size(), 1u) << architecture << ": kernels of " << tuning;
    return found.empty() ? kernel_info() : found.front();
}

TEST(mgpu_launch_box, the_host_launches_with_the_kernels_values)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    shop.write("old.cu", old_code);
    shop.nvcc({code("80", "sm_80"), code("90", "sm_90"), "old.cu", "-o", "old"});
    const subprocess_result said = run({shop.path("old")});
    ASSERT_EQ(said.exit_code, 0) << said.output;

    struct expected {
        std::string name, tuning;
        int threads, items, min_blocks, shared;
    };
    // Expected values: the newest row that is given. The tile is of int; that of Mine is of 32 double.
    const std::array<expected, 4> all{{{"Box1", "Box1>", 128, 7, 0, 128 * 7 * 4},
                                       {"Box2", "Box2>", 192, 9, 5, 192 * 9 * 4},
                                       {"Box3", "Box3>", 256, 15, 3, 256 * 15 * 4},
                                       {"Mine", "LaunchBox<", 64, 5, 6, 32 * 8}}};
    std::string wanted;
    for (const expected& one : all)
        wanted += one.name + " " + std::to_string(one.threads) + " " + std::to_string(one.items) + "\n";
    EXPECT_EQ(said.output, wanted);
    const std::vector<image> images = shop.images("old");
    for (const char* architecture : {"sm_80", "sm_90"}) {
        for (const expected& one : all) {
            SCOPED_TRACE(std::string(architecture) + " " + one.name);
            const kernel_info kernel = kernel_of(images, architecture, one.tuning);
            EXPECT_EQ(kernel.bounds.max_threads, (std::array{one.threads, 1, 1}));
            EXPECT_EQ(kernel.figures.static_shared_bytes, one.shared);
            // Rounded down to a multiple of 8; without min_blocks only the threads of a block count.
            const int cap = 65536 / (one.threads * std::max(one.min_blocks, 1)) / 8 * 8;
            EXPECT_EQ(kernel.bounds.register_cap, std::min(cap, 255));
        }
    }
}

TEST(mgpu_launch_box, invalid_uses_do_not_compile)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    const auto complaint = [&](const std::string& text) {
        shop.write("wrong.cu", text);
        const subprocess_result result =
            run({LAUNCHBOX_NVCC, "-ccbin", LAUNCHBOX_CXX, "-std=c++20", "-I" LAUNCHBOX_SOURCE_DIR "/include",
                 "-arch=sm_90", "-cubin", shop.path("wrong.cu"), "-o", shop.path("wrong.cubin")});
        return result.exit_code == 0 ? std::string() : result.output;
    };
    const std::string include = "#include <launchbox/mgpu_launch_box.cuh>\n";
    const std::string ask = include + "typedef mgpu::LaunchBoxVT<128, 7> Tuning;\nint ask(int sm) { return ";
    EXPECT_EQ(complaint(ask + "Tuning::GetLaunchParams().x + sm; }\n"), "");
    for (const char* number : {"350", "sm", "static_cast<const int&>(sm)"})
        EXPECT_NE(complaint(ask + "Tuning::GetLaunchParams(" + number + ").x; }\n").find("GetLaunchParams: a number"),
                  std::string::npos)
            << number;
    EXPECT_NE(complaint("#define MGPU_LAUNCH_BOUNDS\n" + include).find("replaces MGPU's"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
