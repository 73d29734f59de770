// launchbox devices: the GPUs of this machine and every known compute capability.
// SPDX-License-Identifier: Apache-2.0

#include "app/architectures.hpp"
#include "cli/report_output.hpp"
#include "cli/verbs.hpp"
#include "gpu/driver.hpp"
#include "report/occupancy/devices_report.hpp"

namespace launchbox::cli {

namespace {

struct devices_options {
    output_options output;
    bool gpus_only = false;
    std::string architectures;
};

devices_view view_of(const devices_options& options)
{
    if (options.gpus_only && !options.architectures.empty())
        throw error("--here shows the GPUs of this machine, --arch the limits of architectures",
                    "leave one of them out");
    devices_view view{.limits = !options.gpus_only};
    if (options.architectures.empty()) return view;
    for (const target& named : architecture_list(options.architectures).gpus())
        view.chips.push_back({named.limits, named.gpu, named.sms});
    return view;
}

exit_status run_devices(const devices_options& options)
{
    const devices_view view = view_of(options);
    gpu_list gpus = find_gpus();
    for (gpu_device& gpu : gpus.devices) ask_free_memory(gpu);
    if (!view.limits && gpus.devices.empty())
        throw error("no GPU on this machine: " + gpus.reason, "run it on a machine with an NVIDIA driver and GPU",
                    exit_status::missing);
    write_report(options.output, {[&](const output_style&) { return devices_document(gpus, view); },
                                  [&] { return devices_json(gpus, view); },
                                  [&] { return view.limits ? limits_rows(view) : gpu_rows(gpus); }});
    return exit_status::done;
}

}  // namespace

void add_devices(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("devices", "The GPUs of this machine and the limits of every known compute capability");
    auto options = std::make_shared<devices_options>();
    options->output.add_to(*verb);
    verb->add_flag("--here", options->gpus_only, "Only the GPUs of this machine; exit 3 if there are none");
    verb->add_option("--arch", options->architectures, "All limits of these only: sm_50, \"GTX 970\", H100")
        ->type_name("ARCH,...");
    add_examples(*verb, "launchbox devices", "launchbox devices --arch sm_50,T4");
    verb->callback([options, &context] { context.action = [options] { return run_devices(*options); }; });
}

}  // namespace launchbox::cli
