#!/usr/bin/env python3
"""Loads a written adapter with PEFT and prints how far its logits are from those in a file.

    compare_logits.py MODEL ADAPTER LOGITS.safetensors

MODEL: a Hugging Face directory, or a GGUF file. LOGITS: `ids` [T] and `logits` [T, V], both float32. Prints the largest
difference relative to the largest logit, and how much the adapter changes the base model's logits by the same measure.
Needs torch, transformers, peft, safetensors (and gguf for GGUF files).
"""
import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
import torch  # noqa: E402
from peft import PeftModel  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402


def load_model(path):
    path = Path(path)
    options = {"dtype": torch.float32, "attn_implementation": "eager"}
    if path.is_dir():
        return AutoModelForCausalLM.from_pretrained(path, **options)
    return AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, **options)


def main():
    model_path, adapter_path, logits_path = sys.argv[1:]
    expected = load_file(logits_path)
    ids = expected["ids"].long().unsqueeze(0)
    base = load_model(model_path).eval()
    with torch.no_grad():
        plain = base(ids).logits[0]
        adapted = PeftModel.from_pretrained(base, adapter_path).eval()(ids).logits[0]
    scale = adapted.abs().max()
    print((adapted - expected["logits"]).abs().max().item() / scale.item(), (adapted - plain).abs().max().item() / scale.item())


if __name__ == "__main__":
    main()
