// Images that the program hands to the driver itself: where they hold PTX, it is kept, since the driver then tells only
// what it compiled from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace launchbox {

/// Not for use by two threads at once.
class loaded_images {
public:
    explicit loaded_images(std::string folder) : folder_(std::move(folder)) {}

    /// The functions of the driver that `called` wants to hear of before they are carried out.
    static std::span<const CUpti_CallbackId> calls();

    /// A call that begins.
    void called(CUpti_CallbackId id, const void* parameters);

    [[nodiscard]] std::size_t count() const { return count_; }

private:
    void keep(std::string_view image);

    const std::string folder_;
    std::size_t count_ = 0, bytes_ = 0;
};

/// The files that this process runs code of, its own first.
std::string program_files();

}  // namespace launchbox
