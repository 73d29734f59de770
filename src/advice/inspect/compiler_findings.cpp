// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/compiler_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <launchbox/block_size.hpp>

#include "image/names/demangle.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// ptxas's words for a cause, the same in CUDA 12 and 13; the numbers before them differ between versions.
struct known_cause {
    std::string_view words;
    std::string_view remedy;
};

constexpr known_cause setmaxnreg_causes[] = {
    {"across compilation units",
     "compile this file without -rdc=true (-dc), together with the functions that it calls in other files, or link "
     "with -dlto: then ptxas sees the whole program"},
    {"to allow debugging", "compile without -G; -lineinfo gives a profiler source lines without it"},
    {"into 'extern' call",
     "remove the call whose target is not known when the kernel is compiled: through a function pointer or a virtual "
     "function, or to a function of another file"},
    {"minimum register requirements",
     "raise the count of setmaxnreg.dec: the code after it, or a function that it calls, needs more registers"}};

constexpr known_cause wgmma_causes[] = {
    {"presence of Extern calls",
     "put the functions that the kernel calls into this file, or force them inline (__forceinline__); compile without "
     "-rdc=true and without calls through pointers"},
    {"crossing function boundary",
     "inline (__forceinline__) the function that is called between wgmma.fence and wgmma.wait_group, or call it "
     "outside"},
    {"insufficient register resources",
     "give a thread more registers: smaller tiles of the accumulator, fewer threads or a smaller min_blocks in "
     "__launch_bounds__, no -maxrregcount; or more consumer warps, with setmaxnreg between them and the producer"},
    {"defining input registers",
     "write the registers of A before wgmma.fence, and not again before wgmma.wait_group; with -G or -O0 every kernel "
     "has this message"},
    {"reading accumulator registers", "wait (wgmma.wait_group 0, warpgroup_wait<0>) before the accumulators are read"},
    {"defining accumulator registers",
     "set accumulators before wgmma.fence, or let the first wgmma do it (scale-d 0), and wait before changing them; "
     "with -G or -O0 every kernel has this message"},
    {"ill formed pipeline stage",
     "put wgmma.fence, the wgmmas, wgmma.commit_group and wgmma.wait_group one after the other into the same block of "
     "code, on every path"},
    {"in divergent path",
     "keep wgmma.fence, the wgmmas and wgmma.wait_group out of branches and loops that warps of a warp group can leave "
     "at different times; compile without -G"}};

std::optional<std::string_view> remedy_in(const std::string& sentence, auto& causes)
{
    for (const known_cause& cause : causes)
        if (sentence.find(cause.words) != std::string::npos) return cause.remedy;
    return std::nullopt;
}

// If the register count at entry is unknown: the bound that is missing, as far as the kernel tells.
std::string missing_bound(const kernel_info* kernel)
{
    const std::optional<int> threads = kernel == nullptr ? std::nullopt : bound_threads(*kernel);
    if (threads && kernel->bounds.min_blocks.value_or(0) == 0)
        return fmt::format(
            "write __launch_bounds__({}, 1{}): with min_blocks the count at entry is known", *threads,
            kernel->bounds.max_cluster_blocks ? fmt::format(", {}", *kernel->bounds.max_cluster_blocks) : "");
    return "give the kernel both launch bounds, __launch_bounds__(threads, min_blocks), or __maxnreg__(registers): "
           "then "
           "the count at entry is known";
}

// Without the function's name at the end, which is the kernel's, or of a function in it.
std::string without_function(const std::string& sentence)
{
    for (const char* before : {" in the function '", " for the function '"})
        if (const std::size_t at = sentence.find(before); at != std::string::npos) return sentence.substr(0, at);
    return sentence;
}

struct refused_callee {
    int limit = 0, needed = 0;
    std::string_view name;
};

// "entry function 'k' with max regcount of 64 calls function 'f' with regcount of 254"
std::optional<refused_callee> refused_in(std::string_view sentence)
{
    constexpr std::string_view limit_words = "' with max regcount of ", callee_words = " calls function '",
                               need_words = "' with regcount of ";
    const std::size_t limit_at = sentence.find(limit_words), callee_at = sentence.find(callee_words),
                      need_at = sentence.rfind(need_words);
    if (limit_at == std::string::npos || callee_at == std::string::npos || need_at == std::string::npos ||
        limit_at > callee_at || callee_at + callee_words.size() > need_at)
        return std::nullopt;
    const auto number_at = [&](std::size_t at) {
        int value = 0;
        std::from_chars(sentence.data() + at, sentence.data() + sentence.size(), value);
        return value;
    };
    const std::size_t name_at = callee_at + callee_words.size();
    return refused_callee{number_at(limit_at + limit_words.size()), number_at(need_at + need_words.size()),
                          sentence.substr(name_at, need_at - name_at)};
}

// Among several callees, a remedy for the one that needs most helps the others, too.
void add_callee_finding(const kernel_info& kernel, std::vector<diagnosis>& findings)
{
    std::optional<refused_callee> worst;
    std::size_t others = 0;
    for (const std::string& warning : kernel.warnings) {
        const std::optional<refused_callee> one = refused_in(warning);
        if (!one) continue;
        others += worst ? 1 : 0;
        if (!worst || one->needed > worst->needed) worst = one;
    }
    if (!worst) return;
    const std::string callee = escape_for_terminal(short_name(demangle(worst->name)));
    std::string fewer, more;
    if (others > 0) more = fmt::format(", and {} other function{}", others, others == 1 ? "" : "s");
    const int needed = worst->needed, limit = worst->limit;
    if (const sm_limits* limits = limits_of(kernel); limits != nullptr && needed > 0 && needed <= 255) {
        const int threads = max_launchable_threads(*limits, {.registers = needed});
        if (threads > 0) fewer = fmt::format(" (with {} registers a block has at most {} threads)", needed, threads);
    }
    findings.push_back(
        {"callee_over_register_limit", severity::error,
         fmt::format("it may use {} registers and calls {}, which uses {}{}: the build fails", limit, callee, needed,
                     more),
         fmt::format(
             "raise the limit to {}, whether it is by __launch_bounds__, __maxnreg__ or -maxrregcount{}; compile "
             "the file of {} with -maxrregcount={}; or put both into one file and compile without -rdc and -G, "
             "so that the function is inlined",
             needed, fewer, callee, limit)});
}

}  // namespace

diagnosis loss_finding(const std::string& sentence, const kernel_info* kernel)
{
    std::string message = without_function(sentence);
    if (sentence.find("'setmaxnreg'") != std::string::npos) {
        std::string remedy;
        if (sentence.find("register count at entry") != std::string::npos)
            remedy = missing_bound(kernel);
        else
            remedy = remedy_in(sentence, setmaxnreg_causes).value_or("see ptxas's message; launch bounds do not help");
        return {"setmaxnreg_ignored", severity::error, std::move(message), std::move(remedy)};
    }
    if (sentence.find("wgmma") != std::string::npos)
        return {"wgmma_serialised", severity::warning, std::move(message),
                std::string(remedy_in(sentence, wgmma_causes)
                                .value_or("see ptxas's message: between wgmma.fence and wgmma.wait_group nothing else "
                                          "may use the registers of the wgmmas"))};
    return {"performance_loss", severity::warning, std::move(message), "see ptxas's message"};
}

void add_compiler_findings(const kernel_info& kernel, std::vector<diagnosis>& findings)
{
    std::vector<std::string> told;
    for (const std::string& warning : kernel.warnings) {
        if (warning.find("Potential Performance Loss") != std::string::npos) {
            diagnosis finding = loss_finding(warning, &kernel);
            // A kernel with several functions gets the same message for each.
            if (std::ranges::find(told, finding.message) != told.end()) continue;
            told.push_back(finding.message);
            findings.push_back(std::move(finding));
        }
    }
    add_callee_finding(kernel, findings);
}

}  // namespace launchbox
