// The part of a kernel's name that stays the same from build to build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The symbol without the prefix that nvcc adds to internal linkage under -rdc: "_Z4statPi" for
/// "__nv_static_23__89b8bf71_4_t_cu__Z1fPi__Z4statPi".
std::string_view without_static_prefix(std::string_view name);

/// The source file in the symbol of a kernel with internal linkage or in an anonymous namespace, as nvcc writes it,
/// with underscores for dots: "t_cu". Empty if there is none.
std::string_view file_in_symbol(std::string_view name);

/// The name by which a kernel is found in another build: `demangled`, since symbols may contain hashes that change with
/// every build, without the -gencode list of a launch box and the counters and hashes of image/names/changing_name.hpp.
/// If the symbol names the source file it is added in brackets, since two files may have an anonymous kernel of the
/// same name: "(anonymous namespace)::scale(float*) [t_cu]".
std::string kernel_identity(std::string_view name, std::string_view demangled);

/// A name without the architectures in the namespaces of CUB and Thrust, which give a kernel a different name for each:
/// `cub::CUB_300001::f` for `cub::CUB_300001_SM_800::f` and `cub::CUB_300001_SM_900::f`.
std::string without_architectures(std::string_view name);

}  // namespace launchbox
