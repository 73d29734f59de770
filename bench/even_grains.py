#!/usr/bin/env python3
"""The cost of even grains (items per thread) in a block sort: their times in a landscape against those of their two odd
neighbours.

    bench/even_grains.py measurements/nvidia-h100/landscape_block_sort.json.gz ...

Reads the output of `launchbox results --format json` for examples/block_sort/landscape.toml. Between the grains k - 1
and k + 1 the work grows evenly, so the geometric mean of their times is the time of k without bank conflicts in shared
memory. Each time is the best of all launch bounds.
"""

import collections
import gzip
import json
import math
import sys


def best_times(record):
    best = {}
    for one in record["candidates"]:
        if one["status"] != "measured":
            continue
        shape, problem = one["parameters"], one["workload"]
        key = (problem["type"], problem["n"], problem["row"], shape["threads"], shape["items"])
        best[key] = min(best.get(key, math.inf), one["median_ns"])
    return best


def kind_of(items):
    power = items & -items
    return f"{power} x odd" if power < items else "power of two"


def main():
    for name in sys.argv[1:]:
        with (gzip.open if name.endswith(".gz") else open)(name) as file:
            record = json.load(file)
        best = best_times(record)
        costs = collections.defaultdict(list)
        for (kind, n, row, threads, items), time in best.items():
            around = [best.get((kind, n, row, threads, items + step)) for step in (-1, 1)]
            if items % 2 == 0 and items > 2 and all(around):
                costs[kind, n, kind_of(items)].append((time / math.sqrt(around[0] * around[1]), items))
        print(record["environments"][0]["gpu"])
        for (kind, n, grain), all_of in sorted(costs.items()):
            times = [time for time, _ in all_of]
            mean = math.exp(sum(map(math.log, times)) / len(times))
            grains = sorted({items for _, items in all_of})
            print(f"  {kind:9}  n = {n:>11,}  {grain:12}  {mean:.2f} ({min(times):.2f} to {max(times):.2f})  "
                  f"{len(times)} pairs, grains {', '.join(map(str, grains))}")


if __name__ == "__main__":
    main()
