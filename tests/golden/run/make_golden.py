"""Writes one configuration with PyYAML and with Python's json, and its values as a list, for tests/run/config_test.cpp."""
import json
import pathlib

import yaml

CONFIG = {
    "model": "org/name",
    "dataset": {"train": "/data/été #1: x.jsonl", "eval": 0.05, "format": "messages", "max_seq_length": 1024,
                "packing": False, "train_on": "all", "truncation": "truncate"},
    "peft": {"type": "lora", "r": 32, "lora_alpha": 64, "lora_dropout": 0.05,
             "target_modules": ["q_proj", "k_proj", "v_proj", "o_proj"]},
    "training": {"global_batch_size": 64, "micro_batch_size": 2, "max_steps": 1000, "learning_rate": 1e-05,
                 "lr_scheduler_type": "constant", "warmup_ratio": 0.1, "weight_decay": 0.01, "adam_beta1": 0.8,
                 "adam_beta2": 0.95, "adam_epsilon": 1e-09, "max_grad_norm": 0.3, "optim": "adamw", "seed": 7,
                 "dtype": "float32", "eval_steps": 100},
    "memory": {"budget": "12GiB", "policy": "gather-always", "activations": "save", "accumulation": "breadth-first", "weights": "nf4"},
    "parallel": {"device": "cpu", "backend": "gloo", "ranks": 8, "threads_per_rank": 4, "master_port": 29400},
    "output": {"dir": "/runs/a b", "checkpoint_every": 0, "keep_checkpoints": 1},
}
# Numbers whose usual text differs between languages.
WRITTEN = {"training.learning_rate": "0.00001", "training.adam_epsilon": "1.0e-09"}


def written(key, value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(value) + "]"
    return WRITTEN.get(key, str(value))


here = pathlib.Path(__file__).parent
dump = dict(sort_keys=False, allow_unicode=True)
(here / "block.yaml").write_text(yaml.safe_dump(CONFIG, default_flow_style=False, **dump), encoding="utf-8")
(here / "flow.yaml").write_text(yaml.safe_dump(CONFIG, default_flow_style=True, **dump), encoding="utf-8")
(here / "config.json").write_text(json.dumps(CONFIG))
(here / "indented.json").write_text(json.dumps(CONFIG, indent="\t", ensure_ascii=False), encoding="utf-8")
lines = []
for section, value in CONFIG.items():
    pairs = value.items() if isinstance(value, dict) else [(None, value)]
    for name, item in pairs:
        key = section if name is None else f"{section}.{name}"
        lines.append(f"{key}\t{written(key, item)}\n")
(here / "values.txt").write_text("".join(lines), encoding="utf-8")
