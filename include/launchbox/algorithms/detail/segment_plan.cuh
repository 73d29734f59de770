// launchbox: how many passes each segment of a segmented merge sort takes, and how the segments are classified.
// Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <launchbox/algorithms/detail/merge_plan.hpp>
#include <launchbox/algorithms/detail/merge_shape.cuh>

namespace launchbox::detail {

/// The bit width of `number` >= 0, on the host and on the device.
__host__ __device__ __forceinline__ constexpr int bits_in(std::int64_t number)
{
#ifdef __CUDA_ARCH__
    if (!__builtin_is_constant_evaluated()) return 64 - __clzll(number);
#endif
    int bits = 0;
    for (; number > 0; number /= 2) ++bits;
    return bits;
}

/// The passes over a segment of `parts` parts, 2 or more: as in plan_merges, but the tiles that are sorted first are as
/// large as the parts of a pass, so that part i has the same elements in all passes.
struct segment_passes {
    int levels = 0, count = 0;

    __host__ __device__ constexpr segment_passes(std::int64_t parts, int max_levels)
        : levels(bits_in(parts - 1)), count((levels + max_levels - 1) / max_levels)
    {
    }
    [[nodiscard]] __host__ __device__ constexpr int levels_of(int pass) const
    {
        return levels / count + (pass < levels % count ? 1 : 0);
    }
    [[nodiscard]] __host__ __device__ constexpr int levels_before(int pass) const
    {
        const int longer = levels % count;
        return pass * (levels / count) + (pass < longer ? pass : longer);
    }
};

/// What all kernels know about the sort. Segments of up to `max_short` elements are sorted by a thread in the first
/// kernel. The others are in classes by size: class c up to `tile_bits` holds segments of more than 2^(c - 1) and at
/// most 2^c elements, several of which are sorted in one tile; class 0 needs nothing more. Larger segments are merged;
/// class tile_bits + k needs k passes.
struct segment_sizes {
    static constexpr int max_classes = 64;

    std::int64_t n = 0;         ///< elements, in segments or between them
    std::int64_t segments = 0;  ///< fewer than 2^32
    int max_short = 0;
    int small_bits = 0;  ///< tiles of the first kernel: 2^small_bits elements
    int tile_bits = 0;   ///< tiles of the second kernel, and of the passes
    int max_levels = 1;  ///< of a pass
    int part = 0;        ///< elements in a part of a merged segment, up to `slack` more or fewer
    int slack = 0;
    int max_passes = 0;   ///< of a segment that has all elements
    bool is_few = false;  ///< every block looks at all segments: none are listed

    [[nodiscard]] __host__ __device__ constexpr std::int64_t parts_of(std::int64_t size) const
    {
        return (size + part - 1) / part;
    }
    [[nodiscard]] __host__ __device__ constexpr segment_passes passes_of(std::int64_t size) const
    {
        return {parts_of(size), max_levels};
    }
    [[nodiscard]] __host__ __device__ constexpr bool is_merged(std::int64_t size) const
    {
        return size > std::int64_t{1} << tile_bits;
    }
    [[nodiscard]] __host__ __device__ constexpr int class_of(std::int64_t size) const
    {
        if (size < 2 || size <= max_short) return 0;
        if (is_merged(size)) return tile_bits + passes_of(size).count;
        return bits_in(size - 1);
    }
    [[nodiscard]] __host__ __device__ constexpr int first_class() const
    {
        return max_short < 2 ? 1 : bits_in(max_short);
    }
    /// Upper bounds, if segments do not overlap: for the segments of a class up to tile_bits,
    [[nodiscard]] __host__ __device__ constexpr std::int64_t max_listed(int own) const
    {
        if (own < first_class() || own > tile_bits) return 0;
        const std::int64_t of_size = n >> (own - 1);
        return of_size < segments ? of_size : segments;
    }
    /// for all these classes together, whose lists follow each other,
    [[nodiscard]] constexpr std::int64_t max_listed() const
    {
        std::int64_t all = 0;
        for (int own = 1; own <= tile_bits && !is_few; ++own) all += max_listed(own);
        return all;
    }
    /// for the segments that are merged, and for their parts.
    [[nodiscard]] __host__ __device__ constexpr std::int64_t max_merged() const
    {
        return n >> tile_bits < segments ? n >> tile_bits : segments;
    }
    [[nodiscard]] __host__ __device__ constexpr std::int64_t max_parts() const
    {
        return max_merged() == 0 ? 0 : n / part + max_merged();
    }
    /// Upper bound for the tiles of the classes `first` to `last`: each segment fills more than half of its place.
    [[nodiscard]] constexpr std::int64_t max_tiles(int first, int last, int bits) const
    {
        return last < first ? 0 : std::min(segments, divided_up(2 * n, std::int64_t{1} << bits) + last - first + 1);
    }
};

/// The most elements of a segment that a thread sorts; 0 if its registers have no room.
template <class Key>
inline constexpr int max_short_segment = sizeof(kept_type<Key>) <= 8    ? 18
                                         : sizeof(kept_type<Key>) <= 16 ? 8
                                                                        : 0;

/// The class of the smallest segments that a thread does not sort.
template <class Key>
inline constexpr int first_listed_class = segment_sizes{.max_short = max_short_segment<Key>}.first_class();

/// Sizes for a first kernel with tiles of `small_tile` elements, and others with `threads` and `items`.
constexpr segment_sizes segment_sizes_of(std::int64_t n, std::int64_t segments, int small_tile, int threads, int items,
                                         int max_levels, int max_short)
{
    const auto bits = [](int tile) { return bits_in(tile) - 1; };
    segment_sizes sizes{.n = n, .segments = segments, .max_short = max_short};
    sizes.tile_bits = bits(threads * items);
    sizes.small_bits = std::min(bits(small_tile), sizes.tile_bits);
    sizes.max_levels = std::clamp(max_levels, 1, max_merge_levels);
    const int merged = merged_elements(threads, items, sizes.max_levels);
    sizes.slack = merged / 256;
    sizes.part = merged - 2 * sizes.slack;
    if (sizes.max_merged() > 0) sizes.max_passes = sizes.passes_of(n).count;
    return sizes;
}

/// The same for few segments, of which those with up to `tile` elements are not merged.
constexpr segment_sizes sizes_of_few(std::int64_t n, std::int64_t segments, int threads, int items, int max_levels,
                                     int tile)
{
    segment_sizes sizes = segment_sizes_of(n, segments, threads * items, threads, items, max_levels, 0);
    sizes.is_few = true;
    sizes.tile_bits = bits_in(tile) - 1;
    const int merged = sizes.part + 2 * sizes.slack;
    sizes.slack = merged / share_of_slack(0, true);
    sizes.part = merged - 2 * sizes.slack;
    sizes.max_passes = sizes.max_merged() > 0 ? sizes.passes_of(n).count : 0;
    return sizes;
}

}  // namespace launchbox::detail
