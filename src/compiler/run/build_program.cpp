// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/build_program.hpp"

#include "compiler/run/nvcc_arguments.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

std::string build_program(const toolchain& tools, const program_request& request)
{
    check_flags_for_nvcc(request.flags);
    check_folder_for_nvcc(request.program.parent_path().string());
    std::vector<std::string> command{tools.nvcc.string(), "-gencode", machine_code_for(request.architecture), "-o",
                                     request.program.string()};
    command.insert(command.end(), request.flags.begin(), request.flags.end());
    command.push_back(name_for_nvcc(request.source));
    const subprocess_result ran =
        run(command, {.directory = {}, .environment = environment_for_nvcc(tools, request.program.parent_path())});
    if (ran.exit_code == 0 && std::filesystem::exists(request.program)) return {};
    return ran.output.empty() ? "nvcc ended with exit status " + std::to_string(ran.exit_code) : ran.output;
}

}  // namespace launchbox
