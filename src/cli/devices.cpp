// launchbox devices: the GPUs of this machine and every compute capability known.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "gpu/driver.hpp"
#include "report/devices_report.hpp"

namespace launchbox::cli {

namespace {

struct devices_options {
    output_options output;
    bool gpus_only = false;
};

}  // namespace

void add_devices(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("devices", "The GPUs of this machine and the limits of every known compute capability");
    auto options = std::make_shared<devices_options>();
    options->output.add_to(*verb);
    verb->add_flag("--here", options->gpus_only, "Only the GPUs of this machine; exit 3 when there are none");
    add_examples(*verb, "launchbox devices", "launchbox devices --format csv");
    verb->callback([options, &context] {
        context.action = [options] {
            const gpu_list gpus = find_gpus();
            const bool all = !options->gpus_only;
            if (!all && gpus.devices.empty())
                throw error("no GPU here: " + gpus.reason, "run it on a machine with an NVIDIA driver and GPU",
                            exit_status::missing);
            write_report(options->output, {[&](const output_style&) { return devices_document(gpus, all); },
                                           [&] { return devices_json(gpus, all); },
                                           [&] { return all ? limits_rows() : gpu_rows(gpus); }});
            return exit_status::done;
        };
    });
}

}  // namespace launchbox::cli
