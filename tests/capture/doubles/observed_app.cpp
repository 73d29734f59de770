// A program that uses CUDA, for the tests of the observer: it executes the words of its command line one after the
// other.
//
//   init                      cuInit and a context
//   load=CUBIN                a module
//   load_file=FILE            the same, read by the driver
//   link=FILE                 PTX to the driver's linker
//   library=FILE              a shared library
//   embedded=NAME             the image of this name in that library, as a library of the driver
//   kernels  functions        what is launched is a kernel of that library; a function of such a kernel
//   unload                    the last module
//   launch=KERNEL,GRID,BLOCK,SHARED,COUNT    sizes as 4x2x1; KERNEL of the last module
//   cooperative=...  early=...  cluster=SIZE,KERNEL,GRID,BLOCK,SHARED,COUNT    the same, launched in these ways
//   together=ATTRIBUTE,...    the same by cuLaunchKernelEx with cooperative 0 or 1
//   begin_graph  end_graph=N  what is launched between them becomes a graph, which is launched N times
//   end_child=N               the same, as a child of a graph
//   carveout=KERNEL,PERCENT
//   out=TEXT  err=TEXT        a line
//   fill=N                    the memory that kernels read and write: bytes N, N + 1, ...
//   room=N                    kernels have N bytes of memory from now on, and write near their end
//   noise                     random bytes in all of that
//   pointer=N                 allocates N bytes and writes their address into the memory that kernels read
//   pin_inside                writes the address of pinned host memory into the memory that kernels read
//   pinned                    kernels read pinned host memory from now on
//   write=FILE                the memory, to a file
//   copy                      standard input to standard output
//   children=N                starts itself N times with the words that follow, waits, and does no more
//   exec                      becomes itself again with the words that follow
//   threads=N                 N threads do the words that follow, and it does no more
//   signal=N                  sends itself a signal
//   pause                     waits for one
//   exit=N  quick_exit=N
#include <cuda.h>
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace {

std::mutex driver_lock;  // the double of the driver is not thread-safe
CUmodule last_module = nullptr;
CUlibrary last_library = nullptr;
void* shared_library = nullptr;
std::string launched = "modules";
CUdeviceptr memory = 0, pinned = 0;
std::size_t room = 4096;

void* driver(const char* name)
{
    static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = library == nullptr ? nullptr : ::dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "observed_app: the driver has no %s\n", name);
        std::exit(90);
    }
    return found;
}
#define CALL(function, ...)                                                                            \
    do {                                                                                               \
        const CUresult result = reinterpret_cast<decltype(&function)>(driver(#function))(__VA_ARGS__); \
        if (result != CUDA_SUCCESS) {                                                                  \
            std::fprintf(stderr, "observed_app: %s: %d\n", #function, static_cast<int>(result));       \
            std::exit(91);                                                                             \
        }                                                                                              \
    } while (false)

std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, at);) parts.push_back(part);
    return parts;
}

std::array<unsigned, 3> sizes(const std::string& text)
{
    std::array<unsigned, 3> all{1, 1, 1};
    const auto parts = split(text, 'x');
    for (std::size_t i = 0; i < parts.size() && i < 3; ++i) all[i] = static_cast<unsigned>(std::stoul(parts[i]));
    return all;
}

CUfunction function(const std::string& name)
{
    CUfunction found = nullptr;
    if (launched != "modules") {
        CUkernel kernel = nullptr;
        CALL(cuLibraryGetKernel, &kernel, last_library, name.c_str());
        if (launched == "functions") CALL(cuKernelGetFunction, &found, kernel);
        return launched == "functions" ? found : reinterpret_cast<CUfunction>(kernel);
    }
    CALL(cuModuleGetFunction, &found, last_module, name.c_str());
    return found;
}

void initialise()
{
    CUcontext context = nullptr;
    CALL(cuInit, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, 0);
    CALL(cuCtxSetCurrent, context);
    CALL(cuMemAlloc_v2, &memory, 4096);
}

void fill(unsigned first)
{
    std::vector<unsigned char> bytes(4096);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(first + i % 251);
    CALL(cuMemcpyHtoDAsync_v2, memory, bytes.data(), bytes.size(), nullptr);
}

void fill_with_noise()
{
    std::vector<std::uint64_t> words((room + 7) / 8);
    std::mt19937_64 random(1);
    for (std::uint64_t& word : words) word = random();
    CALL(cuMemcpyHtoDAsync_v2, memory, words.data(), room, nullptr);
}

void add_pointer(std::size_t bytes)
{
    CUdeviceptr other = 0;
    CALL(cuMemAlloc_v2, &other, bytes);
    const std::vector<unsigned char> content(bytes, 0x5a);
    CALL(cuMemcpyHtoDAsync_v2, other, content.data(), bytes, nullptr);
    CALL(cuMemcpyHtoDAsync_v2, memory + 1024, &other, sizeof other, nullptr);
}

void write_memory(const std::string& file)
{
    std::vector<char> bytes(4096);
    CALL(cuMemcpyDtoHAsync_v2, bytes.data(), memory, bytes.size(), nullptr);
    std::ofstream(file, std::ios::binary).write(bytes.data(), 4096);
}

// Lives as long as the process, and is null-terminated.
const char* bytes_of(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    static std::deque<std::string> images;
    return images.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()).c_str();
}

void load(const std::string& file)
{
    CALL(cuModuleLoadData, &last_module, bytes_of(file));
}

void link(const std::string& file)
{
    const char* const text = bytes_of(file);
    CALL(cuLinkAddData_v2, nullptr, CU_JIT_INPUT_PTX, const_cast<char*>(text), std::strlen(text) + 1, "", 0, nullptr,
         nullptr);
}

void end_graph(const std::string& times, bool as_child)
{
    CUgraph graph = nullptr;
    CUgraphExec ready = nullptr;
    CALL(cuStreamEndCapture, nullptr, &graph);
    if (as_child) {
        CUgraph parent = nullptr;
        CUgraphNode node = nullptr;
        CALL(cuGraphCreate, &parent, 0);
        CALL(cuGraphAddChildGraphNode, &node, parent, nullptr, 0, graph);
        graph = parent;
    }
    CALL(cuGraphInstantiateWithFlags, &ready, graph, 0);
    for (long i = std::stol(times); i > 0; --i) CALL(cuGraphLaunch, ready, nullptr);
}

CUdeviceptr pinned_memory()
{
    void* host = nullptr;
    CALL(cuMemHostAlloc, &host, 4096, 0);
    return reinterpret_cast<CUdeviceptr>(host);
}

void launch(const std::string& how, const std::vector<std::string>& words)
{
    const std::size_t first = how == "cluster" || how == "together" ? 1 : 0;
    const CUfunction what = function(words.at(first));
    const auto grid = sizes(words.at(first + 1)), block = sizes(words.at(first + 2));
    const auto shared = static_cast<unsigned>(std::stoul(words.at(first + 3)));
    CUdeviceptr in = pinned != 0 ? pinned : memory, out = memory + room - 2048;
    int count = 16;
    std::array<void*, 3> parameters{&in, &out, &count};
    for (long i = std::stol(words.at(first + 4)); i > 0; --i) {
        if (how == "launch") {
            CALL(cuLaunchKernel, what, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, nullptr,
                 parameters.data(), nullptr);
        } else if (how == "cooperative") {
            CALL(cuLaunchCooperativeKernel, what, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
                 nullptr, parameters.data());
        } else {
            CUlaunchAttribute attribute{};
            if (how == "early") {
                attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
                attribute.value.programmaticStreamSerializationAllowed = 1;
            } else if (how == "together") {
                attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
                attribute.value.cooperative = std::stoi(words.at(0));
            } else {
                attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
                attribute.value.clusterDim = {sizes(words.at(0))[0], sizes(words.at(0))[1], sizes(words.at(0))[2]};
            }
            CUlaunchConfig config{};
            config.gridDimX = grid[0], config.gridDimY = grid[1], config.gridDimZ = grid[2];
            config.blockDimX = block[0], config.blockDimY = block[1], config.blockDimZ = block[2];
            config.sharedMemBytes = shared;
            config.attrs = &attribute;
            config.numAttrs = 1;
            CALL(cuLaunchKernelEx, &config, what, parameters.data(), nullptr);
        }
    }
}

void start_children(long count, char** words)
{
    std::vector<char*> arguments{const_cast<char*>("observed_app")};
    for (; *words != nullptr; ++words) arguments.push_back(*words);
    arguments.push_back(nullptr);
    std::vector<pid_t> children(static_cast<std::size_t>(count));
    for (pid_t& child : children)
        if (::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ) != 0) std::exit(92);
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
}

bool run_word(const std::string& word)
{
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
    const std::lock_guard guard(driver_lock);
    if (name == "init") initialise();
    if (name == "load") load(value);
    if (name == "fill") fill(static_cast<unsigned>(std::stoul(value)));
    if (name == "room") {
        room = std::stoul(value);
        CALL(cuMemAlloc_v2, &memory, room);
    }
    if (name == "noise") fill_with_noise();
    if (name == "pointer") add_pointer(std::stoul(value));
    if (name == "write") write_memory(value);
    if (name == "load_file") CALL(cuModuleLoad, &last_module, value.c_str());
    if (name == "link") link(value);
    if (name == "unload") CALL(cuModuleUnload, last_module);
    if (name == "library" && (shared_library = ::dlopen(value.c_str(), RTLD_NOW)) == nullptr) std::exit(94);
    if (name == "embedded")
        CALL(cuLibraryLoadData, &last_library, ::dlsym(shared_library, value.c_str()), nullptr, nullptr, 0, nullptr,
             nullptr, 0);
    if (name == "kernels" || name == "functions") launched = name;
    if (name == "begin_graph") CALL(cuStreamBeginCapture_v2, nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL);
    if (name == "end_graph" || name == "end_child") end_graph(value, name == "end_child");
    if (name == "pinned") pinned = pinned_memory();
    if (name == "pin_inside") {
        const CUdeviceptr inside = pinned_memory() + 64;
        CALL(cuMemcpyHtoDAsync_v2, memory + 1024, &inside, sizeof inside, nullptr);
    }
    if (name == "launch" || name == "cooperative" || name == "early" || name == "cluster" || name == "together")
        launch(name, split(value, ','));
    if (name == "carveout") {
        const auto parts = split(value, ',');
        CALL(cuFuncSetAttribute, function(parts.at(0)), CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
             std::stoi(parts.at(1)));
    }
    if (name == "out") std::printf("%s\n", value.c_str());
    if (name == "err") std::fprintf(stderr, "%s\n", value.c_str());
    if (name == "copy")
        for (int letter = std::getchar(); letter != EOF; letter = std::getchar()) std::putchar(letter);
    if (name == "signal") {
        std::fflush(stdout);
        ::kill(::getpid(), std::stoi(value));
    }
    if (name == "pause") {
        std::printf("ready\n");
        std::fflush(stdout);
        ::pause();
    }
    if (name == "exit") std::exit(std::stoi(value));
    if (name == "quick_exit") ::_exit(std::stoi(value));
    return true;
}

}  // namespace

int main(int count, char** words)
{
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word.starts_with("children=")) {
            start_children(std::stol(word.substr(9)), words + i + 1);
            return 0;
        }
        if (word == "exec") {
            ::execv("/proc/self/exe", words + i);  // argv[0] is then "exec"
            return 93;
        }
        if (word.starts_with("threads=")) {
            std::vector<std::thread> threads;
            for (long n = std::stol(word.substr(8)); n > 0; --n)
                threads.emplace_back([&] {
                    for (int next = i + 1; next < count; ++next) run_word(words[next]);
                });
            for (std::thread& thread : threads) thread.join();
            return 0;
        }
        run_word(word);
    }
    return 0;
}
