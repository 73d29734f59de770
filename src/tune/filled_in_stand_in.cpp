// Stands in for what tune_spec.cpp will have, until it is there.
#include "support/error.hpp"
#include "tune/tune_spec.hpp"

namespace launchbox {

std::string filled_in(const std::string& text, const assignment& values)
{
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool twice = at + 1 < text.size() && text[at + 1] == text[at];
        if ((text[at] == '{' || text[at] == '}') && twice) {
            result += text[at++];
        } else if (text[at] == '{') {
            const std::size_t end = text.find('}', at);
            const std::string name = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
            const parameter_value* value = values.find(name);
            if (end == std::string::npos || value == nullptr) throw error("nothing is called {" + name + "}");
            result += text_of(*value);
            at = end;
        } else {
            result += text[at];
        }
    }
    return result;
}

}  // namespace launchbox
