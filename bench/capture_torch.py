#!/usr/bin/env python3
"""A PyTorch program with a Triton kernel and a CUDA graph, for bench/measure_capture.

    capture_torch.py plain          the work
    capture_torch.py profile FILE   the work under PyTorch's profiler; counts the CUPTI activity records in its trace:
                                    [[name, grid, block, shared bytes], launches] for each kind of launch
"""
import json
import sys
from collections import Counter

import torch
import triton
import triton.language as tl


@triton.jit
def scaled(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(y + at, v * 2 + 1, mask=at < n)


def work():
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(1024, 1024), torch.nn.LayerNorm(1024), torch.nn.GELU(),
                                torch.nn.Linear(1024, 1024)).cuda()
    x = torch.randn(4096, 1024, device="cuda")
    y = torch.empty_like(x)
    for _ in range(30):
        model(x).square().mean().backward()
        scaled[(x.numel() // 1024,)](x, y, x.numel(), BLOCK=1024)
        torch.softmax(y, -1)
    with torch.cuda.stream(torch.cuda.Stream()):
        y.mul_(1.0001)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y.mul_(1.0001)
        y.add_(0.5)
    for _ in range(40):
        graph.replay()
    torch.cuda.synchronize()


def main():
    if sys.argv[1] == "plain":
        work()
        return
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        work()
    profiler.export_chrome_trace(sys.argv[2])
    with open(sys.argv[2], encoding="utf-8") as trace:
        events = json.load(trace)["traceEvents"]
    counts = Counter()
    for event in events:
        if event.get("cat") == "kernel":
            given = event["args"]
            counts[event["name"], tuple(given["grid"]), tuple(given["block"]), given["shared memory"]] += 1
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        json.dump([[list(key), count] for key, count in counts.items()], out)


if __name__ == "__main__":
    main()
