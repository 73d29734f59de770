// Prints the candidates of specs, for Python tests that know the expected ones. Standard input: specs, each ended by a
// line "%". Standard output: a line of JSON for each, {"candidates": [[1, 2], ...]}, with the parameters in the spec's
// order, or {"error": "what is wrong"}.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "support/error.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"

namespace {

using json = nlohmann::json;

json candidates_of(const std::string& text)
{
    try {
        const launchbox::search_space space(launchbox::parse_tune_spec("spec.toml", text), {});
        json all = json::array();
        for (std::size_t i = 0; i < space.size(); ++i) {
            json candidate = json::array();
            for (const auto& [name, value] : space.at(i).values)
                std::visit([&](const auto& one) { candidate.push_back(one); }, value);
            all.push_back(std::move(candidate));
        }
        return {{"candidates", std::move(all)}};
    } catch (const launchbox::error& failure) {
        return {{"error", failure.what()}};
    }
}

}  // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    std::string text;
    for (std::string line; std::getline(std::cin, line);) {
        if (line != "%") {
            text += line + "\n";
            continue;
        }
        std::cout << candidates_of(text).dump(-1, ' ', false, json::error_handler_t::replace) << "\n";
        text.clear();
    }
    return 0;
}
