// One self-contained HTML file: contains style, scripts and data, loads nothing, and may not use the network.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/charts/chart_json.hpp"
#include "report/charts/run_charts.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// Builds the body of a page. All text is escaped here; no other code writes markup.
class html_page {
public:
    explicit html_page(std::string title) : title_(std::move(title)) {}

    /// A section listed in the contents. `level`: 2 or 3.
    void section(const std::string& id, std::string_view heading, int level = 2);
    void line(std::string_view text, tone look = tone::plain);
    void add(const document& content);
    void add(const table& content);
    void add(const chart_group& group, const std::string& id_prefix);
    void verbatim(std::string_view text);
    /// Hides what follows until `end_details`, until the reader opens it.
    void begin_details(std::string_view summary);
    void end_details();
    /// Whether cells with a calculator address become links to the calculator, which the page then contains.
    [[nodiscard]] static bool has_calculator();

    [[nodiscard]] std::string text() const;

private:
    /// A link into the calculator around escaped text; only the text if there is no calculator.
    std::string linked(const std::string& address, const std::string& markup);
    void add_chart(const chart& drawn, const std::string& id);

    struct entry {
        std::string id, heading;
        int level;
    };
    std::string title_, body_;
    std::vector<entry> contents_;
    chart_json_writer charts_;
    bool uses_calculator_ = false;
};

/// The whole calculator. Throws `error` with exit status 3 if this build lacks it. `state` is the initial state, in the
/// form after # in its address; if empty, the defaults.
std::string calculator_page(const std::string& state);

}  // namespace launchbox
