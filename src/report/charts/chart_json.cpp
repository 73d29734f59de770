// SPDX-License-Identifier: Apache-2.0
#include "report/charts/chart_json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/core/json.hpp"

namespace launchbox {

namespace {

// Six digits are more than a screen shows, and take a third of the size of all seventeen.
std::string array_of(const std::vector<double>& values)
{
    std::string text = "[";
    for (const double value : values) {
        if (text.size() > 1) text += ',';
        text += std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
    }
    return text + "]";
}

std::string axis_of(const chart_axis& axis)
{
    std::string text = fmt::format(R"({{"title":{},"logarithmic":{},"from_zero":{})", script_string(axis.title),
                                   axis.logarithmic, axis.from_zero);
    if (!axis.categories.empty()) {
        text += ",\"categories\":[";
        for (std::size_t i = 0; i < axis.categories.size(); ++i)
            text += (i == 0 ? "" : ",") + script_string(axis.categories[i]);
        text += ']';
    }
    return text + "}";
}

const char* name_of(series_look look)
{
    switch (look) {
        case series_look::line:
            return "line";
        case series_look::steps:
            return "steps";
        case series_look::dots:
            return "dots";
        case series_look::bars:
            break;
    }
    return "bars";
}

}  // namespace

std::string script_string(const std::string& text)
{
    const std::string json = nlohmann::ordered_json(json_text(text)).dump(-1, ' ', true);
    std::string safe;
    for (const char letter : json) safe += letter == '<' ? std::string("\\u003c") : std::string(1, letter);
    return safe;
}

void chart_json_writer::add(const chart& drawn, const xy_chart& content, const std::string& id)
{
    std::string text = charts_.empty() ? "" : ",\n";
    text += fmt::format(R"({}:{{"title":{},"x":{},"y":{},"series":[)", script_string(id), script_string(drawn.title),
                        axis_of(content.x), axis_of(content.y));
    for (std::size_t i = 0; i < content.series.size(); ++i) {
        const chart_series& series = content.series[i];
        text += fmt::format(R"({}{{"name":{},"look":"{}","strong":{},"x":{},"y":{})", i == 0 ? "" : ",",
                            script_string(series.name), name_of(series.look), series.strong, array_of(series.x),
                            array_of(series.y));
        if (!series.low.empty())
            text += fmt::format(R"(,"low":{},"high":{})", array_of(series.low), array_of(series.high));
        if (!series.labels.empty()) {
            text += ",\"labels\":[";
            for (std::size_t k = 0; k < series.labels.size(); ++k)
                text += fmt::format("{}{}", k == 0 ? "" : ",", number_of(series.labels[k]));
            text += ']';
        }
        text += '}';
    }
    text += "],\"marks\":[";
    for (std::size_t i = 0; i < content.marks.size(); ++i)
        text += fmt::format(R"({}{{"at":{:.6g},"text":{},"at_y":{}}})", i == 0 ? "" : ",", content.marks[i].at,
                            script_string(content.marks[i].text), content.marks[i].at_y);
    charts_ += text + "]}";
}

std::string chart_json_writer::text() const
{
    std::string text = "{\"texts\":[";
    for (std::size_t i = 0; i < texts_.size(); ++i) text += (i == 0 ? "" : ",") + script_string(*texts_[i]);
    return text + "],\n\"charts\":{" + charts_ + "}}\n";
}

std::size_t chart_json_writer::number_of(const std::string& text)
{
    const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(&at->first);
    return at->second;
}

}  // namespace launchbox
