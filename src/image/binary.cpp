// SPDX-License-Identifier: Apache-2.0
#include "image/binary.hpp"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "image/container/decompress.hpp"
#include "image/container/elf.hpp"
#include "image/container/image_scan.hpp"
#include "image/min_blocks.hpp"
#include "image/ptx/ptx.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

constexpr std::size_t beginning_bytes = 65536;  // within which a text must show that it is PTX

// The result of reading one image.
struct image_result {
    std::string architecture;
    std::vector<kernel_info> kernels;
    std::vector<image_diagnostic> diagnostics;
    bool relocatable = false;
    bool left_out = false;  // memory ran out before all of its kernels were read
};

// Decompressors, at most one per thread, for reading one file. The sum of their buffers stays below a limit.
class decompressor_pool {
public:
    explicit decompressor_pool(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

    // Reserves memory for an image of this size as long as it is in scope; waits until others have released enough.
    class lease {
    public:
        lease(decompressor_pool& pool, std::uint64_t bytes) : pool_(pool)
        {
            std::unique_lock guard(pool_.lock_);
            while (!pool_.has_room(bytes)) pool_.returned_.wait(guard);
            taken_ = std::move(pool_.idle_.back());
            pool_.idle_.pop_back();
            promised_ = std::max<std::uint64_t>(bytes, taken_->buffer_bytes());
            pool_.held_ += promised_ - taken_->buffer_bytes();
            ++pool_.in_use_;
        }
        ~lease()
        {
            {
                const std::lock_guard guard(pool_.lock_);
                pool_.held_ -= promised_ - taken_->buffer_bytes();
                pool_.idle_.push_back(std::move(taken_));
                --pool_.in_use_;
            }
            pool_.returned_.notify_all();
        }
        lease(const lease&) = delete;
        lease& operator=(const lease&) = delete;
        decompressor& operator*() { return *taken_; }

    private:
        decompressor_pool& pool_;
        std::unique_ptr<decompressor> taken_;
        std::uint64_t promised_ = 0;
    };

private:
    // Whether the last idle decompressor may be taken; frees the buffers of the idle ones if they are in the way.
    bool has_room(std::uint64_t bytes)
    {
        if (idle_.empty()) idle_.push_back(std::make_unique<decompressor>());
        const std::uint64_t there = idle_.back()->buffer_bytes();
        if (bytes <= there || held_ + (bytes - there) <= max_bytes_) return true;
        for (const std::unique_ptr<decompressor>& idle : idle_) {
            held_ -= idle->buffer_bytes();
            idle->free_buffer();
        }
        return held_ + bytes <= max_bytes_ || in_use_ == 0;
    }

    const std::uint64_t max_bytes_;
    std::mutex lock_;
    std::condition_variable returned_;
    std::vector<std::unique_ptr<decompressor>> idle_;
    std::size_t in_use_ = 0;
    std::uint64_t held_ = 0;  // bytes of all buffers, including those still to be allocated by leases
};

image_scan images_in(std::string_view bytes, const binary_options& options);
std::vector<image_result> read_images(const image_scan& scan, const std::string& file, const binary_options& options,
                                      kernel_memory& memory);
binary_image listed_image(const located_image& image, const image_result& result, std::string_view file_kind);
const char* name_of(fatbin_compression compression);
std::string kind_name(std::uint16_t kind);
std::string architecture_of(const fatbin_entry& entry);
image_result read_image(const located_image& image, const std::string& file, const cubin_options& options,
                        decompressor& unpack);
bool runs(const located_image& image, std::string_view file_kind);
void add_names(const std::vector<kernel_info>& kernels, std::vector<kernel_info>& names);
void leave_out_unwanted(binary_contents& contents, const binary_options& options,
                        const std::function<bool(const std::string&)>& wanted);

}  // namespace

bool looks_like_binary(std::string_view bytes)
{
    return bytes.starts_with(
               "\x7f"
               "ELF") ||
           bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n") || bytes.starts_with(fatbin_magic) ||
           is_ptx(bytes.substr(0, beginning_bytes)) || bytes.substr(0, 4096).find('\0') != std::string_view::npos ||
           holds_image(bytes);
}

binary_contents read_binary(std::string_view bytes, const std::string& file, const binary_options& options)
{
    image_scan scan = images_in(bytes, options);
    const auto wanted = [&](const std::string& architecture) {
        return architecture.empty() || !options.wanted || options.wanted(architecture);
    };
    // PTX is read for every architecture: kernels for the wanted ones may have been compiled from it.
    std::size_t not_wanted = 0;
    if (!options.name_others)
        not_wanted = std::erase_if(scan.images, [&](const located_image& image) {
            return image.entry.kind != fatbin_entry::ptx && !wanted(architecture_of(image.entry));
        });
    kernel_memory memory(options.max_kernel_bytes, "one file", options.memory_of_run);
    memory.limit_line_text(max_line_text_per_kernel + line_text_per_byte * bytes.size());
    std::vector<image_result> results = read_images(scan, file, options, memory);

    binary_contents contents;
    contents.kind = scan.kind;
    contents.diagnostics = std::move(scan.diagnostics);
    if (const auto left_out = std::ranges::count_if(results, &image_result::left_out); left_out > 0) {
        const auto first = std::ranges::find_if(results, &image_result::left_out) - results.begin();
        contents.diagnostics.insert(contents.diagnostics.begin(),  // first, because a long list is cut off
                                    {scan.images[static_cast<std::size_t>(first)].offset,
                                     "not all kernels of " + std::to_string(left_out) + " of " +
                                         std::to_string(results.size()) + " images were read: " + memory.refusal()});
    }
    std::vector<std::size_t> container_of;  // of each image
    for (std::size_t i = 0; i < results.size(); ++i) {
        const located_image& image = scan.images[i];
        image_result& result = results[i];
        binary_image listed = listed_image(image, result, scan.kind);
        // Only the image itself tells the architecture of a separate cubin.
        const bool other = options.name_others && !wanted(listed.architecture);
        for (image_diagnostic& diagnostic : result.diagnostics)
            if (!other) add_diagnostic(contents.diagnostics, diagnostic.offset, std::move(diagnostic.what));
        if (image.entry.kind != fatbin_entry::ptx && !wanted(listed.architecture)) {
            if (options.name_others) add_names(result.kernels, contents.others);
            ++not_wanted;
            continue;
        }
        for (kernel_info& kernel : result.kernels) {
            kernel.source.container = listed.container;
            if (image.entry_number > 0) kernel.source.entry = listed.entry;
        }
        contents.kernels.push_back(std::move(result.kernels));
        container_of.push_back(image.container_id);
        contents.images.push_back(std::move(listed));
    }
    add_min_blocks(contents.kernels, container_of, options.jobs, options.name_others);
    not_wanted += contents.images.size();
    leave_out_unwanted(contents, options, wanted);
    contents.not_wanted = not_wanted - contents.images.size();
    return contents;
}

namespace {

image_scan images_in(std::string_view bytes, const binary_options& options)
{
    if (!is_ptx(bytes.substr(0, beginning_bytes))) return scan_for_images(bytes, options.jobs, options.data);
    // The driver reads the text up to a zero byte. What follows may have been meant to be read, too.
    const std::string_view text = bytes.substr(0, bytes.find('\0'));
    image_scan scan;
    if (text.size() < bytes.size()) scan = scan_for_images(bytes, options.jobs, options.data);
    if (scan.images.empty() && bytes.find_first_not_of('\0', text.size()) != std::string_view::npos)
        scan.diagnostics.push_back({text.size(), "the text ends here with a zero byte, and the rest is not read"});
    scan.kind = "PTX";
    for (located_image& image : scan.images) ++image.container_id;
    scan.images.insert(
        scan.images.begin(),
        {.container = "ptx", .entry = {.kind = fatbin_entry::ptx, .payload = text, .decompressed_bytes = text.size()}});
    return scan;
}

std::vector<image_result> read_images(const image_scan& scan, const std::string& file, const binary_options& options,
                                      kernel_memory& memory)
{
    // The largest first, so that it does not keep one thread busy at the end.
    std::vector<std::size_t> order(scan.images.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return scan.images[i].entry.decompressed_bytes; });
    std::vector<image_result> results(scan.images.size());
    decompressor_pool unpackers(options.max_decompressed_at_once);
    run_parallel(
        order.size(),
        [&](std::size_t i) {
            const located_image& image = scan.images[order[i]];
            if (!options.before_linking && !runs(image, scan.kind)) return;
            if (memory.used_up()) {
                results[order[i]].left_out = true;
                return;
            }
            const bool stored = image.entry.compression == fatbin_compression::stored;
            decompressor_pool::lease unpack(unpackers, stored ? 0 : image.entry.decompressed_bytes);
            image_result& result = results[order[i]];
            const std::string known = architecture_of(image.entry);
            const bool names_only = options.name_others && !known.empty() && options.wanted && !options.wanted(known);
            result = read_image(image, file,
                                {.names_only = names_only,
                                 .grid_dependency = options.grid_dependency,
                                 .hash_code = options.hash_code,
                                 .lines = options.lines,
                                 .examine = options.examine,
                                 .memory = &memory},
                                *unpack);
            result.left_out = memory.used_up();
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
        case fatbin_entry::tile_ir:
            return "Tile IR";
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

// A program contains the device linker's input next to its output.
bool runs(const located_image& image, std::string_view file_kind)
{
    return !image.before_linking || (file_kind != "executable" && file_kind != "shared library");
}

image_result read_image(const located_image& image, const std::string& file, const cubin_options& options,
                        decompressor& unpack)
{
    image_result result;
    const fatbin_entry& entry = image.entry;
    if (entry.kind != fatbin_entry::cubin && entry.kind != fatbin_entry::ptx) return result;
    const bool stored = entry.compression == fatbin_compression::stored;
    const auto complain = [&](std::uint64_t in_image, const std::string& what) {
        std::string text = image.container;
        if (image.entry_number > 0) text += ", entry " + std::to_string(image.entry_number);
        text += ": " + what;
        // In a compressed image, the offset does not refer to the file.
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
        cubin_contents cubin = read_cubin(*bytes, file, options);
        result.architecture = cubin.architecture;
        // Only the container tells code for a family from other code.
        if (entry.variant == 'f' && result.architecture.find_first_of("af") == std::string::npos) {
            result.architecture += 'f';
            for (kernel_info& kernel : cubin.kernels) set_architecture(kernel, result.architecture);
        }
        if (entry.architecture > 0 && !cubin.architecture.empty() && result.architecture != architecture_of(entry))
            complain(0,
                     "the entry is for " + architecture_of(entry) + ", but the cubin in it for " + result.architecture);
        if (cubin.end > 0 && cubin.end < bytes->size() &&
            holds_image(bytes->substr(static_cast<std::size_t>(cubin.end))))
            complain(cubin.end, "after the cubin's end there is another image, which the driver does not read");
        result.relocatable = cubin.relocatable;
        result.kernels = std::move(cubin.kernels);
        diagnostics = std::move(cubin.diagnostics);
    } else {
        ptx_contents ptx = read_ptx(*bytes, file, image.entry_number == 0, options.memory);
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

void add_names(const std::vector<kernel_info>& kernels, std::vector<kernel_info>& names)
{
    for (const kernel_info& kernel : kernels) {
        kernel_info& other = names.emplace_back();
        other.name = kernel.name;
        other.architecture = kernel.architecture;
        other.capability = kernel.capability;
        other.source.file = kernel.source.file;
    }
}

void leave_out_unwanted(binary_contents& contents, const binary_options& options,
                        const std::function<bool(const std::string&)>& wanted)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < contents.images.size(); ++i) {
        if (!wanted(contents.images[i].architecture)) {
            if (options.name_others) add_names(contents.kernels[i], contents.others);
            continue;
        }
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
