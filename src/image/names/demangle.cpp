// SPDX-License-Identifier: Apache-2.0
#include "image/names/demangle.hpp"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <thread>

#include "image/names/demangle_bound.hpp"
#include "image/names/demangle_child.hpp"
#include "image/names/demangle_spelling.hpp"
#include "image/names/kernel_identity.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

// Names in NVIDIA's libraries reach 2.5 KB, 24 KB demangled.
constexpr std::size_t max_mangled = 8192, max_demangled = 65536;

// Limits for names that are demangled in this process. The demangler itself has none: with a substitution in each five
// of 200 bytes it writes until it aborts the process, and it recurses up to once per byte. These limits allow some
// milliseconds for a name, and a second for all names.
constexpr std::size_t max_length_here = 1024;
constexpr std::uint64_t max_bound_here = std::uint64_t{1} << 20, max_bounds_here = std::uint64_t{1} << 28;

constexpr std::size_t at_once = 64;        // names per thread
constexpr std::size_t min_for_child = 64;  // a process costs as much as a few dozen names

// Indices of names.
struct read_where {
    std::vector<std::size_t> here, in_children;
};

read_where sort_out(const std::vector<std::string>& names);
std::span<const std::size_t> part_of(const std::vector<std::size_t>& places, std::size_t part, std::size_t parts);
void read_here(const std::vector<std::string>& names, std::span<const std::size_t> places,
               std::vector<std::string>& results);
void read_in_child(const std::vector<std::string>& names, std::span<const std::size_t> places,
                   std::vector<std::string>& results);
bool is_mangled(std::string_view name);
std::string read_name(const std::string& name);

}  // namespace

std::vector<std::string> demangle_all(const std::vector<std::string>& names)
{
    std::vector<std::string> results = names;
    const read_where where = sort_out(names);
    // Both at the same time, children first: they take as long as all the rest.
    const std::size_t children = std::min<std::size_t>((where.in_children.size() + min_for_child - 1) / min_for_child,
                                                       std::max(1u, std::thread::hardware_concurrency()));
    const std::size_t ranges = (where.here.size() + at_once - 1) / at_once;
    run_parallel(children + ranges, [&](std::size_t job) {
        if (job < children)
            read_in_child(names, part_of(where.in_children, job, children), results);
        else
            read_here(names, part_of(where.here, job - children, ranges), results);
    });
    return results;
}

std::string demangle(std::string_view name)
{
    return demangle_all({std::string(name)}).front();
}

namespace {

read_where sort_out(const std::vector<std::string>& names)
{
    read_where where;
    std::uint64_t bounds = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = without_static_prefix(names[i]);
        if (!is_mangled(name)) continue;
        const std::uint64_t bound = name.size() <= max_length_here ? demangling_bound(name) : max_bound_here + 1;
        if (bound <= max_bound_here && bounds + bound <= max_bounds_here) {
            bounds += bound;
            where.here.push_back(i);
        } else {
            where.in_children.push_back(i);
        }
    }
    return where;
}

std::span<const std::size_t> part_of(const std::vector<std::size_t>& places, std::size_t part, std::size_t parts)
{
    const std::size_t begin = places.size() * part / parts;
    return std::span(places).subspan(begin, places.size() * (part + 1) / parts - begin);
}

void read_here(const std::vector<std::string>& names, std::span<const std::size_t> places,
               std::vector<std::string>& results)
{
    for (const std::size_t i : places) results[i] = read_name(std::string(without_static_prefix(names[i])));
}

void read_in_child(const std::vector<std::string>& names, std::span<const std::size_t> places,
                   std::vector<std::string>& results)
{
    std::vector<std::string> for_child;
    for (const std::size_t i : places) for_child.emplace_back(without_static_prefix(names[i]));
    std::vector<std::string> read = read_in_children(for_child, read_name);
    for (std::size_t i = 0; i < read.size(); ++i) results[places[i]] = std::move(read[i]);
}

bool is_mangled(std::string_view name)
{
    return name.starts_with("_Z") && name.size() <= max_mangled && name.find('\0') == std::string_view::npos;
}

struct free_memory {
    void operator()(char* text) const { std::free(text); }
};

// LLVM 14 to 16 have the signature of __cxa_demangle, later ones take only the name. A template, so that the call that
// this LLVM lacks is never compiled. It shows namespaces called _GLOBAL__N... as (anonymous namespace).
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
