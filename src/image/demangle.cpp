// SPDX-License-Identifier: Apache-2.0
#include "image/demangle.hpp"

#include <llvm/Demangle/Demangle.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "image/demangle_bound.hpp"
#include "image/demangle_child.hpp"
#include "image/demangle_spelling.hpp"
#include "image/kernel_identity.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

// Names in NVIDIA's libraries reach 2.5 KB, 24 KB demangled.
constexpr std::size_t max_mangled = 8192, max_demangled = 65536;

// What is read in this process. The demangler has no limits: 200 bytes with a substitution in each five make it write
// until it aborts the process, and it recurses up to once for each byte. The bounds of a name and of all names are
// those of some milliseconds and of a second.
constexpr std::size_t max_length_here = 1024;
constexpr std::uint64_t max_bound_here = std::uint64_t{1} << 20, max_bounds_here = std::uint64_t{1} << 28;

bool is_mangled(std::string_view name);
std::string read_name(const std::string& name);

}  // namespace

std::vector<std::string> demangle_all(const std::vector<std::string>& names)
{
    std::vector<std::string> results = names, for_child;
    std::vector<std::size_t> places, here;
    std::uint64_t bounds = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string name(without_static_prefix(names[i]));
        if (!is_mangled(name)) continue;
        const std::uint64_t bound = name.size() <= max_length_here ? demangling_bound(name) : max_bound_here + 1;
        if (bound <= max_bound_here && bounds + bound <= max_bounds_here) {
            bounds += bound;
            here.push_back(i);
        } else {
            for_child.push_back(name);
            places.push_back(i);
        }
    }
    run_parallel_ranges(here.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            results[here[i]] = read_name(std::string(without_static_prefix(names[here[i]])));
    });
    if (for_child.empty()) return results;
    std::vector<std::string> read = read_in_children(for_child, read_name);
    for (std::size_t i = 0; i < read.size(); ++i) results[places[i]] = std::move(read[i]);
    return results;
}

std::string demangle(std::string_view name)
{
    return demangle_all({std::string(name)}).front();
}

namespace {

bool is_mangled(std::string_view name)
{
    return name.starts_with("_Z") && name.size() <= max_mangled && name.find('\0') == std::string_view::npos;
}

struct free_memory {
    void operator()(char* text) const { std::free(text); }
};

// LLVM 14 to 16 have the signature of __cxa_demangle, later ones take the name alone. A template, so that the call that
// this LLVM does not have is never looked at. It shows namespaces called _GLOBAL__N... as (anonymous namespace).
template <class Name>
std::unique_ptr<char, free_memory> llvm_demangle(const Name& name)
{
    char* result = nullptr;
    if constexpr (requires { llvm::itaniumDemangle(name.c_str(), nullptr, nullptr, nullptr); })
        result = llvm::itaniumDemangle(name.c_str(), nullptr, nullptr, nullptr);
    else
        result = llvm::itaniumDemangle(name);
    return std::unique_ptr<char, free_memory>(result);
}

std::string read_name(const std::string& name)
{
    const auto demangled = llvm_demangle(name);
    if (!demangled) return name;
    return one_spelling(std::string_view(demangled.get()).substr(0, max_demangled));
}

}  // namespace

}  // namespace launchbox
