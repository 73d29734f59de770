// SPDX-License-Identifier: Apache-2.0
#include "compiler/disassembly/nvdisasm.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <semaphore>
#include <thread>
#include <utility>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// A line of 300 bytes per 16-byte instruction: the output of one run stays below 32 MB. With less code per run,
// nvdisasm's start-up, which reads the whole image, would dominate.
constexpr std::int64_t code_at_once = std::int64_t{256} << 10;
constexpr std::size_t output_at_most = std::size_t{1} << 30;

void disassemble_batch(const cubin_examination& cubin, const nvdisasm_command& with, const fs::path& file,
                       disassembled_kernels& batch);

}  // namespace

std::filesystem::path find_nvdisasm_if_any(const std::string& nvcc)
{
    std::vector<fs::path> places;
    if (!nvcc.empty()) {
        places.push_back(fs::path(nvcc) / "bin" / "nvdisasm");
        places.push_back(fs::path(nvcc).parent_path() / "nvdisasm");
    }
    if (fs::path in_path = find_in_path("nvdisasm"); !in_path.empty()) places.push_back(std::move(in_path));
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0')
            places.push_back(fs::path(folder) / "bin" / "nvdisasm");
    places.emplace_back("/usr/local/cuda/bin/nvdisasm");
    std::error_code failure;
    for (const fs::path& place : places)
        if (fs::is_regular_file(place, failure)) return place;
    return {};
}

std::filesystem::path find_nvdisasm(const std::string& nvcc)
{
    if (fs::path found = find_nvdisasm_if_any(nvcc); !found.empty()) return found;
    throw error("loads and stores need nvdisasm, which is not in PATH, $CUDA_HOME or /usr/local/cuda",
                "install it with: pip install nvidia-cuda-nvdisasm, and add its folder nvidia/cu13/bin to PATH",
                exit_status::missing);
}

void disassembled_kernels::for_each_line(const std::function<void(std::string_view)>& read) const
{
    for (std::string_view rest = output; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        read(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void disassemble(const cubin_examination& cubin, const nvdisasm_command& with,
                 const std::function<bool(const kernel_info& kernel)>& wanted,
                 const std::function<void(const disassembled_kernels&)>& read)
{
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < cubin.kernels.size(); ++i)
        if (wanted(cubin.kernels[i])) chosen.push_back(i);
    if (chosen.empty()) return;
    const temporary_directory folder;
    const fs::path file = folder.path() / "image.cubin";
    write_file_atomically(file, cubin.bytes);
    // As many runs at a time as there are cores; their output is read in order.
    const std::size_t at_once = std::max(1u, std::thread::hardware_concurrency());
    for (std::size_t next = 0; next < chosen.size() && !interrupted();) {
        std::vector<disassembled_kernels> batches;
        while (next < chosen.size() && batches.size() < at_once) {
            disassembled_kernels& batch = batches.emplace_back();
            for (std::int64_t code = 0; next < chosen.size() && (batch.kernels.empty() || code < code_at_once);
                 ++next) {
                batch.kernels.push_back(chosen[next]);
                code += cubin.kernels[chosen[next]].figures.code_bytes.value_or(0);
            }
        }
        run_parallel(batches.size(), [&](std::size_t i) { disassemble_batch(cubin, with, file, batches[i]); });
        for (const disassembled_kernels& batch : batches) read(batch);
    }
}

namespace {

void disassemble_batch(const cubin_examination& cubin, const nvdisasm_command& with, const fs::path& file,
                       disassembled_kernels& batch)
{
    // Images are examined in parallel, and each asks for all cores.
    static std::counting_semaphore<> free_cores(std::max(1u, std::thread::hardware_concurrency()));
    struct core {
        core() { free_cores.acquire(); }
        ~core() { free_cores.release(); }
        core(const core&) = delete;
        core& operator=(const core&) = delete;
    };
    const core taken;
    std::string symbols;
    for (const std::size_t kernel : batch.kernels)
        symbols += (symbols.empty() ? "" : ",") + std::to_string(cubin.symbols[kernel]);
    std::vector<std::string> words{with.nvdisasm.string(), "--print-code"};
    words.insert(words.end(), with.options.begin(), with.options.end());
    words.insert(words.end(), {"--cuda-function-index", symbols, file.string()});
    subprocess_result result = run(words, {.directory = {}, .environment = {}, .output_cap = output_at_most});
    if (result.exit_code != 0)
        batch.problem =
            "nvdisasm ended with exit status " + std::to_string(result.exit_code) + ": " + last_line(result.output);
    else
        batch.output = std::move(result.output);
}

}  // namespace

}  // namespace launchbox
