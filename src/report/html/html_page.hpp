// One self-contained HTML file: style, scripts and data in it, nothing loaded, no network allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/charts/chart_json.hpp"
#include "report/charts/run_charts.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// Builds the body of a page. All text is escaped here; nobody else writes markup.
class html_page {
public:
    explicit html_page(std::string title) : title_(std::move(title)) {}

    /// A part that the list of contents names. `level` 2 or 3.
    void section(const std::string& id, std::string_view heading, int level = 2);
    void line(std::string_view text, tone look = tone::plain);
    void add(const document& content);
    void add(const table& content);
    void add(const chart_group& group, const std::string& id_prefix);
    void verbatim(std::string_view text);
    /// What follows until `end_details` is hidden until the reader opens it.
    void begin_details(std::string_view summary);
    void end_details();
    /// Whether cells with the address of a calculator become links to one, which the page then has in it.
    [[nodiscard]] static bool has_calculator();

    [[nodiscard]] std::string text() const;

private:
    /// A link into the calculator around text that is escaped already; the text alone where there is no calculator.
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

/// The whole calculator. Throws `error` with exit status 3 where this build is without it. `state` is what the page
/// starts with, as behind # in its address; empty: its own defaults.
std::string calculator_page(const std::string& state);

}  // namespace launchbox
