// What web/ embeds into the tool: style sheets, scripts, and the calculator's program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

struct web_asset {
    std::string_view content;  ///< empty: this build is without it
    std::string_view sha256;   ///< of the content, in base64, as a Content-Security-Policy names it
};

web_asset page_style();
web_asset shared_script();  ///< what the scripts of all pages use
web_asset report_script();
web_asset chart_js();  ///< Chart.js
web_asset calculator_body();
web_asset calculator_script();
web_asset calculator_worker();   ///< the script of the worker that the program runs in
web_asset calculator_program();  ///< WebAssembly, gzip in base64; empty where the build had no compiler for it
/// What was missing when the tool was built without `calculator_program`; one line.
std::string_view why_no_calculator();

}  // namespace launchbox
