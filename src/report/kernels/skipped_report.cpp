// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/skipped_report.hpp"

#include <fmt/format.h>

#include <utility>

#include "image/skipped_images.hpp"
#include "report/core/json.hpp"

namespace launchbox {

void add_skipped(document& page, const std::vector<inspected_input>& inputs)
{
    bool first = true;
    for (const inspected_input& input : inputs) {
        const std::string text = skipped_text(skipped_in(input.images));
        if (text.empty()) continue;
        if (std::exchange(first, false) && !page.blocks.empty()) page.line("");
        page.line(fmt::format("  {}: not read: {}",
                              input.file == "-" ? "standard input" : escape_for_terminal(input.file), text),
                  tone::warning);
    }
}

nlohmann::ordered_json skipped_json(const inspected_input& input)
{
    auto json = nlohmann::ordered_json::array();
    for (const skipped_images& some : skipped_in(input.images))
        json.push_back(
            {{"kind", some.kind}, {"architecture", text_or_null(some.architecture)}, {"images", some.images}});
    return json;
}

nlohmann::ordered_json skipped_json(const std::vector<inspected_input>& inputs)
{
    auto json = nlohmann::ordered_json::array();
    for (const inspected_input& input : inputs)
        for (nlohmann::ordered_json& some : skipped_json(input)) {
            nlohmann::ordered_json object{{"file", json_text(input.file)}};
            object.update(some);
            json.push_back(std::move(object));
        }
    return json;
}

}  // namespace launchbox
