// C++ names as people write them, from the names that the linker sees.
#pragma once

#include <string>
#include <string_view>

namespace launchbox
{

/// The C++ declaration behind a mangled name, at most 64 KiB of it. A name that is not mangled comes back as it is.
/// The hashes that nvcc puts into anonymous namespaces change with every build and are shown as
/// `(anonymous namespace)`.
std::string demangle(std::string_view name);

/// The form for tables: `merge_sort<int, 256, 15>` from `void merge_sort<int, (int)256, (int)15>(int*, int)`; without
/// return type, parameters and the casts of template arguments.
std::string short_name(std::string_view demangled);

}  // namespace launchbox
