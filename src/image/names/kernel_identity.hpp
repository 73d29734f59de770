// What stays the same about a kernel's name from build to build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The symbol without what nvcc puts before those of internal linkage under -rdc: "_Z4statPi" from
/// "__nv_static_23__89b8bf71_4_t_cu__Z1fPi__Z4statPi".
std::string_view without_static_prefix(std::string_view name);

/// The source file in the symbol of a kernel with internal linkage or with an anonymous namespace, as nvcc writes it,
/// with underscores for dots: "t_cu". Empty if there is none.
std::string_view file_in_symbol(std::string_view name);

/// The name under which the same kernel is found in another build: `demangled`, since a symbol can hold hashes that
/// change with every build, without the -gencode list of a launch box and the counters and hashes of
/// image/names/changing_name.hpp, and in brackets the source file where the symbol names one, since two files can have
/// an anonymous kernel of the same name: "(anonymous namespace)::scale(float*) [t_cu]".
std::string kernel_identity(std::string_view name, std::string_view demangled);

/// A name without the architectures that CUB and Thrust write into their namespaces, so that a kernel has another name
/// for each: `cub::CUB_300001::f` for `cub::CUB_300001_SM_800::f` and `cub::CUB_300001_SM_900::f`.
std::string without_architectures(std::string_view name);

}  // namespace launchbox
