// The peer of image_bench: only decompresses what reading a library has to decompress.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "image/container/image_scan.hpp"
#include "support/process/parallel.hpp"

namespace launchbox::bench {

struct library_images {
    std::vector<fatbin_entry> images;  ///< those that `read_binary` reads, in its order: the largest first
    std::size_t cubins = 0, compressed = 0;
    std::uint64_t compressed_bytes = 0;    ///< of compressed images, as stored in the file
    std::uint64_t decompressed_bytes = 0;  ///< of the same images, decompressed
    std::uint64_t stored_bytes = 0;        ///< of images that are not compressed
    std::uint64_t largest = 0;             ///< the largest compressed image, decompressed
    std::uint64_t largest_of_all = 0;      ///< the largest image of any kind
};

/// The cubins and PTX of a library except those for the device linker, as `read_binary` reads them by default.
inline library_images images_of(std::string_view bytes)
{
    library_images result;
    for (const located_image& image : scan_for_images(bytes).images) {
        const fatbin_entry& entry = image.entry;
        if (entry.kind != fatbin_entry::cubin && entry.kind != fatbin_entry::ptx) continue;
        if (image.before_linking) continue;
        if (entry.kind == fatbin_entry::cubin) ++result.cubins;
        result.largest_of_all = std::max(result.largest_of_all, entry.decompressed_bytes);
        if (entry.compression == fatbin_compression::stored) {
            result.stored_bytes += entry.payload.size();
        } else {
            ++result.compressed;
            result.compressed_bytes += entry.payload.size();
            result.decompressed_bytes += entry.decompressed_bytes;
            result.largest = std::max(result.largest, entry.decompressed_bytes);
        }
        result.images.push_back(entry);
    }
    std::ranges::stable_sort(result.images, std::ranges::greater{}, &fatbin_entry::decompressed_bytes);
    return result;
}

/// Calls only ZSTD_decompressDCtx and LZ4_decompress_safe, with one context and one buffer for all images.
class plain_decompressor {
public:
    explicit plain_decompressor(std::uint64_t largest)
        : context_(ZSTD_createDCtx(), &ZSTD_freeDCtx), buffer_(new char[largest]), capacity_(largest)
    {
    }

    void decompress(const fatbin_entry& entry)
    {
        if (entry.compression == fatbin_compression::stored) return;
        const bool good =
            entry.compression == fatbin_compression::zstd
                ? ZSTD_decompressDCtx(context_.get(), buffer_.get(), capacity_, entry.payload.data(),
                                      entry.payload.size()) == entry.decompressed_bytes
                : LZ4_decompress_safe(entry.payload.data(), buffer_.get(), static_cast<int>(entry.payload.size()),
                                      static_cast<int>(entry.decompressed_bytes)) ==
                      static_cast<int>(entry.decompressed_bytes);
        if (good) return;
        std::fprintf(stderr, "an image cannot be decompressed\n");
        std::exit(2);
    }

private:
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_;
};

/// The peer on several threads. Each creates its own context and buffer here, as `read_binary` does.
inline void decompress_all(const library_images& library, unsigned threads)
{
    run_parallel(
        library.images.size(),
        [&](std::size_t i) {
            thread_local plain_decompressor unpack(0);
            thread_local std::uint64_t room = 0;
            if (room < library.images[i].decompressed_bytes) {
                // Largest first, so this allocates once per thread, and again only if another library has larger
                // images.
                room = library.images[i].decompressed_bytes;
                unpack = plain_decompressor(room);
            }
            unpack.decompress(library.images[i]);
        },
        threads);
}

}  // namespace launchbox::bench
