// Charts as JSON, for the script of a page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/charts/chart_data.hpp"

namespace launchbox {

/// Writes charts of points and bars. Texts of points are stored once, since names of candidates occur in every chart.
class chart_json_writer {
public:
    /// `id` replaces the chart's own, which may not be unique in the page.
    void add(const chart& drawn, const xy_chart& content, const std::string& id);

    /// {"texts": [...], "charts": {...}}; safe inside a script element.
    [[nodiscard]] std::string text() const;

private:
    std::size_t number_of(const std::string& text);

    std::map<std::string, std::size_t> numbers_;
    std::vector<const std::string*> texts_;
    std::string charts_;
};

/// A string as JSON that is safe inside a script element: it contains no <.
std::string script_string(const std::string& text);

}  // namespace launchbox
