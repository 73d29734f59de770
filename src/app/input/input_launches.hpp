// How kernels are launched, which no image holds: told by Triton's metadata, by the source, and by the user.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

struct input_reading;
struct kernel_input;
struct kernel_request;

/// What Triton says beside a cubin, and the dynamic shared memory that the user names.
void add_launches(input_reading& reading);

/// Figures of launches that the source itself has. One with other threads, of which the user asks, tells nothing of its
/// dynamic shared memory.
void add_source_launches(const kernel_request& request, kernel_input& input);

/// What is wrong around the kernels of sources. Before kernels are left out: whether a launch is wrong can depend on
/// all instantiations.
void lint_sources(const kernel_request& request, kernel_input& input);

}  // namespace launchbox
