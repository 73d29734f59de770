// The tables of interval_expand, kept by launchbox emit; docs/tunings.md says what the lines mean.
#pragma once

#include <launchbox/tunings/interval_row.hpp>

namespace launchbox::tunings {

// clang-format off

// table interval_expand_4: interval_expand, element of 4 bytes
#ifdef INTERVAL_EXPAND_4_ROW
using interval_expand_4 = launchbox::only<launchbox::interval_row INTERVAL_EXPAND_4_ROW>;
#else
using interval_expand_4 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 16, 4}>
>;
#endif

// table interval_expand_8: interval_expand, element of 8 bytes
#ifdef INTERVAL_EXPAND_8_ROW
using interval_expand_8 = launchbox::only<launchbox::interval_row INTERVAL_EXPAND_8_ROW>;
#else
using interval_expand_8 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 8, 4}>
>;
#endif

// clang-format on

template <class Element>
using interval_expand = by_type<Element, void, element_bytes<4, 0, interval_expand_4>, element_bytes<8, 0, interval_expand_8>>;

}  // namespace launchbox::tunings
