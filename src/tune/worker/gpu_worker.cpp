// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_worker.hpp"

#include "support/process/worker_process.hpp"
#include "tune/worker/measuring_worker.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

namespace {

// The limits of the worker itself apply first.
worker_question question_of(const gpu_task& task, double overhead_seconds)
{
    worker_question question{.line = task_line(task)};
    question.silence_seconds.fill(overhead_seconds);
    const auto limit = [&](worker_phase phase) -> double& {
        return question.silence_seconds.at(static_cast<std::size_t>(phase));
    };
    limit(worker_phase::verify) += task.launch_seconds;
    limit(worker_phase::measure) += task.launch_seconds + (task.samples > 0 ? 0 : task.measure.max_seconds);
    return question;
}

measuring_worker_options process_for(const gpu_worker_options& options)
{
    measuring_worker_options process;
    process.command = {options.worker_program.empty() ? this_program() : options.worker_program, "--worker", "gpu",
                       std::to_string(options.device)};
    process.command.insert(process.command.end(), options.captures.begin(), options.captures.end());
    process.name = "GPU " + std::to_string(options.device);
    // Creating a context is slow on a host with many GPUs, or if the driver must be loaded first.
    process.start_seconds = 120;
    return process;
}

}  // namespace

struct gpu_worker::impl {
    measuring_worker process;
    double overhead_seconds;
};

gpu_worker::gpu_worker(const gpu_worker_options& options)
    : impl_(new impl{measuring_worker(process_for(options)), options.overhead_seconds})
{
}
gpu_worker::~gpu_worker() = default;

int gpu_worker::starts() const
{
    return impl_->process.starts();
}

pid_t gpu_worker::process() const
{
    return impl_->process.process();
}

void gpu_worker::start()
{
    impl_->process.start();
}

void gpu_worker::stop()
{
    impl_->process.stop();
}

measurement gpu_worker::measure(const gpu_task& task)
{
    return impl_->process.ask(question_of(task, impl_->overhead_seconds));
}

}  // namespace launchbox
