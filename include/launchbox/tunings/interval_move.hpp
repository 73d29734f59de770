// The tables of interval_move, kept by launchbox emit; docs/tunings.md says what the lines mean.
#pragma once

#include <type_traits>

#include <launchbox/tunings/interval_row.hpp>

namespace launchbox::tunings {

// clang-format off

// table interval_move_4: interval_move, type of 4 bytes
#ifdef LAUNCHBOX_INTERVAL_MOVE_4_ROW
using interval_move_4 = launchbox::only<launchbox::interval_row LAUNCHBOX_INTERVAL_MOVE_4_ROW>;
#else
using interval_move_4 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 12, 4}>,
    // baseline, not measured
    launchbox::sm<80, launchbox::interval_row{256, 16, 4}>
>;
#endif

// table interval_move_8: interval_move, type of 8 bytes
#ifdef LAUNCHBOX_INTERVAL_MOVE_8_ROW
using interval_move_8 = launchbox::only<launchbox::interval_row LAUNCHBOX_INTERVAL_MOVE_8_ROW>;
#else
using interval_move_8 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 12, 4}>,
    // baseline, not measured
    launchbox::sm<80, launchbox::interval_row{256, 12, 4}>
>;
#endif

// clang-format on

/// Not scaled, since what a tile takes of shared memory does not depend on the element.
template <class Element>
using interval_move = std::conditional_t<(sizeof(Element) < 8), interval_move_4, interval_move_8>;

}  // namespace launchbox::tunings
