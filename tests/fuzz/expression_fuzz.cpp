#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/error.hpp"
#include "support/expression/value_expression.hpp"

// Any text gives a number or one of our errors with a hint: no crash, no hang, no abort in Lua.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    try {
        const launchbox::value_expression size_of({reinterpret_cast<const char*>(data), size});
        for (const std::int64_t threads : {1, 256, 1024}) {
            const std::int64_t first = size_of.integer({{{"threads", threads}}});
            static_cast<void>(first);
        }
    } catch (const launchbox::error& failure) {
        if (failure.hint().empty() || std::string(failure.what()).empty()) std::abort();
    }
    return 0;
}
