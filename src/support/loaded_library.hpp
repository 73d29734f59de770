// The functions of a library that is loaded at run time, each named once, where it is declared:
//     loaded_library library{::dlopen("libcuda.so.1", RTLD_NOW)};
//     decltype(&cuInit) init = library.need("cuInit");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

namespace launchbox {

class loaded_library {
public:
    /// A symbol that converts to the pointer type it is assigned to; null if the library lacks it.
    struct symbol {
        void* address = nullptr;
        template <class Pointer>
        operator Pointer*() const
        {
            return reinterpret_cast<Pointer*>(address);
        }
    };

    /// From `dlopen`; with null, nothing is found.
    explicit loaded_library(void* handle) : handle_(handle) {}

    [[nodiscard]] symbol find(const char* name) const
    {
        return {handle_ == nullptr ? nullptr : ::dlsym(handle_, name)};
    }
    /// Remembers the first name that is not found. `older`: an earlier name of the function that will do as well.
    [[nodiscard]] symbol need(const char* name, const char* older = nullptr)
    {
        symbol found = find(name);
        if (found.address == nullptr && older != nullptr) found = find(older);
        if (found.address == nullptr && missing_.empty()) missing_ = older != nullptr ? older : name;
        return found;
    }
    [[nodiscard]] const std::string& missing() const { return missing_; }

private:
    void* handle_;
    std::string missing_;
};

}  // namespace launchbox
