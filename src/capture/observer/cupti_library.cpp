// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/cupti_library.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "capture/record/record_format.hpp"

namespace launchbox {

namespace {

// Folders of the CUDA runtime and NVIDIA's Python packages from which this process has loaded a library.
std::vector<std::string> folders_of_loaded_cuda()
{
    std::vector<std::string> folders;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
            const std::string_view path(object->dlpi_name == nullptr ? "" : object->dlpi_name);
            const std::size_t slash = path.rfind('/');
            if (slash != path.npos && (path.find("/libcudart") != path.npos || path.find("/nvidia/") != path.npos))
                static_cast<std::vector<std::string>*>(to)->emplace_back(path.substr(0, slash));
            return 0;
        },
        &folders);
    return folders;
}

void add_matching(std::vector<std::string>& files, const std::string& pattern)
{
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
        for (std::size_t i = found.gl_pathc; i > 0; --i) files.emplace_back(found.gl_pathv[i - 1]);  // newest first
    ::globfree(&found);
}

std::vector<std::string> candidates(const std::string& name)
{
    std::vector<std::string> files;
    for (const std::string& folder : folders_of_loaded_cuda())
        for (const char* beside : {"/", "/../../cuda_cupti/lib/", "/../extras/CUPTI/lib64/"})
            add_matching(files, folder + beside + name);
    files.push_back(name);  // LD_LIBRARY_PATH and the system's folders
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* const folder = std::getenv(variable); folder != nullptr)
            for (const char* below : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
                add_matching(files, std::string(folder) + below + name);
    for (const char* folder :
         {"/usr/local/cuda*/lib64/", "/usr/local/cuda*/lib/", "/usr/local/cuda*/extras/CUPTI/lib64/",
          "/usr/local/lib/python3*/*-packages/nvidia/*/lib/", "/usr/lib/python3*/*-packages/nvidia/*/lib/"})
        add_matching(files, folder + name);
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const char* const folder = std::getenv(variable); folder != nullptr) {
            add_matching(files, std::string(folder) + "/lib/" + name);
            add_matching(files, std::string(folder) + "/lib/python3*/site-packages/nvidia/*/lib/" + name);
        }
    return files;
}

bool take(void* handle, cupti_library& to)
{
    cupti_library found{.library = loaded_library(handle)};
    if (!found.library.missing().empty()) return false;
    Dl_info where{};
    if (::dladdr(reinterpret_cast<void*>(found.version), &where) != 0 && where.dli_fname != nullptr)
        found.path = where.dli_fname;
    to = found;
    return true;
}

}  // namespace

cupti_library load_cupti(int driver_release)
{
    cupti_library cupti{.library = loaded_library(nullptr)};
    if (const char* const wanted = std::getenv(record::cupti_variable); wanted != nullptr && *wanted != '\0') {
        if (!take(::dlopen(wanted, RTLD_NOW | RTLD_LOCAL), cupti))
            cupti.missing = std::string(record::cupti_variable) + "=" + wanted;
        return cupti;
    }
    std::vector<std::string> names;
    const std::string stem = "libcupti.so.";
    for (const int release : {driver_release, 14, 13, 12})
        if (release >= 12 && release <= driver_release) names.push_back(stem + std::to_string(release));
    for (const std::string& name : names)
        if (take(::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD), cupti)) return cupti;
    for (const std::string& name : names)
        for (const std::string& file : candidates(name))
            if (take(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), cupti)) return cupti;
    cupti.missing = names.empty() ? stem + std::to_string(driver_release) : names.front();
    return cupti;
}

}  // namespace launchbox
