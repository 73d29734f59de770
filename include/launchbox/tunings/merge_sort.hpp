// The rows of launchbox::merge_sort, kept by launchbox emit; docs/tunings.md says what the lines mean, and
// algorithms/tune_all measures them again. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <launchbox/launch_box.cuh>

namespace launchbox {

/// What one kernel of merge_sort is compiled for: the sort of a tile, and the passes that merge tiles.
struct merge_sort_row {
    int threads;     ///< of a block: a power of two, 64 to 1,024
    int items;       ///< of a thread, a power of two (rounded down to one); threads * items is the tile
    int min_blocks;  ///< wanted resident blocks on an SM; 0: as the compiler likes
    int ways;        ///< sorted runs that one pass merges: 2, 4, 8, 16 or 32
};

// clang-format off

// table merge_sort_k4_upto_262144: 4-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_UPTO_262144_ROW
using merge_sort_k4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_UPTO_262144_ROW>;
#else
using merge_sort_k4_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.209 times as fast (1.194 to 1.239) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:7f1c962c438f41f9
    launchbox::sm<90, merge_sort_row{256, 16, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k4_upto_2097152: 4-byte keys, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_UPTO_2097152_ROW
using merge_sort_k4_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_UPTO_2097152_ROW>;
#else
using merge_sort_k4_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.157 times as fast (1.147 to 1.172) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:7f1c962c438f41f9
    launchbox::sm<90, merge_sort_row{256, 32, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k4_above_2097152: 4-byte keys, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_ABOVE_2097152_ROW
using merge_sort_k4_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_ABOVE_2097152_ROW>;
#else
using merge_sort_k4_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.356 times as fast (1.350 to 1.361) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:7f1c962c438f41f9
    launchbox::sm<90, merge_sort_row{256, 32, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k8_upto_262144: 8-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_UPTO_262144_ROW
using merge_sort_k8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_UPTO_262144_ROW>;
#else
using merge_sort_k8_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.193 times as fast (1.174 to 1.218) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:ad779c68413753d4
    launchbox::sm<90, merge_sort_row{256, 16, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k8_upto_2097152: 8-byte keys, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_UPTO_2097152_ROW
using merge_sort_k8_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_UPTO_2097152_ROW>;
#else
using merge_sort_k8_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.114 times as fast (1.092 to 1.131) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:ad779c68413753d4
    launchbox::sm<90, merge_sort_row{128, 32, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k8_above_2097152: 8-byte keys, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_ABOVE_2097152_ROW
using merge_sort_k8_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_ABOVE_2097152_ROW>;
#else
using merge_sort_k8_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.159 times as fast (1.158 to 1.161) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:ad779c68413753d4
    launchbox::sm<90, merge_sort_row{128, 32, 4, 8}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k16_upto_262144: 16-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K16_UPTO_262144_ROW
using merge_sort_k16_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_UPTO_262144_ROW>;
#else
using merge_sort_k16_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.240 times as fast (1.217 to 1.252) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k16.json.gz fnv1a64:348f39536ae3c59a
    launchbox::sm<90, merge_sort_row{256, 8, 4, 8}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k16_above_262144: 16-byte keys, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_K16_ABOVE_262144_ROW
using merge_sort_k16_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_ABOVE_262144_ROW>;
#else
using merge_sort_k16_above_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.233 times as fast (1.224 to 1.236) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k16.json.gz fnv1a64:348f39536ae3c59a
    launchbox::sm<90, merge_sort_row{256, 16, 3, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// table merge_sort_k4_v4_upto_262144: 4-byte keys with 4-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_262144_ROW
using merge_sort_k4_v4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_262144_ROW>;
#else
using merge_sort_k4_v4_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.180 times as fast (1.165 to 1.198) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:5240e2e879c4428d
    launchbox::sm<90, merge_sort_row{256, 16, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k4_v4_upto_2097152: 4-byte keys with 4-byte values, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_2097152_ROW
using merge_sort_k4_v4_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_2097152_ROW>;
#else
using merge_sort_k4_v4_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.062 times as fast (1.051 to 1.073) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:5240e2e879c4428d
    launchbox::sm<90, merge_sort_row{128, 16, 8, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k4_v4_above_2097152: 4-byte keys with 4-byte values, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_ABOVE_2097152_ROW
using merge_sort_k4_v4_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_ABOVE_2097152_ROW>;
#else
using merge_sort_k4_v4_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.096 times as fast (1.087 to 1.103) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:5240e2e879c4428d
    launchbox::sm<90, merge_sort_row{256, 32, 3, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k8_v8_upto_262144: 8-byte keys with 8-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_262144_ROW
using merge_sort_k8_v8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_262144_ROW>;
#else
using merge_sort_k8_v8_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.287 times as fast (1.274 to 1.311) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:207db06a604a2e67
    launchbox::sm<90, merge_sort_row{256, 8, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k8_v8_upto_2097152: 8-byte keys with 8-byte values, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_2097152_ROW
using merge_sort_k8_v8_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_2097152_ROW>;
#else
using merge_sort_k8_v8_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.083 times as fast (1.052 to 1.098) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:207db06a604a2e67
    launchbox::sm<90, merge_sort_row{128, 16, 4, 8}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// table merge_sort_k8_v8_above_2097152: 8-byte keys with 8-byte values, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_ABOVE_2097152_ROW
using merge_sort_k8_v8_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_ABOVE_2097152_ROW>;
#else
using merge_sort_k8_v8_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.053 times as fast (1.051 to 1.057) as {256, 16, 2, 8}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:207db06a604a2e67
    launchbox::sm<90, merge_sort_row{256, 16, 3, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// clang-format on

// Names of their own, since each letter of a kernel's name costs time at its launch.
struct merge_sort_k4 : by_size<upto<262144, merge_sort_k4_upto_262144>, upto<2097152, merge_sort_k4_upto_2097152>,
                               otherwise<merge_sort_k4_above_2097152>> {};
struct merge_sort_k8 : by_size<upto<262144, merge_sort_k8_upto_262144>, upto<2097152, merge_sort_k8_upto_2097152>,
                               otherwise<merge_sort_k8_above_2097152>> {};
struct merge_sort_k16 : by_size<upto<262144, merge_sort_k16_upto_262144>, otherwise<merge_sort_k16_above_262144>> {};
struct merge_sort_k4_v4
    : by_size<upto<262144, merge_sort_k4_v4_upto_262144>, upto<2097152, merge_sort_k4_v4_upto_2097152>,
              otherwise<merge_sort_k4_v4_above_2097152>> {};
struct merge_sort_k8_v8
    : by_size<upto<262144, merge_sort_k8_v8_upto_262144>, upto<2097152, merge_sort_k8_v8_upto_2097152>,
              otherwise<merge_sort_k8_v8_above_2097152>> {};

namespace detail {

template <std::size_t Bytes>
struct some_bytes {
    unsigned char bytes[Bytes];
};

// The table of the next larger elements that there is, since a row that fits them fits smaller ones, and a key of 1 or 2
// bytes takes as much room as one of 4. Keys of more than 8 bytes with values are as much larger keys alone: the pairs
// that were measured are smaller. Larger elements than those of all tables keep their size, and by_type scales a row for
// them. Values of more than 8 bytes are sorted as indices of 4 bytes.
template <class Key, class Value>
struct merge_sort_types {
    static constexpr std::size_t value_bytes = sizeof(Value) > 8 || sizeof(Value) <= 4 ? 4 : 8;
    static constexpr bool is_small = sizeof(Key) <= 4 && value_bytes <= 4, is_large = sizeof(Key) > 8;
    using key = some_bytes<is_small ? 4 : is_large ? sizeof(Key) + value_bytes : 8>;
    using value = std::conditional_t<is_large, void, some_bytes<is_small ? 4 : 8>>;
};
template <class Key>
struct merge_sort_types<Key, void> {
    using key = some_bytes<sizeof(Key) <= 4 ? 4 : sizeof(Key) <= 8 ? 8 : sizeof(Key) <= 16 ? 16 : sizeof(Key)>;
    using value = void;
};

}  // namespace detail

/// The rows for keys and values (`void`: none) of any types.
template <class Key, class Value = void>
using merge_sort_tuning =
    by_type<typename detail::merge_sort_types<Key, Value>::key, typename detail::merge_sort_types<Key, Value>::value,
            element_bytes<4, 0, merge_sort_k4>, element_bytes<8, 0, merge_sort_k8>,
            element_bytes<16, 0, merge_sort_k16>, element_bytes<4, 4, merge_sort_k4_v4>,
            element_bytes<8, 8, merge_sort_k8_v8>>;

}  // namespace launchbox
