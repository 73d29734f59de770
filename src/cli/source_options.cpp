// SPDX-License-Identifier: Apache-2.0
#include "cli/source_options.hpp"

#include <algorithm>
#include <charconv>

#include "app/sizes.hpp"
#include "cli/messages.hpp"
#include "cli/value_checks.hpp"
#include "support/error.hpp"

namespace launchbox::cli {

std::vector<int> parse_numbers(const std::string& list, const std::string& option, const char* what, int most,
                               const char* example)
{
    std::vector<int> numbers;
    for (std::size_t start = 0; !list.empty() && start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        int value = 0;
        const auto [stop, failure] = std::from_chars(list.data() + start, list.data() + end, value);
        if (failure != std::errc() || stop != list.data() + end || value < 1 || value > most)
            throw error(option + ": '" + shown(list.substr(start, end - start)) + "' is not a " + what,
                        "write numbers from 1 to " + std::to_string(most) + ": " + option + " " + example);
        numbers.push_back(value);
        start = end + 1;
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::vector<int> parse_threads(const std::string& list)
{
    return parse_numbers(list, "--threads", "block size", max_threads_per_block, "128,256");
}

void source_options::add_to(CLI::App& verb, file_option file)
{
    verb.add_option("file", typed.file, "A CUDA source, or a folder of them; flags for nvcc follow --")
        ->type_name("FILE")
        ->required(file == file_option::required);
    verb.add_option(
            "-a,--arch", architectures,
            "Architectures, such as sm_80,sm_90a, GPUs, such as H100, or all; default: that of this machine's GPU")
        ->type_name("LIST");
    verb.add_option("-k,--kernel", typed.kernel, "Only kernels that match this pattern (* ? [...])")
        ->type_name("PATTERN");
    verb.add_option("--threads", threads,
                    "Block sizes that you launch; default: the kernel's launch bound, else what the source launches")
        ->type_name("LIST");
    verb.add_option("--dynamic-shared", dynamic_shared, "Dynamic shared memory per block, such as 11264 or 48K")
        ->type_name("BYTES");
    verb.add_option("--max-dynamic-shared", max_dynamic_shared,
                    "The limit that your program sets with cudaFuncSetAttribute; default: the maximum of the GPU")
        ->type_name("BYTES");
    verb.add_flag("--no-cache", typed.no_cache, "Do not use the compile cache");
    verb.add_option("--nvcc", typed.nvcc, "nvcc, or the folder of its toolkit")->type_name("PATH");
    verb.add_option("-j,--jobs", typed.jobs, "Number of compilers at once; 0: one per core")
        ->transform(whole_number(0, 1024))
        ->type_name("N");
}

source_bounds_request source_options::request(const call_context& context) const
{
    source_bounds_request request = typed;
    bounds_launch& launch = request.launch;
    request.dynamic_shared_named = dynamic_shared.has_value();
    if (dynamic_shared) launch.dynamic_shared_bytes = parse_bytes(*dynamic_shared, "--dynamic-shared");
    if (max_dynamic_shared) launch.max_dynamic_shared_bytes = parse_bytes(*max_dynamic_shared, "--max-dynamic-shared");
    request.threads = parse_threads(threads);
    request.architectures = architecture_list(architectures);
    request.compiler_flags = context.compiler_flags;
    return request;
}

}  // namespace launchbox::cli
