// What a run on a GPU found, kept as JSON so that figures in the documentation can name their source.
#pragma once

#include <string>

namespace launchbox {

/// Notes one figure of this run: `section` groups, `name` is unique in it. Written at the end of the program to the
/// file that LAUNCHBOX_RECORD names, with device, driver, toolkit, date, commit (LAUNCHBOX_COMMIT) and command; without
/// that variable nothing is written.
void record(const std::string& section, const std::string& name, const std::string& value);
void record(const std::string& section, const std::string& name, double value);

}  // namespace launchbox
