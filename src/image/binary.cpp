// SPDX-License-Identifier: Apache-2.0
#include "image/binary.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "image/cubin.hpp"
#include "image/decompress.hpp"
#include "image/elf.hpp"
#include "image/image_scan.hpp"
#include "image/min_blocks.hpp"
#include "image/ptx.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

// What one image gives.
struct image_result {
    std::string architecture;
    std::vector<kernel_info> kernels;
    std::vector<image_diagnostic> diagnostics;
    bool relocatable = false;
};

// One decompressor a thread, with its buffer, for as long as one file is read.
class decompressor_pool {
public:
    std::unique_ptr<decompressor> take()
    {
        const std::lock_guard guard(lock_);
        if (idle_.empty()) return std::make_unique<decompressor>();
        std::unique_ptr<decompressor> taken = std::move(idle_.back());
        idle_.pop_back();
        return taken;
    }
    void put(std::unique_ptr<decompressor> returned)
    {
        const std::lock_guard guard(lock_);
        idle_.push_back(std::move(returned));
    }

private:
    std::mutex lock_;
    std::vector<std::unique_ptr<decompressor>> idle_;
};

image_scan images_in(std::string_view bytes, unsigned jobs);
std::vector<image_result> read_images(const image_scan& scan, const std::string& file, const binary_options& options);
binary_image listed_image(const located_image& image, const image_result& result, std::string_view file_kind);
const char* name_of(fatbin_compression compression);
std::string kind_name(std::uint16_t kind);
std::string architecture_of(const fatbin_entry& entry);
image_result read_image(const located_image& image, const std::string& file, bool hash_code, decompressor& unpack);
bool runs(const located_image& image, std::string_view file_kind);
void leave_out_unwanted(binary_contents& contents, const std::function<bool(const std::string&)>& wanted);

}  // namespace

bool looks_like_binary(std::string_view bytes)
{
    return bytes.starts_with(
               "\x7f"
               "ELF") ||
           bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n") || bytes.starts_with(fatbin_magic) ||
           is_ptx(bytes.substr(0, 65536)) || bytes.substr(0, 4096).find('\0') != std::string_view::npos;
}

binary_contents read_binary(std::string_view bytes, const std::string& file, const binary_options& options)
{
    image_scan scan = images_in(bytes, options.jobs);
    const auto wanted = [&](const std::string& architecture) {
        return architecture.empty() || !options.wanted || options.wanted(architecture);
    };
    // PTX of every architecture is read: kernels for the wanted ones may have been compiled from it.
    std::erase_if(scan.images, [&](const located_image& image) {
        return image.entry.kind != fatbin_entry::ptx && !wanted(architecture_of(image.entry));
    });
    std::vector<image_result> results = read_images(scan, file, options);

    binary_contents contents;
    contents.kind = scan.kind;
    contents.diagnostics = std::move(scan.diagnostics);
    std::vector<std::size_t> container_of;  // of each image
    for (std::size_t i = 0; i < results.size(); ++i) {
        const located_image& image = scan.images[i];
        image_result& result = results[i];
        binary_image listed = listed_image(image, result, scan.kind);
        for (image_diagnostic& diagnostic : result.diagnostics)
            add_diagnostic(contents.diagnostics, diagnostic.offset, std::move(diagnostic.what));
        // A cubin by itself says only inside what it is for.
        if (image.entry.kind != fatbin_entry::ptx && !wanted(listed.architecture)) continue;
        for (kernel_info& kernel : result.kernels) {
            kernel.source.container = listed.container;
            if (image.entry_number > 0) kernel.source.entry = listed.entry;
        }
        contents.kernels.push_back(std::move(result.kernels));
        container_of.push_back(image.container_id);
        contents.images.push_back(std::move(listed));
    }
    add_min_blocks(contents.kernels, container_of, options.jobs);
    leave_out_unwanted(contents, wanted);
    return contents;
}

namespace {

image_scan images_in(std::string_view bytes, unsigned jobs)
{
    if (!is_ptx(bytes.substr(0, 65536))) return scan_for_images(bytes, jobs);
    image_scan scan;
    scan.kind = "PTX";
    scan.images.push_back({.container = "ptx",
                           .entry = {.kind = fatbin_entry::ptx, .payload = bytes, .decompressed_bytes = bytes.size()}});
    return scan;
}

std::vector<image_result> read_images(const image_scan& scan, const std::string& file, const binary_options& options)
{
    // The largest first, so that no thread is left alone with it at the end.
    std::vector<std::size_t> order(scan.images.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return scan.images[i].entry.decompressed_bytes; });
    std::vector<image_result> results(scan.images.size());
    decompressor_pool idle;
    run_parallel(
        order.size(),
        [&](std::size_t i) {
            const located_image& image = scan.images[order[i]];
            if (!options.before_linking && !runs(image, scan.kind)) return;
            std::unique_ptr<decompressor> unpack = idle.take();
            results[order[i]] = read_image(image, file, options.hash_code, *unpack);
            idle.put(std::move(unpack));
        },
        options.jobs);
    return results;
}

binary_image listed_image(const located_image& image, const image_result& result, std::string_view file_kind)
{
    const std::string architecture = result.architecture.empty() ? architecture_of(image.entry) : result.architecture;
    return {.container = image.container,
            .entry = image.entry_number > 0 ? "entry " + std::to_string(image.entry_number) : "",
            .kind = kind_name(image.entry.kind),
            .architecture = architecture,
            .capability = parse_compute_capability(architecture),
            .compression = name_of(image.entry.compression),
            .offset = image.offset,
            .stored_bytes = image.entry.payload.size(),
            .bytes = image.entry.decompressed_bytes,
            .relocatable = result.relocatable || !runs(image, file_kind),
            .kernels = result.kernels.size()};
}

const char* name_of(fatbin_compression compression)
{
    return compression == fatbin_compression::zstd ? "zstd" : compression == fatbin_compression::lz4 ? "LZ4" : "stored";
}

std::string kind_name(std::uint16_t kind)
{
    switch (kind) {
        case fatbin_entry::ptx:
            return "PTX";
        case fatbin_entry::cubin:
            return "cubin";
        case fatbin_entry::lto_ir:
            return "LTO-IR";
        default:
            return "kind " + std::to_string(kind);
    }
}

std::string architecture_of(const fatbin_entry& entry)
{
    if (entry.architecture == 0) return {};
    std::string name = (entry.kind == fatbin_entry::cubin ? "sm_" : "compute_") + std::to_string(entry.architecture);
    if (entry.variant != 0) name += entry.variant;
    return name;
}

// In a program the device linker's input lies beside its output.
bool runs(const located_image& image, std::string_view file_kind)
{
    return !image.before_linking || (file_kind != "executable" && file_kind != "shared library");
}

image_result read_image(const located_image& image, const std::string& file, bool hash_code, decompressor& unpack)
{
    image_result result;
    const fatbin_entry& entry = image.entry;
    if (entry.kind != fatbin_entry::cubin && entry.kind != fatbin_entry::ptx) return result;
    const bool stored = entry.compression == fatbin_compression::stored;
    const auto complain = [&](std::uint64_t in_image, const std::string& what) {
        std::string text = image.container;
        if (image.entry_number > 0) text += ", entry " + std::to_string(image.entry_number);
        text += ": " + what;
        // In a compressed image the byte is not one of the file.
        if (!stored && in_image > 0) text += " (byte " + std::to_string(in_image) + " when decompressed)";
        add_diagnostic(result.diagnostics, stored ? image.offset + in_image : image.offset, std::move(text));
    };

    std::string why_not;
    const auto bytes = unpack.decompress(entry.payload, entry.compression, entry.decompressed_bytes, why_not);
    if (!bytes) {
        complain(0, why_not);
        return result;
    }
    std::vector<image_diagnostic> diagnostics;
    if (entry.kind == fatbin_entry::cubin) {
        cubin_contents cubin = read_cubin(*bytes, file, {.hash_code = hash_code});
        result.architecture = cubin.architecture;
        // Code for a family differs from other code only in what the container says of it.
        if (entry.variant == 'f' && result.architecture.find_first_of("af") == std::string::npos) {
            result.architecture += 'f';
            for (kernel_info& kernel : cubin.kernels) set_architecture(kernel, result.architecture);
        }
        if (entry.architecture > 0 && !cubin.architecture.empty() && result.architecture != architecture_of(entry))
            complain(0,
                     "the entry is for " + architecture_of(entry) + ", but the cubin in it for " + result.architecture);
        result.relocatable = cubin.relocatable;
        result.kernels = std::move(cubin.kernels);
        diagnostics = std::move(cubin.diagnostics);
    } else {
        ptx_contents ptx = read_ptx(*bytes, file, image.entry_number == 0);
        result.architecture = ptx.target.starts_with("sm_") ? "compute_" + ptx.target.substr(3) : ptx.target;
        for (kernel_info& kernel : ptx.kernels) {
            set_architecture(kernel, result.architecture);
            kernel.virtual_architecture = result.architecture;
        }
        result.kernels = std::move(ptx.kernels);
        diagnostics = std::move(ptx.diagnostics);
    }
    for (const image_diagnostic& fault : diagnostics) complain(fault.offset, fault.what);
    return result;
}

void leave_out_unwanted(binary_contents& contents, const std::function<bool(const std::string&)>& wanted)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < contents.images.size(); ++i) {
        if (!wanted(contents.images[i].architecture)) continue;
        if (kept != i) {
            contents.images[kept] = std::move(contents.images[i]);
            contents.kernels[kept] = std::move(contents.kernels[i]);
        }
        ++kept;
    }
    contents.images.resize(kept);
    contents.kernels.resize(kept);
}

}  // namespace

}  // namespace launchbox
