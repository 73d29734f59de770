// The calculator's page sends whatever its address, its fields and the dropped file contain. It always gets JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "../../web/wasm/answer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t line = bytes.find('\n');  // the first line names the question
    if (line == std::string_view::npos) return 0;
    const std::string answer = launchbox::calculator::answer(bytes.substr(0, line), bytes.substr(line + 1));
    if (!nlohmann::json::parse(answer, nullptr, false).is_object()) std::abort();
    return 0;
}
