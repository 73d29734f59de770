// Temporary files and folders that other processes can recognise as in use, and removal of those left by killed
// processes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace launchbox {

/// The beginning of their names.
inline constexpr std::string_view temporary_name = "launchbox-run-";

/// A new file or folder, launchbox-run-BOOT-HOST-PROCESS-XXXXXX, locked (flock) as long as the descriptor is open: the
/// lock ends with its owner, however that ends, and is visible from every container of the machine.
struct own_temporary {
    std::filesystem::path path;
    int descriptor = -1;  ///< also for writing, if it is a file; the caller closes it
};

/// Both first remove leftovers without an owner from `folder`, once per process: those of this boot of the machine if
/// they are not locked. Those of another machine, or where locks do not work (NFS does not lock folders, and may
/// restrict locks to one host), only if they have not changed for 30 days. If none can be created, `descriptor` is -1
/// and errno is set.
own_temporary new_own_file(const std::filesystem::path& folder);
own_temporary new_own_folder(const std::filesystem::path& folder);

/// Whether the file is a temporary file of this process, or in one of its temporary folders.
bool is_own_temporary(const std::filesystem::path& file);

}  // namespace launchbox
