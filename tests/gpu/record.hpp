// Saves the findings of a run on a GPU as JSON, so that figures in the documentation can name their source.
#pragma once

#include <string>

namespace launchbox {

/// Records one figure of this run: `section` groups figures, `name` is unique in it. At the end of the program all are
/// written to the file named by LAUNCHBOX_RECORD, with device, driver, toolkit, date, commit (LAUNCHBOX_COMMIT) and
/// command; without that variable nothing is written.
void record(const std::string& section, const std::string& name, const std::string& value);
void record(const std::string& section, const std::string& name, double value);

}  // namespace launchbox
