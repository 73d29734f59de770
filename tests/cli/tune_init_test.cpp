// launchbox tune --init: the spec that it writes from a source runs unchanged, and lists what the source does not say.
#include "tool.hpp"

#include <filesystem>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* saxpy = R"(#include <cstdio>
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main()
{
    int N = 1 << 20;
    float *x, *y;
    cudaMalloc(&x, N * sizeof(float));
    cudaMalloc((void **)&y, sizeof(float) * N);
    saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, x, y);
}
)";

// A register-blocked matrix product, launched by a function that knows no sizes.
constexpr const char* sgemm = R"(#include <cuda_runtime.h>
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
typedef unsigned int word;
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN))
    sgemm(int M, int N, int K, float alpha, const float *A, const float *B, float beta, float *C)
{
    __shared__ float a[BM * BK], b[BK * BN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    constexpr int threads = BM * BN / (TM * TN);
    const int row = threadIdx.x / (BN / TN) * TM, column = threadIdx.x % (BN / TN) * TN;
    float sums[TM][TN] = {};
    for (int k = 0; k < K; k += BK) {
        for (int i = threadIdx.x; i < BM * BK; i += threads) a[i] = A[i / BK * K + i % BK];
        for (int i = threadIdx.x; i < BK * BN; i += threads) b[i] = B[i / BN * N + i % BN];
        __syncthreads();
        for (int d = 0; d < BK; ++d)
            for (int m = 0; m < TM; ++m)
                for (int n = 0; n < TN; ++n) sums[m][n] += a[(row + m) * BK + d] * b[d * BN + column + n];
        __syncthreads();
        A += BK;
        B += BK * N;
    }
    for (int m = 0; m < TM; ++m)
        for (int n = 0; n < TN; ++n) {
            float &c = C[(row + m) * N + column + n];
            c = alpha * sums[m][n] + beta * c;
        }
}
void run(int M, int N, int K, float alpha, float *A, float *B, float beta, float *C)
{
    const word BK = 8, TM = 8, TN = 8;
    const word BM = 128;
    const word BN = 128;
    dim3 gridDim(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
    dim3 blockDim((BM * BN) / (TM * TN));
    sgemm<BM, BN, BK, TM, TN><<<gridDim, blockDim>>>(M, N, K, alpha, A, B, beta, C);
}
)";

constexpr const char* layernorm = R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
inline int ceil_div(int a, int b) { return (a + b - 1) / b; }
__global__ void layernorm(float *__restrict__ out, float *__restrict__ mean, const float *__restrict__ inp,
                          const float *__restrict__ weight, int N, int C)
{
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (idx >= N) return;
    const float *x = inp + idx * C;
    float sum = 0;
    for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (warp.thread_rank() == 0 && mean != nullptr) mean[idx] = sum / C;
    for (int c = warp.thread_rank(); c < C; c += warp.size()) out[idx * C + c] = (x[c] - sum / C) * weight[c];
}
void forward(float *out, float *mean, const float *inp, const float *weight, int B, int T, int C, const int block_size)
{
    layernorm<<<ceil_div(B * T * 32, block_size), block_size>>>(out, mean, inp, weight, B * T, C);
}
)";

// A kernel for each feature: constants, arrays as parameters, templates, structs, enumerations, variables.
constexpr const char* many = R"(#define TILE 32
#ifndef ROWS
#define ROWS 8
#endif
constexpr int PAD = 1;
__constant__ float scale[25];
__device__ int counter;
typedef float real;
struct particle { float x, y, z; int id; };
enum class mode { slow, fast };
__global__ void transpose(real *odata, const real *idata, int width, int height)
{
    __shared__ real tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x] * scale[0];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    if (threadIdx.x == 0) atomicAdd(&counter, 1);
}
template <typename T, int ITEMS = 4>
__global__ void arrays(T in[], T out[][64], const particle *parts, const int *where, mode how, size_t n)
{
    for (int k = 0; k < ITEMS; ++k) {
        size_t i = (blockIdx.x * ITEMS + k) * blockDim.x + threadIdx.x;
        if (i < n) out[i / 64][i % 64] = in[where[i]] * T(parts[i].x) + T(int(how));
    }
}
namespace inside {
template <typename T> __global__ void copy4(const float4 *in, float4 *out, T n) { out[threadIdx.x] = in[n]; }
}
namespace {
__global__ void hidden(int *counts, int by) { counts[blockIdx.x * blockDim.x + threadIdx.x] += by; }
}
__global__ void by_value(particle p, float *out) { out[threadIdx.x] = p.x; }
__global__ void rows(float **of) { of[0][0] = 1; }
__global__ void declared(float *x, int n);
template <int N, bool FAST> __global__ void never(float *x) { x[0] = N; }
int main()
{
    const int width = 1024, height = 512;
    const int mem_size = width * height * sizeof(float);
    float *d_odata, *d_idata;
    double *in;
    cudaMalloc((void **)&d_odata, mem_size);
    cudaMalloc(reinterpret_cast<void **>(&d_idata), mem_size);
    dim3 dimGrid(width / TILE, height / TILE, 1);
    dim3 dimBlock(TILE, ROWS, 1);
    transpose<<<dimGrid, dimBlock>>>(d_odata, d_idata, width, height);
    size_t n = 1000000;
    arrays<double, 8><<<int(ceil(n / 1024.0)), 128>>>(in, (double(*)[64])in, nullptr, (int *)d_idata, mode::fast, n);
    hidden<<<256, 256>>>((int *)d_idata, -1);
    inside::copy4<int><<<1, 128>>>((float4 *)d_idata, (float4 *)d_odata, 4);
    by_value<<<1, 32>>>(particle{}, d_odata);
    rows<<<1, 32>>>(nullptr);
}
)";

class tune_init : public testing::Test {
protected:
    void SetUp() override { NEEDS_NVCC(); }

    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
        return (folder_.path() / name).string();
    }

    [[nodiscard]] call init(const std::string& source, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> words{"tune", "--init", source, "--arch", "sm_90"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words);
    }

    // The spec for this source; --check accepts it.
    [[nodiscard]] std::string checked(const std::string& source, const std::vector<std::string>& more = {}) const
    {
        const std::string spec = (folder_.path() / "made.toml").string();
        std::vector<std::string> words{"-o", spec, "--overwrite"};
        words.insert(words.end(), more.begin(), more.end());
        const call made = init(source, words);
        EXPECT_EQ(made.status, 0) << made.err;
        const call right = launchbox_run({"tune", "--check", spec, "--arch", "sm_90"});
        EXPECT_EQ(right.status, 0) << right.err << read_file(spec);
        EXPECT_TRUE(right.says("expressions, files and arguments are correct")) << right.err;
        return read_file(spec);
    }

    static void expect_line(const std::string& spec, const std::string& line)
    {
        EXPECT_NE(spec.find(line), std::string::npos) << "no: " << line << "\nin:\n" << spec;
    }

    temporary_directory folder_;
};

TEST_F(tune_init, writes_what_the_source_says)
{
    const std::string spec = checked(write("saxpy.cu", saxpy));
    expect_line(spec, "\nsource = \"saxpy.cu\"\n");
    expect_line(spec, "baseline = { threads = 256 }");
    expect_line(spec, "threads = [64, 128, 256, 512, 1024]\n");
    expect_line(spec, "\nn = 1048576 ");
    expect_line(spec, "blocks = \"ceil_div(n, threads)\"\n");
    expect_line(spec, "{ name = \"a\", type = \"float\", value = \"2.0\" }");
    expect_line(spec, "{ name = \"x\", type = \"float\", count = \"n\", fill = \"random\" }");
    expect_line(spec, "{ name = \"y\", type = \"float\", count = \"n\", fill = \"random\", role = \"in_out\" }");
    const call built = launchbox_run({"tune", (folder_.path() / "made.toml").string(), "--build-only", "--arch",
                                      "sm_90", "--budget", "2", "--format", "json"});
    EXPECT_EQ(built.status, 0) << built.err;
    for (const auto& candidate : built.json()["candidates"]) {
        EXPECT_EQ(candidate["outcome"], "built") << candidate;
        EXPECT_GT(candidate["launch"]["occupancy"].get<double>(), 0) << candidate;
    }
}

TEST_F(tune_init, template_parameters_become_parameters_and_host_macros_are_followed)
{
    const std::string spec = checked(write("sgemm.cu", sgemm), {"-k", "sgemm*"});
    expect_line(spec, "baseline = { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8 }");
    expect_line(spec, "name = \"sgemm<{BM}, {BN}, {BK}, {TM}, {TN}>\"");
    expect_line(spec, "threads = \"BM * BN // (TM * TN)\"");
    expect_line(spec, "blocks = [\"ceil_div(N, BN)\", \"ceil_div(M, BM)\"]");
    expect_line(spec, "\"BM * BN % (TM * TN) == 0\"");
    expect_line(spec, "\"BM * BN // (TM * TN) <= 1024\"");
    expect_line(spec, "M = 256  # which value does your program pass? fill in");
    expect_line(spec, "# how many elements? fill in");
    const call built = launchbox_run(
        {"tune", (folder_.path() / "made.toml").string(), "--build-only", "--arch", "sm_90", "--budget", "1"});
    EXPECT_EQ(built.status, 0) << built.err;
    EXPECT_TRUE(built.shows("baseline")) << built.out;
    EXPECT_TRUE(built.shows("Ranked by spilled bytes")) << built.out;
}

TEST_F(tune_init, a_function_that_chooses_the_block_size_is_followed)
{
    const std::string spec = checked(write("layernorm.cu", layernorm));
    expect_line(spec, "threads = \"threads\"");
    expect_line(spec, "blocks = \"ceil_div(B * T * 32, threads)\"");
    expect_line(spec, "{ name = \"N\", type = \"int\", value = \"B * T\" }");
    expect_line(
        spec, "{ name = \"mean\", type = \"float\", count = \"4 * B * T * C\", fill = \"poison\", role = \"output\" }");
    expect_line(spec, "# the source does not show its launch: the baseline is a guess");
}

TEST_F(tune_init, constants_and_variables_of_the_source)
{
    const std::string spec = checked(write("many.cu", many), {"-k", "transpose"});
    expect_line(spec, "constants = [\"TILE\", \"ROWS\", \"PAD\"]");
    expect_line(spec, "threads = [\"TILE\", \"ROWS\"]");
    expect_line(spec, "blocks = [\"width // TILE\", \"height // TILE\"]");
    expect_line(spec, "\"width % TILE == 0\"");
    expect_line(spec, "\"TILE * ROWS <= 1024\"");
    expect_line(spec,
                "{ name = \"odata\", type = \"float\", count = \"width * height\", fill = \"poison\", role = "
                "\"output\" }");
    expect_line(spec, "{ name = \"scale\", type = \"float\", count = 25, fill = \"random\" }");
    expect_line(spec, "{ name = \"counter\", reset = true }");
    // The parameters replace the definitions: the tile's bytes are those of the parameters.
    const call built = launchbox_run({"tune", (folder_.path() / "made.toml").string(), "--build-only", "--arch",
                                      "sm_90", "--budget", "2", "--format", "json"});
    ASSERT_EQ(built.status, 0) << built.err;
    for (const auto& candidate : built.json()["candidates"]) {
        const auto& parameters = candidate["parameters"];
        const int tile = parameters["TILE"], pad = parameters["PAD"];
        EXPECT_EQ(candidate["resources"]["static_shared_bytes"], tile * (tile + pad) * 4) << candidate;
    }
}

TEST_F(tune_init, arrays_types_and_enumerations)
{
    const std::string file = write("many.cu", many);
    const std::string spec = checked(file, {"-k", "arrays"});
    expect_line(spec, "name = \"arrays<{T}, {ITEMS}>\"");
    expect_line(spec, "T = \"double\"");
    expect_line(spec, "blocks = \"ceil_div(n, 1024)\"  # the same for every block size");
    expect_line(spec, "{ name = \"in\", type = \"{T}\", count = \"4 * n\", fill = \"random\"");
    expect_line(spec, "{ name = \"parts\", type = \"size_t\", value = 0 },  # a null pointer");
    expect_line(spec, "{ name = \"where\", type = \"int\", count = 524288, fill = \"zeros\" }");
    expect_line(spec, "{ name = \"how\", type = \"int\", value = 1 },  # mode");
    const std::string hidden = checked(file, {"-k", "hidden"});
    expect_line(hidden, "\nname = \"hidden\"\nthreads = \"threads\"\nblocks = 256  # the same for every block size");
    expect_line(hidden, "\nby = -1  # as the source has it");
    const std::string vectors = checked(file, {"-k", "inside::copy4"});
    expect_line(vectors, "name = \"inside::copy4<{T}>\"");
    expect_line(vectors, "{ name = \"in\", type = \"float\", count = ");
    expect_line(vectors, "float4: 4 numbers each");
}

TEST_F(tune_init, a_block_size_known_only_to_the_caller_and_a_pointer_into_a_buffer)
{
    const std::string spec = checked(write(
        "reduce.cu",
        "template <unsigned blockSize> __global__ void reduce(const int* in, int* out, unsigned n)\n"
        "{ extern __shared__ int s[]; s[threadIdx.x] = in[blockIdx.x * blockSize + threadIdx.x];\n"
        "__syncthreads(); if (threadIdx.x == 0) out[blockIdx.x] = s[blockSize - 1] + n; }\n"
        "void run(int* in, int* out, unsigned n, int threads, int blocks)\n"
        "{ dim3 block(threads, 1, 1); reduce<512><<<blocks, block, threads * sizeof(int)>>>(in + 3, out, n); }\n"));
    expect_line(spec, "threads = \"blockSize\"  # blockSize is the block size, by its name");
    expect_line(spec, "blockSize = [32, 64, 128, 256, 512, 1024]");
    expect_line(spec, "dynamic_shared = \"blockSize * 4\"");
    expect_line(spec, "the source passes in + 3; this is the buffer's start");
    expect_line(spec, "{ name = \"in\", type = \"int\", count = \"4 * n\", fill = \"random\" }");
}

// A spec made of guesses can only be safe: what is not known is large enough.
TEST_F(tune_init, guesses_are_safe)
{
    const std::string spec =
        checked(write("guesses.cu",
                      "struct pack { static constexpr int size = sizeof(int4) / sizeof(float); };\n"
                      "template <class T> T some();\n"
                      "__global__ void split(float* q, float* k, const float* qk, int n)\n"
                      "{ extern __shared__ float s[]; s[threadIdx.x] = qk[threadIdx.x]; __syncthreads();\n"
                      "  for (int i = threadIdx.x; i < n; i += blockDim.x) q[i] = qk[i] * s[0], k[i] = qk[n + i]; }\n"
                      "void run(float* q, float* k, float* qk, int n, int bytes, int threads)\n"
                      "{ split<<<n / (threads * pack::size), threads, bytes>>>(q, k, qk, n); }\n"));
    expect_line(spec, "count = \"4 * n\"");
    expect_line(spec, "bytes = 49152  # of the launch; not in the source: fill in");
    EXPECT_EQ(spec.find("\nsize = "), std::string::npos) << spec;
}

// A step that does not divide the tile runs past its end; a loop that begins at the thread's number does not.
TEST_F(tune_init, loops_over_a_tile_must_divide_it)
{
    const auto spec_of = [&](const std::string& loop) {
        return checked(write("tile.cu",
                             "#define TILE 32\n#define ROWS 8\n"
                             "__global__ void turn(float* out, const float* in)\n"
                             "{ __shared__ float tile[TILE][TILE];\n  " +
                                 loop +
                                 "\n  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];\n"
                                 "  out[threadIdx.x] = tile[0][threadIdx.x]; }\n"
                                 "void run(float* out, float* in) { turn<<<16, dim3(TILE, ROWS)>>>(out, in); }\n"));
    };
    expect_line(spec_of("for (int row = 0; row < TILE; row += ROWS)"), "\"TILE % ROWS == 0\"");
    for (const char* other :
         {"for (int row = threadIdx.y; row < TILE; row += ROWS)", "for (int i = 0; i < ROWS; i += 1)",
          "for (;;) if (ROWS) break; else", "for (int row = 0; row < 64; row += ROWS)"})
        EXPECT_EQ(spec_of(other).find("TILE % ROWS"), std::string::npos) << other;
}

// A host function that launches a kernel often has the kernel's name, and kernels for two types can have the same name.
TEST_F(tune_init, one_of_several_functions_with_the_same_name)
{
    const std::string file = write("names.cu",
                                   "template <int N> __global__ void scale(float* p, int n)\n"
                                   "{ if (threadIdx.x < n) p[threadIdx.x] *= N; }\n"
                                   "__global__ void add(float* p, const int* q) { p[threadIdx.x] += q[0]; }\n"
                                   "__global__ void add(int* p, const int* q) { p[threadIdx.x] += q[0]; }\n"
                                   "void scale(float* p, int n) { scale<4><<<1, 256>>>(p, n); }\n");
    const auto builds = [&] {
        const call built = launchbox_run({"tune", (folder_.path() / "made.toml").string(), "--build-only", "--arch",
                                          "sm_90", "--budget", "1", "--format", "json"});
        EXPECT_EQ(built.status, 0) << built.err;
        EXPECT_EQ(built.json()["candidates"][0]["outcome"], "built") << built.out;
    };
    expect_line(checked(file, {"-k", "scale*"}), "name = \"scale<{N}>(float*, int)\"");
    expect_refused(init(file, {"-k", "add"}), "has several kernels add");
    expect_line(checked(file, {"-k", "add(int*, int const*)"}), "name = \"add(int*, int const*)\"");
    builds();
    // NVRTC gets no host code.
    expect_line(checked(write("two.cu",
                              "__global__ void add(float* p) { p[threadIdx.x] += 1; }\n"
                              "__global__ void add(int* p) { p[threadIdx.x] += 1; }\n"),
                        {"-k", "add(int*)"}),
                "name = \"add(int*)\"");
    builds();
}

TEST_F(tune_init, sources_that_give_no_spec_are_refused_in_one_line)
{
    const std::string file = write("many.cu", many);
    const auto refused = [&](const std::vector<std::string>& more, const std::string& words) {
        expect_refused(init(file, more), words);
    };
    refused({}, "has 6 kernels: (anonymous namespace)::hidden, arrays, by_value, inside::copy4, rows, transpose");
    refused({"-k", "[ab]*"}, "has 2 kernels that match '[ab]*': arrays, by_value");
    refused({"-k", "nothing"}, "no kernel matches 'nothing'");
    refused({"-k", "declared"}, "the kernel declared is only declared here");
    refused({"-k", "never"}, "the kernel template never has no instance in this source");
    refused({"-k", "by_value"}, "a spec cannot describe all arguments of by_value: p is a particle by value");
    refused({"-k", "rows"}, "of is pointers in device memory (float**)");
    expect_refused(init(write("bad.cu", "__global__ void f() { x = 1; }\n")), "bad.cu does not compile: ");
    expect_refused(init(write("none.cu", "int main() {}\n")), "none.cu has no kernel");
    expect_refused(init((folder_.path() / "no.cu").string()), "no.cu");
    expect_refused(init(write("k.toml", "")), "k.toml is not a CUDA source");
    expect_refused(init(file, {"spec.toml"}), "both are given");
    expect_refused(init(file, {"--check"}), "--init excludes --check");
    expect_refused(launchbox_run({"tune", "-k", "f", "x.toml"}), "there is no --init");
    expect_refused(launchbox_run({"tune"}), "SPEC is missing");
}

TEST_F(tune_init, a_source_without_launches_still_gets_a_spec)
{
    const std::string spec =
        checked(write("k.cu",
                      "template <int N, bool FAST> __global__ void __launch_bounds__(N) f(float* x, int n)\n"
                      "{ if (blockIdx.x * N + threadIdx.x < n) x[blockIdx.x * N + threadIdx.x] = FAST; }\n"),
                {"-k", "f<128, true>"});
    expect_line(spec, "# The source does not launch the kernel");
    expect_line(spec, "name = \"f<{N}, true>\"");
    expect_line(spec, "threads = \"N\"");
    expect_line(spec, "N = [32, 64, 128, 256, 512, 1024]");
    expect_line(spec, "# the source does not show how many blocks: fill in");
}

TEST_F(tune_init, examples_in_the_repository)
{
    expect_line(checked(repository_file("examples/matrix_multiply/matrix_multiply.cu"),
                        {"-k", "matrix_multiply<64, 64, 16, 4, 4, 4, layout::blocked, 0>"}),
                "(layout)0");
    expect_line(checked(repository_file("examples/transpose.cu")), "count = \"width * height\"");
}

TEST_F(tune_init, more_examples_exhaustive)
{
    const auto example_of = [&](const std::string& file, const std::string& kernel) {
        return checked(repository_file("examples/" + file),
                       {"-k", kernel, "--", "-std=c++20", "-I" + repository_file("include")});
    };
    expect_line(example_of("block_sort/block_sort.cu", "block_sort<int, 256, 11, 0>"), "threads = \"threads\"");
    expect_line(example_of("simple_occupancy.cu", "*"), "threads");
    expect_line(example_of("merge.cu", "merge_tiles"), "[kernel]");
}

// The steps of the tutorial, on a double of a GPU.
TEST_F(tune_init, from_a_source_to_a_header)
{
    nlohmann::json plan{{"state", (folder_.path() / "state.json").string()}, {"noise", 0.001}};
    plan["devices"] = {{{"name", "Double"}, {"memory_bytes", 256 << 20}}};
    plan["kernels"] = {{{"match", "copy"},
                        {"effect", "copy"},
                        {"ns", 20000},
                        {"terms", {{{"group", 0}, {"best", 512}, {"cost", 0.2}}}}}};
    write_file_atomically(folder_.path() / "plan.json", plan.dump());
    (void)checked(write("copy.cu",
                        "__global__ void copy(const float* in, float* out, int n)\n"
                        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }\n"
                        "void run(float* in, float* out) { const int n = 10000; int threads = 128;\n"
                        "copy<<<(n + threads - 1) / threads, threads>>>(in, out, n); }\n"));
    const std::string spec = (folder_.path() / "made.toml").string(), store = (folder_.path() / "made.db").string();
    const call tuned = launchbox_run({"tune", spec, "--store", store}, {},
                                     {std::string("LD_LIBRARY_PATH=") + LAUNCHBOX_FAKE_DRIVER,
                                      "FAKE_GPU_PLAN=" + (folder_.path() / "plan.json").string()});
    EXPECT_EQ(tuned.status, 0) << tuned.err << tuned.out;
    const call shown = launchbox_run({"results", store});
    EXPECT_TRUE(shown.shows("baseline")) << shown.out << shown.err;
    const call header = launchbox_run({"emit", store, "--format", "constexpr"});
    EXPECT_EQ(header.status, 0) << header.err;
    EXPECT_TRUE(header.shows("512")) << header.out;
}

}  // namespace
}  // namespace launchbox
