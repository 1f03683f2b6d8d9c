#!/usr/bin/env python3
"""Writes optimizer.json and schedules.json: answers of torch.optim.AdamW, torch's gradient clipping and transformers' schedules.

    optimizer_golden.py            made with torch 2.15.0 and transformers 5.24.0

optimizer.json: for each case its settings, `start` (parameters), and for each of its steps `learning_rate`, `gradient`,
`norm` (of the gradient, before clipping to `max_norm`), `parameters` (afterwards). Values are float32, computed on CPU.
schedules.json: for each case `type`, `warmup_ratio`, `max_steps`, and the learning rate of every step for a base of 1.
Warm-up takes ceil(warmup_ratio * max_steps) steps, as in transformers' TrainingArguments.
"""
import json
import math
import random
from pathlib import Path

import torch
from transformers import get_constant_schedule_with_warmup, get_cosine_schedule_with_warmup, get_linear_schedule_with_warmup

HERE = Path(__file__).resolve().parent
SIZE, STEPS = 24, 25


def optimizer_case(beta1, beta2, epsilon, weight_decay, max_norm, seed):
    source = random.Random(seed)
    parameter = torch.nn.Parameter(torch.tensor([source.uniform(-1, 1) for _ in range(SIZE)]))
    optimizer = torch.optim.AdamW([parameter], lr=1.0, betas=(beta1, beta2), eps=epsilon, weight_decay=weight_decay, foreach=False, fused=False)
    case = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon, "weight_decay": weight_decay, "max_norm": max_norm,
            "start": parameter.tolist(), "steps": []}
    for step in range(STEPS):
        rate = 1e-2 * (1 + step % 5)
        gradient = torch.tensor([source.gauss(0, 10 ** source.uniform(-6, 0)) if source.random() > 0.1 else 0.0 for _ in range(SIZE)])
        parameter.grad = gradient.clone()
        norm = torch.nn.utils.clip_grad_norm_([parameter], max_norm) if max_norm else gradient.norm()
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        case["steps"].append({"learning_rate": rate, "gradient": gradient.tolist(), "norm": norm.item(), "parameters": parameter.tolist()})
    return case


def schedule_case(kind, ratio, steps):
    warmup = math.ceil(steps * ratio)
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    if kind == "constant":
        schedule = get_constant_schedule_with_warmup(optimizer, warmup)
    else:
        make = get_cosine_schedule_with_warmup if kind == "cosine" else get_linear_schedule_with_warmup
        schedule = make(optimizer, warmup, steps)
    rates = []
    for _ in range(steps):
        rates.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return {"type": kind, "warmup_ratio": ratio, "max_steps": steps, "rates": rates}


def main():
    cases = [optimizer_case(0.9, 0.999, 1e-8, 0, 0, 1), optimizer_case(0.9, 0.999, 1e-8, 0.1, 1.0, 2),
             optimizer_case(0.8, 0.95, 1e-5, 0.01, 0.25, 3), optimizer_case(0.0, 0.5, 1e-8, 0, 0, 4)]
    (HERE / "optimizer.json").write_text(json.dumps(cases) + "\n")
    schedules = [schedule_case(kind, ratio, steps) for kind in ("cosine", "linear", "constant")
                 for ratio, steps in ((0, 1), (0, 10), (0.03, 100), (0.07, 100), (0.1, 7), (0.5, 9), (1.0, 5))]
    (HERE / "schedules.json").write_text(json.dumps(schedules) + "\n")


if __name__ == "__main__":
    main()
