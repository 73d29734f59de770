// The log reader takes any text and always returns plausible figures.
#include <launchbox/compute_capability.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/log/resource_log.hpp"
#include "require.hpp"

namespace {

void require_banks(const std::vector<launchbox::constant_bank>& banks)
{
    for (std::size_t i = 0; i < banks.size(); ++i) {
        require(banks[i].bytes >= 0 && banks[i].bank >= 0);
        require(i == 0 || banks[i - 1].bank < banks[i].bank);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const launchbox::resource_log log = launchbox::parse_resource_log(text, "fuzz");
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;

    require(log.kernels.size() <= lines && log.modules.size() <= lines && log.messages.size() <= lines);
    std::size_t text_kept = 0;
    for (const launchbox::kernel_info& kernel : log.kernels) {
        require(!kernel.name.empty() && kernel.source.file == "fuzz");
        require(kernel.architecture.empty() || launchbox::parse_compute_capability(kernel.architecture));
        for (const auto& figure : {kernel.figures.registers, kernel.figures.barriers}) require(figure.value_or(0) >= 0);
        for (const auto& figure :
             {kernel.figures.spill_store_bytes, kernel.figures.spill_load_bytes, kernel.figures.stack_frame_bytes,
              kernel.figures.cumulative_stack_bytes, kernel.figures.static_shared_bytes})
            require(figure.value_or(0) >= 0);
        require_banks(kernel.figures.constant_banks);
        require(!(kernel.linked && kernel.relocatable));
        for (const std::string& warning : kernel.warnings) text_kept += warning.size();
        for (const launchbox::callee_info& callee : kernel.figures.callees) text_kept += callee.name.size();
    }
    for (const launchbox::module_memory& module : log.modules) require_banks(module.constant_banks);
    for (const launchbox::log_message& message : log.messages) require(message.line >= 1 && message.line <= lines);
    std::size_t last = 0;
    for (const launchbox::log_diagnostic& diagnostic : log.diagnostics) {
        require(diagnostic.line >= std::max<std::size_t>(last, 1) && diagnostic.line <= lines);
        last = diagnostic.line;
    }
    require(text_kept <= size);
    return 0;
}
