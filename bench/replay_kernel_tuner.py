#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many evaluations Kernel Tuner's strategies need on recorded spaces: a reference for `launchbox bench-search`.

    bench/replay_kernel_tuner.py CACHE... [--strategy pso,mls] [--searches 100] [--most 500] [--seconds 45] [--jobs 16]

Needs kernel_tuner 1.5. CACHE: caches of Kernel Tuner, also gzipped; `launchbox results --export` makes them from other
formats. As in bench-search, a candidate's time is the median of its samples, only new candidates count, failed ones
too, and a search has no more than --most of them. Each line: space, strategy, searches, then median and 90th percentile
of the evaluations to within 10, 5 and 1 % of the best. "-": not reached. Searches that take longer than --seconds are
left out and counted at the end of the line.

Each search has its own search space: Kernel Tuner's space remembers the random neighbours that it gave out, so a search
that reuses one seems to need only a fraction of its evaluations.
"""
import argparse
import contextlib
import gzip
import json
import math
import multiprocessing
import os
import pathlib
import random
import signal
import statistics

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"

import numpy  # noqa: E402
from kernel_tuner import util  # noqa: E402
from kernel_tuner.interface import Options, strategy_map  # noqa: E402
from kernel_tuner.runners.simulation import SimulationRunner  # noqa: E402
from kernel_tuner.searchspace import Searchspace  # noqa: E402

TARGETS = (1.10, 1.05, 1.01)
USUAL = ["adaptive_tabu_greywolf", "basinhopping", "bayes_opt", "diff_evo", "dual_annealing", "firefly_algorithm",
         "genetic_algorithm", "greedy_ils", "greedy_mls", "hybrid_vndx", "minimize", "mls", "ordered_greedy_mls", "pso",
         "simulated_annealing"]


class TooLong(Exception):
    pass


class Runner(SimulationRunner):
    """Records after how many evaluations each target was reached; after the last one the search may end."""

    def __init__(self, best):
        super().__init__(None, Options(kernel_name="replay"), Options(quiet=True), 7, None)
        self.best, self.reached = best, {}

    def run(self, parameter_space, tuning_options):
        results = []
        for element in parameter_space:
            results += super().run([element], tuning_options)
            time = results[-1] and results[-1].get("time")
            if isinstance(time, float):
                for target in TARGETS:
                    if time <= self.best * target:
                        self.reached.setdefault(target, len(self.visited_results))
            if TARGETS[-1] in self.reached:
                tuning_options.budget.max_fevals = tuning_options.budget.num_fevals
        return results


def read(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        space = json.load(file)
    times = []
    for entry in space["cache"].values():
        samples = entry.pop("times", None)
        entry |= {"compile_time": 0, "verification_time": 0, "benchmark_time": 0}
        if isinstance(entry["time"], (int, float)) and 0 < entry["time"] < 1e20:
            entry["time"] = float(statistics.median(samples) if samples else entry["time"])
            times.append(entry["time"])
        else:
            entry["time"] = entry["__error__"] = util.RuntimeFailedConfig()
    return space, min(times)


def search(space, best, strategy, seed, most, seconds):
    """The evaluations for each target; None if the search took too long."""
    random.seed(seed)
    numpy.random.seed(seed)
    fresh, runner = Searchspace(None, None, None, from_cache=space), Runner(best)
    most = min(most, fresh.size)
    options = Options(strategy=strategy, strategy_options=Options(max_fevals=most), objective=["time"],
                      objective_higher_is_better=[False], metrics=None, cache=space["cache"], restrictions=None,
                      restrictions_unmodified=None, tune_params=space["tune_params"], snap=True, verbose=False, seed=seed)
    options["budget"] = util.TuningBudget(None, most)

    def ring(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            strategy_map[strategy].tune(fresh, runner, options)
    except util.StopCriterionReached:
        pass
    except TooLong:
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return runner.reached


def quantile(values, part):
    values = sorted(values)
    if part == 0.5:
        value = statistics.median(values)
    else:
        value = values[math.ceil(part * len(values)) - 1]
    return f"{value:g}" if value < math.inf else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", nargs="+", type=pathlib.Path)
    parser.add_argument("--strategy", default=",".join(USUAL))
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--most", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=45)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    with multiprocessing.get_context("fork").Pool(asked.jobs) as pool:
        for path in asked.cache:
            space, best = read(path)
            for strategy in asked.strategy.split(","):
                found = pool.starmap(search, [(space, best, strategy, seed, asked.most, asked.seconds)
                                              for seed in range(asked.searches)])
                whole = [reached for reached in found if reached is not None]
                line = [path.name.split(".")[0], strategy, str(len(whole))]
                for target in TARGETS if whole else ():
                    evaluations = [reached.get(target, math.inf) for reached in whole]
                    line += [quantile(evaluations, 0.5), quantile(evaluations, 0.9)]
                print("\t".join(line + ([f"{len(found) - len(whole)} too long"] if len(whole) < len(found) else [])),
                      flush=True)


if __name__ == "__main__":
    main()
