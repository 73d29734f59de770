// Converts linker symbols to C++ names as people write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The C++ declarations for mangled names, at most 64 KiB of each, in order. A name that is not mangled is returned
/// unchanged, and so is one made to exhaust the demangler. The hashes that nvcc puts into anonymous namespaces change
/// with every build and are shown as `(anonymous namespace)`. Names that could take much time or memory, such as long
/// template names, are demangled in a child process, so pass all names at once.
std::vector<std::string> demangle_all(const std::vector<std::string>& names);

/// The same for one name.
std::string demangle(std::string_view name);

/// The form for tables: `merge_sort<int, 256, 15>` for `void merge_sort<int, (int)256, (int)15>(int*, int)`; without
/// return type, parameters, casts of template arguments and Numba's tags. A launch box kernel gets the name of its
/// body.
std::string short_name(std::string_view demangled);

/// A short name without template arguments, common to all instances of a template: `Agent::run` for
/// `Agent<int>::run<4>`.
std::string template_name(std::string_view short_name);

}  // namespace launchbox
