#!/usr/bin/env python3
"""Writes random planner inputs with the least traffic that a linear program (SciPy, HiGHS) finds for them.

The program is stated moment by moment, from what is in memory then; it knows nothing of how the planner solves it.
Usage: python make_golden.py  (needs numpy and scipy; writes linear_program.json beside itself)
"""
import json
import pathlib

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

DEPTHS = (0, 1, 2)


def least_bytes(case, depth):
    """Least bytes gathered per iteration, or None if the pieces in use do not fit."""
    size, lower = case["remote"], case["forwardOnly"]
    count = len(size)
    uses = list(range(count)) + list(range(count - 1, lower - 1, -1))
    # One variable per piece and interval; a forward-only piece has only the first.
    columns = {(i, "boundary"): i for i in range(count)}
    for i in range(lower, count):
        columns[(i, "turn")] = len(columns)

    moments = [(use, depth + 1, (case["forward"] if use < count else case["backward"])[piece])
               for use, piece in enumerate(uses)]
    moments.append((count % len(uses), depth, case["turn"]))
    moments.append((0, depth, case["boundary"]))
    kinds = ["use"] * len(uses) + ["turn", "boundary"]

    matrix = lil_matrix((len(moments), len(columns)))
    limit = np.zeros(len(moments))
    for row, ((first, window, capacity), kind) in enumerate(zip(moments, kinds)):
        whole = {uses[(first + step) % len(uses)] for step in range(min(window, len(uses)))}
        limit[row] = capacity - sum(size[i] for i in whole)
        done = len(uses) if kind == "boundary" else count if kind == "turn" else first  # uses already over
        for i in range(count):
            if i in whole:
                continue
            if i < lower:
                held = "boundary"
            else:
                forward_over, backward_over = done > i, done > 2 * count - 1 - i
                held = "turn" if forward_over and not backward_over else "boundary"
            matrix[row, columns[(i, held)]] = 1
    if (limit < 0).any():
        return None
    scale = float(max(max(size), 1))
    bounds = [(0, size[i] / scale) for (i, _) in columns]
    solved = linprog(-np.ones(len(columns)), A_ub=matrix.tocsr(), b_ub=limit / scale, bounds=bounds, method="highs")
    assert solved.status == 0, solved.message
    return 2 * sum(size[lower:]) + sum(size[:lower]) + solved.fun * scale


def random_case(rng):
    count = int(rng.integers(1, 81))
    unit = int(rng.choice([10, 1000, 4_000_000]))
    size = rng.integers(1, 10, count) * unit + rng.integers(0, unit, count)
    size[rng.random(count) < 0.1] = 0
    if rng.random() < 0.3:
        size[0] = int(8 * unit + size.sum() // 4)  # a large embedding
    total, most = int(size.sum()), int(size.max())
    depth = np.arange(count) / max(1, count - 1)
    start = rng.uniform(0.1, 1.3) * total
    forward = start - rng.uniform(0, 1) * total * depth
    backward = forward - rng.uniform(0, 0.2) * total * rng.random(count)
    if rng.random() < 0.5:  # not monotone
        forward *= rng.uniform(0.6, 1.3, count)
        backward *= rng.uniform(0.6, 1.3, count)
    floor = most * rng.uniform(1, 3) + 1
    forward, backward = np.maximum(forward, np.maximum(floor, size)), np.maximum(backward, np.maximum(floor, size))
    lower = 0 if rng.random() < 0.4 else int(rng.integers(0, count))
    return {
        "remote": size.tolist(),
        "forward": forward.astype(int).tolist(),
        "backward": backward.astype(int).tolist(),
        "turn": int(max(rng.uniform(0, 1.2) * total, 2 * most if rng.random() < 0.7 else 0)),
        "boundary": int(max(rng.uniform(0.1, 1.5) * total, 2 * most if rng.random() < 0.7 else 0)),
        "forwardOnly": lower,
    }


def main():
    rng = np.random.default_rng(20240607)
    here = pathlib.Path(__file__).parent
    cases = []
    for _ in range(200):
        case = random_case(rng)
        case["leastBytes"] = [least_bytes(case, min(d, 2 * len(case["remote"]) - case["forwardOnly"] - 1)) for d in DEPTHS]
        cases.append(case)
    (here / "linear_program.json").write_text("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "\n]\n")
    print(len(cases), "cases;", sum(c["leastBytes"][2] is not None for c in cases), "with room for depth 2")


if __name__ == "__main__":
    main()
