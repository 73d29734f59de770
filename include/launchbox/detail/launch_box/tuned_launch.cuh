// launchbox: launching a body with the row of its code. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <launchbox/detail/launch/checked_launch.cuh>
#include <launchbox/detail/launch_box/tuned_kernel.cuh>
#include <launchbox/launch_config.cuh>
#include <launchbox/work_size.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

inline constinit std::atomic<int> visible_gpus{0};  // 0: not asked yet

/// The current device. If the process sees a single GPU, that is always device 0, and the runtime is not queried: a
/// query costs as much as everything else that launchbox adds to a launch. `name`, a mangled type, appears in the error
/// if there is no GPU; null stands for row_for.
inline int current_device(const char* name)
{
    const int gpus = visible_gpus.load(std::memory_order_relaxed);
    if (gpus == 1) return 0;
    int device = 0;
    if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) [[unlikely]]
        refuse_status({nullptr, nullptr, name}, &device, status, cudaSuccess);
    if (gpus == 0) {
        const own_errors errors;
        if (int count = 0; cudaGetDeviceCount(&count) == cudaSuccess)
            visible_gpus.store(count, std::memory_order_relaxed);
    }
    return device;
}

template <class Body, class Function>
void for_each_class(const Function& function)
{
    if constexpr (body_check<Body>::fine) {
        [&]<std::size_t... Class>(std::index_sequence<Class...>) {
            (function.template operator()<Class>(), ...);
        }(std::make_index_sequence<classes_of<typename Body::tuning>::count>{});
    }
}

/// Calls `function<Class>()` for the class of `elements`, and returns what it returns.
template <class Tuning, std::size_t Class = 0, class Function>
decltype(auto) with_class(std::int64_t elements, const Function& function)
{
    if constexpr (Class + 1 < classes_of<Tuning>::count) {
        if (elements > classes_of<Tuning>::max_elements(Class))
            return with_class<Tuning, Class + 1>(elements, function);
    }
    return function.template operator()<Class>();
}

/// The settings of a launch of a body; grid, threads and shared memory come from the row. Smaller than a launch_config,
/// which would cost some nanoseconds at each launch.
struct launch_extras {
    cudaStream_t stream = nullptr;
    launch_extent cluster = 1;
    bool programmatic_dependent_launch = false;
    bool cooperative = false;

    [[nodiscard]] constexpr bool are_only_a_stream() const
    {
        return cluster == launch_extent{} && !programmatic_dependent_launch && !cooperative;
    }
};

constexpr bool leaves_shape_to_row(const launch_config& config)
{
    const launch_config left_out;
    return config.grid == left_out.grid && config.threads == left_out.threads &&
           config.dynamic_shared_bytes == left_out.dynamic_shared_bytes;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_given_shape(const launch_config& config, const char* body)
{
    refuse_row({nullptr, nullptr, body},
               "grid, threads and shared memory of this launch come from its row. Leave them out of the launch_config; "
               "for a grid of your own launch with blocks{grid}.",
               config.grid == launch_config{}.grid ? launch_error_kind::block : launch_error_kind::grid,
               cudaErrorInvalidConfiguration);
}

constexpr launch_extras extras_of(const launch_config& config)
{
    return {config.stream, config.cluster, config.programmatic_dependent_launch, config.cooperative};
}

template <class Tuned, class... Parameters, class... Arguments>
void launch_with_row(const launch_extras& extras, const work_size& work, list<Parameters...>, Arguments&&... arguments)
{
    const auto known = Tuned::known_on(current_device(Tuned::name()));
    const row_figures& figures = Tuned::figures[known.row];
    const std::int64_t tiles = work.elements <= 0 ? work.elements : (work.elements - 1) / figures.tile + 1;
    if (!work.has_grid && (tiles < 0 || tiles > max_tiles)) [[unlikely]]
        refuse_elements(Tuned::handle(), figures, work.elements);
    if (work.has_grid ? work.grid == launch_extent(0) : tiles == 0) return;
    const auto config = [&] {
        return launch_config{
            .grid = work.has_grid ? work.grid : launch_extent(tiles),
            .threads = figures.threads,
            .dynamic_shared_bytes = figures.dynamic_shared_bytes,
            .stream = extras.stream,
            .cluster = extras.cluster,
            .programmatic_dependent_launch = extras.programmatic_dependent_launch || known.begins_early,
            .cooperative = extras.cooperative};
    };
    // The parameters of the lambda are the converted arguments, which the runtime copies.
    [&](Parameters... converted) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&Tuned::seals[known.row])),
                             const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(converted)))...};
        // Shared memory was opted in to when the row became known.
        if (work.has_grid || known.begins_early || !extras.are_only_a_stream()) {
            if (extras.cluster.count() > cluster_without_opt_in)
                launch_checked(Tuned::handle(known.variant), config(), addresses);
            else
                launch_opted_in(Tuned::handle(known.variant), config(), addresses);
            return;
        }
        // The common launch is known to fit and needs no launch_config, which would cost some nanoseconds.
        cudaLaunchConfig_t native{};
        native.gridDim = dim3(static_cast<unsigned>(tiles));
        native.blockDim = dim3(static_cast<unsigned>(figures.threads));
        native.dynamicSmemBytes = static_cast<std::size_t>(figures.dynamic_shared_bytes);
        native.stream = extras.stream;
        const cudaError_t earlier = cudaPeekAtLastError();
        const cudaError_t code = cudaLaunchKernelExC(&native, Tuned::kernel(known.variant), addresses);
        if (code != cudaSuccess) [[unlikely]]
            retry(Tuned::handle(known.variant), config(), addresses, code, earlier);
    }(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
}

template <class Body, class Unit, class... Arguments>
void launch_tuned(const launch_extras& extras, const work_size& work, Arguments&&... arguments)
{
    if constexpr (body_check<Body>::fine) {
        using tuning = typename Body::tuning;
        if constexpr (classes_of<tuning>::depends_on_size) {
            if (work.has_grid && work.elements < 0) refuse_grid_without_elements(tuned_kernel<Body, Unit, 0>::handle());
        }
        with_class<tuning>(work.elements, [&]<std::size_t Class>() {
            using kernel = tuned_kernel<Body, Unit, Class>;
            if constexpr (arguments_fit(typename kernel::parameters{}, list<Arguments...>{}))
                launch_with_row<kernel>(extras, work, typename kernel::parameters{},
                                        std::forward<Arguments>(arguments)...);
        });
    }
}

template <class Body, class Unit, class... Arguments>
cudaError_t try_launch_tuned(const launch_extras& extras, const work_size& work, Arguments&&... arguments) noexcept
{
    try {
        launch_tuned<Body, Unit>(extras, work, std::forward<Arguments>(arguments)...);
        return cudaSuccess;
    } catch (const launch_error& error) {
        return error.code;
    } catch (const std::bad_alloc&) {
        return cudaErrorMemoryAllocation;
    } catch (...) {  // the conversion of an argument can throw anything
        return cudaErrorUnknown;
    }
}

template <class Body, class Unit, std::size_t Class>
void prepare_tuned(int device)
{
    tuned_kernel<Body, Unit, Class>::row_on(device);
}

template <class Body, class Unit>
auto row_of_body(std::int64_t elements)
{
    if constexpr (body_check<Body>::fine) {
        const int device = current_device(type_name<Body>());
        return with_class<typename Body::tuning>(elements, [&]<std::size_t Class>() {
            using kernel = tuned_kernel<Body, Unit, Class>;
            return kernel::box::rows[kernel::row_on(device)];
        });
    } else {
        return row_of_wrong_table<typename Body::tuning>();
    }
}

/// A table without a body, on each GPU: only the architecture probe is queried.
template <class Box, class Unit>
struct table_entry {
    using box = box_in_use<Box>;
    static constexpr std::array<row_figures, box::rows.size()> figures = [] {
        std::array<row_figures, box::rows.size()> all{};
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = figures_of(box::rows[i], box::architectures[i]);
        return all;
    }();
    static inline constinit const void* probe_pointer = reinterpret_cast<const void*>(&architecture_probe<Unit>);

    static row_answer ask(const kernel_handle& kernel, const void* probe_of_kernel, int device)
    {
        return choose_row({kernel, probe_of_kernel, figures, places_of<box>(), Unit::numbers}, device);
    }
    static std::size_t row_on(int device)
    {
        return known.on(device, [=] { return ask({}, probe_pointer, device).row; });
    }
    static inline constinit known_rows known{};
};

template <class Tuning, class Unit>
auto row_of_table(std::int64_t elements)
{
    if constexpr (some_table<Tuning>::fine) {
        const int device = current_device(nullptr);
        return with_class<Tuning>(elements, [&]<std::size_t Class>() {
            using table = table_entry<typename classes_of<Tuning>::template box<Class>, Unit>;
            return table::box::rows[table::row_on(device)];
        });
    } else {
        return row_of_wrong_table<Tuning>();
    }
}

template <class Box, class Unit>
auto row_of_kernel(const kernel_handle& kernel, const void* probe_of_kernel)
{
    if constexpr (function_has_table<Box>()) {
        if (!kernel.function) refuse_status(kernel, nullptr, cudaErrorInvalidDeviceFunction, cudaSuccess);
        using table = table_entry<Box, Unit>;
        return table::box::rows[static_cast<std::size_t>(
            table::ask(kernel, probe_of_kernel, current_device(nullptr)).row)];
    } else {
        return row_of_wrong_table<Box>();
    }
}

template <class Body, class Unit>
occupancy_result account_of(std::int64_t elements)
{
    if constexpr (body_check<Body>::fine) {
        const int device = current_device(type_name<Body>());
        return with_class<typename Body::tuning>(elements, [&]<std::size_t Class>() {
            using kernel = tuned_kernel<Body, Unit, Class>;
            const auto known = kernel::known_on(device);
            return account_of_row(kernel::handle(known.variant), kernel::figures[known.row]);
        });
    } else {
        return {};
    }
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
