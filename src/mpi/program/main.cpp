// launchbox-mpi tune SPEC [options]: the same as launchbox tune, on the GPUs of all ranks.
// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string_view>

#include "cli/run_launchbox.hpp"
#include "cli/value_checks.hpp"
#include "mpi/cluster_tuning.hpp"
#include "mpi/mpi_link.hpp"
#include "support/error.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::mpi {

namespace {

using namespace std::string_view_literals;

// Only tune needs other ranks, except with --help or --version.
bool only_tells(int count, char** arguments)
{
    if (count < 2 || arguments[1] != "tune"sv) return true;
    return std::any_of(arguments + 2, arguments + count,
                       [](const char* word) { return word == "--help"sv || word == "-h"sv; });
}

bool is_worker(int count, char** arguments)
{
    return count >= 3 && arguments[1] == "--worker"sv;
}

void add_cluster_options(CLI::App& verb, cluster_settings& settings)
{
    verb.add_option("--compile-ranks", settings.compile_ranks,
                    "At most this many ranks may be without a GPU; they only compile")
        ->check(cli::whole_number(0, std::numeric_limits<int>::max()))
        ->type_name("N");
    verb.add_option("--rank-timeout", settings.silence_seconds,
                    "Leave out a rank that has not answered for this many seconds; default: 30")
        ->check(cli::number(2, 86400))
        ->type_name("SECONDS");
}

int run_first(int count, char** arguments, mpi_session& session)
{
    cluster_settings settings;
    cluster_coordinator coordinator;
    const cli::remote_tuning elsewhere{
        .add_options = [&](CLI::App& verb) { add_cluster_options(verb, settings); },
        .plan =
            [&](const tune_spec& spec, const backend_request& request, const listener& news) {
                return plan_cluster(spec, request, settings, session.link(), session.own_link(), coordinator, news);
            },
        .serve = {}};
    const int status = cli::run_launchbox(count, arguments, &elsewhere);
    std::vector<std::string> lost;
    if (coordinator.calls) {
        lost = coordinator.calls->lost();
        coordinator.calls.reset();  // tells all ranks that it is over
    } else {
        for (int rank = 0; rank < session.ranks(); ++rank)
            session.link().send(rank, encoded(cluster_message{.said = {{"do", "end"}}}));
    }
    if (coordinator.own_server.joinable()) coordinator.own_server.join();
    if (!lost.empty()) session.end_all_ranks(status);
    session.finish(status);
    return status;
}

int run_other(int count, char** arguments, mpi_session& session)
{
    catch_interrupts();  // rank 0 ends the run, and then this rank ends
    cluster_settings settings;
    std::optional<serving_end> end;
    const cli::remote_tuning elsewhere{.add_options = [&](CLI::App& verb) { add_cluster_options(verb, settings); },
                                       .plan = {},
                                       .serve =
                                           [&](const tune_spec& spec, const backend_request& request) {
                                               end = serve_cluster(spec, request, session.link());
                                               return exit_status::done;
                                           }};
    cli::run_launchbox(count, arguments, &elsewhere, true);
    if (!end)
        end = report_failure("the command line or the spec cannot be read there",
                             "the spec has to be on all nodes, under the same name", session.link());
    if (end == serving_end::coordinator_lost) {
        std::cerr << "launchbox-mpi: rank " << session.rank() << " ends: rank 0 does not answer any more\n";
        session.end_all_ranks(static_cast<int>(exit_status::missing));
    }
    if (end == serving_end::some_ranks_lost) session.end_after_rank_0(0);
    session.finish(0);
    return 0;
}

}  // namespace

}  // namespace launchbox::mpi

int main(int count, char** arguments)
{
    using namespace launchbox;
    if (mpi::is_worker(count, arguments)) return cli::run_launchbox(count, arguments);
    if (mpi::only_tells(count, arguments)) {
        mpi::cluster_settings settings;
        const cli::remote_tuning elsewhere{
            .add_options = [&](CLI::App& verb) { mpi::add_cluster_options(verb, settings); }, .plan = {}, .serve = {}};
        return cli::run_launchbox(count, arguments, &elsewhere);
    }
    try {
        mpi_session session(count, arguments);
        return session.rank() == 0 ? mpi::run_first(count, arguments, session)
                                   : mpi::run_other(count, arguments, session);
    } catch (const error& failure) {
        std::cerr << "launchbox-mpi: " << failure.what() << "\n  " << failure.hint() << '\n';
        return static_cast<int>(failure.status());
    }
}
