// toml++, compiled once, with the settings of src/CMakeLists.txt.
// SPDX-License-Identifier: Apache-2.0
#undef NDEBUG  // else the library's assertions about a text are assumed to hold
namespace launchbox {

[[noreturn]] static void refuse_toml();

}  // namespace launchbox

// Some damaged dates end in an assertion of the library (3.3): here in an error of the text, as all other damage.
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? static_cast<void>(0) : launchbox::refuse_toml())
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>

static void launchbox::refuse_toml()
{
    throw toml::parse_error("a value in this file is damaged; its place is unknown", toml::source_position{1, 1});
}
