// toml++, compiled once, with the settings of src/CMakeLists.txt.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
