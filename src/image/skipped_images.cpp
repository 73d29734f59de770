// SPDX-License-Identifier: Apache-2.0
#include "image/skipped_images.hpp"

#include <algorithm>

namespace launchbox {

namespace {

bool is_skipped(const binary_image& image)
{
    return image.kind != "cubin" && image.kind != "PTX";
}

void append_part(std::string& text, const std::string& part)
{
    text += (text.empty() ? "" : ", ") + part;
}

}  // namespace

std::vector<skipped_images> skipped_in(const std::vector<binary_image>& images)
{
    std::vector<skipped_images> skipped;
    for (const binary_image& image : images) {
        if (!is_skipped(image)) continue;
        auto place = std::ranges::find_if(skipped, [&](const skipped_images& other) {
            return other.kind == image.kind && other.architecture == image.architecture;
        });
        if (place == skipped.end()) place = skipped.insert(place, {image.kind, image.architecture, 0});
        ++place->images;
    }
    return skipped;
}

std::string skipped_text(const std::vector<skipped_images>& skipped)
{
    std::vector<skipped_images> kinds;  // `architecture` lists all of them
    for (const skipped_images& some : skipped) {
        const std::string architecture = some.architecture.empty() ? "?" : some.architecture;
        const auto place = std::ranges::find(kinds, some.kind, &skipped_images::kind);
        if (place == kinds.end()) {
            kinds.push_back({some.kind, architecture, some.images});
        } else {
            append_part(place->architecture, architecture);
            place->images += some.images;
        }
    }
    std::string text;
    for (const auto& [kind, architectures, count] : kinds) {
        const std::string word = count == 1 ? "image" : "images";
        const std::string named = kind.starts_with("kind ") ? word + " of unknown " + kind : kind + " " + word;
        append_part(text, std::to_string(count) + " " + named + " (" + architectures + ")");
    }
    return text;
}

std::string images_without_kernels_text(const std::vector<binary_image>& images)
{
    std::size_t cubins = 0, ptx = 0, unlinked = 0;
    for (const binary_image& image : images) {
        if (is_skipped(image) || image.kernels > 0) continue;
        ++(image.relocatable ? unlinked : image.kind == "cubin" ? cubins : ptx);
    }
    std::string text;
    const auto add = [&](std::size_t count, const char* one, const char* more) {
        if (count > 0) append_part(text, std::to_string(count) + " " + (count == 1 ? one : more));
    };
    add(cubins, "cubin without a kernel", "cubins without a kernel");
    add(ptx, "PTX module without a kernel", "PTX modules without a kernel");
    add(unlinked, "image before linking", "images before linking");
    if (const std::string skipped = skipped_text(skipped_in(images)); !skipped.empty()) append_part(text, skipped);
    return text;
}

}  // namespace launchbox
