// Squares an array twice: with manually chosen blocks of 32 threads, and with the block size that launchbox suggests.
// For both it prints the time, the blocks, the potential occupancy and its limiters, and for the suggested size the
// smallest grid that fills the GPU.
//
//     simple_occupancy                          on the GPU here; without one it says so, and what the model says of all
//                                               architectures that it was compiled for
//     simple_occupancy --arch sm_80,sm_120      what the model says of these, with the registers that this program has
//                                               for them: `launchbox inspect` reads them from its own file
#include <launchbox/launch.cuh>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace launchbox;

__global__ void square(int* array, int count)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) array[at] *= array[at];
}

constexpr int count = 1 << 22;
constexpr int manual_threads = 32;

static int blocks_of(int threads)
{
    return (count + threads - 1) / threads;
}

static void print_heading(const char* where, int registers)
{
    std::printf("%s: %d elements, %d registers\n", where, count, registers);
    std::printf("  %-10s %7s %9s %10s  %-18s %s\n", "block", "threads", "blocks", "occupancy", "limited by", "time");
}

static void print_row(const char* name, int threads, const occupancy_result& account, double milliseconds = -1)
{
    const char* names[resource_count] = {"warps", "blocks", "registers", "shared memory", "barriers", "virtual"};
    std::string limiters;
    for (int i = 0; i < resource_count; ++i)
        if (account.limiters.contains(static_cast<resource>(i))) {
            if (!limiters.empty()) limiters += ", ";
            limiters += names[i];
        }
    std::printf("  %-10s %7d %9d %8.0f %%  %-18s ", name, threads, blocks_of(threads), 100 * account.occupancy(),
                limiters.c_str());
    if (milliseconds >= 0)
        std::printf("%.4f ms\n", milliseconds);
    else
        std::printf("-\n");
}

// The mean of several launches, after one that is not counted. Throws launch_error if a launch is refused.
static double milliseconds_of(int* array, int threads)
{
    constexpr int launches = 20;
    cudaEvent_t begin = nullptr, end = nullptr;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    launch(square, {.grid = blocks_of(threads), .threads = threads}, array, count);
    cudaEventRecord(begin);
    for (int i = 0; i < launches; ++i) launch(square, {.grid = blocks_of(threads), .threads = threads}, array, count);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float total = 0;
    cudaEventElapsedTime(&total, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return total / launches;
}

static bool squares_correctly(int* array, int threads)
{
    std::vector<int> values(count);
    for (int i = 0; i < count; ++i) values[i] = i % 1000;
    cudaMemcpy(array, values.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    launch(square, {.grid = blocks_of(threads), .threads = threads}, array, count);
    cudaMemcpy(values.data(), array, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; ++i)
        if (values[i] != i % 1000 * (i % 1000)) return false;
    return true;
}

static int run_on_gpu()
{
    cudaDeviceProp device{};
    cudaGetDeviceProperties(&device, 0);
    int* array = nullptr;
    if (cudaMalloc(&array, count * sizeof(int)) != cudaSuccess) {
        std::fprintf(stderr, "no memory on the GPU for %d elements\n", count);
        return 1;
    }
    print_heading(device.name, kernel_resources_of(square).registers);
    const block_size_suggestion suggested = suggest_block_size(square);
    for (const int threads : {manual_threads, suggested.threads}) {
        if (!squares_correctly(array, threads)) {
            std::fprintf(stderr, "wrong squares with %d threads\n", threads);
            return 1;
        }
        print_row(threads == manual_threads ? "manual" : "suggested", threads,
                  occupancy_of(square, {.threads = threads}), milliseconds_of(array, threads));
    }
    std::printf("  minimum grid for this occupancy: %d blocks\n", suggested.grid);
    cudaFree(array);
    return 0;
}

static std::vector<std::string> split(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            fields.emplace_back();
        else if (c != '\n')
            fields.back() += c;
    }
    return fields;
}

// Registers of the kernel by architecture, in ascending order, as the compiler wrote them into this program; nullopt if
// the tool is missing. Without named architectures: all that the program has.
using registers_by_architecture = std::vector<std::pair<std::string, int>>;
static std::optional<registers_by_architecture> registers_in_this_program(const std::string& architectures = "")
{
    const std::string command = "\"${LAUNCHBOX:-launchbox}\" inspect /proc/" + std::to_string(getpid()) +
                                "/exe --kernel square --format csv" +
                                (architectures.empty() ? "" : " --arch " + architectures);
    registers_by_architecture result;
    std::FILE* output = popen(command.c_str(), "r");
    if (!output) return std::nullopt;
    std::size_t architecture = 0, registers = 0;
    for (char line[4096]; std::fgets(line, sizeof line, output);) {
        const std::vector<std::string> fields = split(line);
        if (fields.front() == "file") {
            for (std::size_t i = 0; i < fields.size(); ++i) {
                if (fields[i] == "architecture") architecture = i;
                if (fields[i] == "registers") registers = i;
            }
        } else if (registers != 0 && fields.size() > registers) {
            result.emplace_back(fields[architecture], std::atoi(fields[registers].c_str()));
        }
    }
    const int status = pclose(output);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return std::nullopt;  // the shell did not find the program
    return result;
}

static int nobody_to_ask()
{
    std::fprintf(stderr,
                 "cannot read the registers of this program: put launchbox into PATH, or say where it is with "
                 "LAUNCHBOX=/path/to/launchbox\n");
    return 3;
}

static void ask_model(const std::string& architecture, int registers)
{
    const sm_limits& limits = *find_sm_limits(*parse_compute_capability(architecture));
    const kernel_resources kernel{.registers = registers};
    print_heading(architecture.c_str(), registers);
    print_row("manual", manual_threads, occupancy(limits, kernel, {.threads = manual_threads}));
    const block_size_choice suggested = suggest_block_size(limits, kernel);
    print_row("suggested", suggested.threads, occupancy(limits, kernel, {.threads = suggested.threads}));
    std::printf("  minimum grid for this occupancy: %d %s for each SM\n", suggested.resident_blocks,
                suggested.resident_blocks == 1 ? "block" : "blocks");
}

static int ask_model(const std::string& wanted)
{
    std::string architectures;
    for (const std::string& name : split(wanted)) {
        const auto capability = parse_compute_capability(name);
        if (!capability || !find_sm_limits(*capability)) {
            std::fprintf(stderr, "--arch %s: launchbox knows no such architecture; sm_90 is one\n", name.c_str());
            return 2;
        }
        if (!architectures.empty()) architectures += ',';
        architectures += architecture_name(*capability).view();
    }
    const auto registers = registers_in_this_program(architectures);
    if (!registers) return nobody_to_ask();
    int status = 0;
    for (const std::string& name : split(architectures)) {
        const auto found =
            std::find_if(registers->begin(), registers->end(), [&](const auto& one) { return one.first == name; });
        if (found == registers->end()) {
            std::fprintf(stderr, "%s: this program was not compiled for it\n", name.c_str());
            status = 2;
            continue;
        }
        ask_model(name, found->second);
    }
    return status;
}

// For all architectures that this program was compiled for.
static int ask_model_of_all()
{
    const auto registers = registers_in_this_program();
    if (!registers) return nobody_to_ask();
    for (const auto& [architecture, count] : *registers)
        if (parse_compute_capability(architecture) && find_sm_limits(*parse_compute_capability(architecture)))
            ask_model(architecture, count);
    return 0;
}

int main(int argument_count, char** arguments)
{
    if (argument_count == 3 && std::strcmp(arguments[1], "--arch") == 0) return ask_model(arguments[2]);
    if (argument_count != 1) {
        std::fprintf(stderr, "usage: simple_occupancy [--arch sm_80,sm_90]\n");
        return 2;
    }
    int devices = 0;
    if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0) {
        std::printf("no GPU here (%s): nothing is squared. By the model, on the GPUs that this program is for:\n",
                    code == cudaSuccess ? "there are 0" : cudaGetErrorString(code));
        std::fflush(stdout);
        return ask_model_of_all();
    }
    try {
        return run_on_gpu();
    } catch (const launch_error& refused) {
        std::fprintf(stderr, "%s\n", refused.what());
        return 1;
    }
}
