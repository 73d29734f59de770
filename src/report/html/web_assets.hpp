// Assets of web/ embedded into the tool: style sheets, scripts, and the calculator's program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

struct web_asset {
    std::string_view content;  ///< empty if this build lacks it
    std::string_view sha256;   ///< of the content, in base64, for a Content-Security-Policy
};

web_asset page_style();
web_asset shared_script();  ///< shared by the scripts of all pages
web_asset report_script();
web_asset chart_js();  ///< Chart.js
web_asset calculator_body();
web_asset calculator_script();
web_asset calculator_worker();   ///< script of the worker that runs the program
web_asset calculator_program();  ///< WebAssembly, gzip in base64; empty if the build had no compiler for it
/// Why the tool was built without `calculator_program`; one line.
std::string_view why_no_calculator();

}  // namespace launchbox
