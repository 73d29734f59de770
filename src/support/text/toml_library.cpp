// toml++, compiled once, with the settings of src/CMakeLists.txt.
// SPDX-License-Identifier: Apache-2.0
#undef NDEBUG  // else the compiler assumes that the library's assertions hold
namespace launchbox {

[[noreturn]] static void refuse_toml();

}  // namespace launchbox

// Some damaged dates fail an assertion of the library (3.3): reported here as an error in the text, like any other
// damage.
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? static_cast<void>(0) : launchbox::refuse_toml())
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>

static void launchbox::refuse_toml()
{
    throw toml::parse_error("a value in this file is damaged; its place is unknown", toml::source_position{1, 1});
}
