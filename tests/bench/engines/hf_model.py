"""Writes a GGUF model of the Llama family as a float32 Hugging Face directory, which the peers can read."""
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM


def convert(source, target):
    source = pathlib.Path(source).resolve()
    loaded = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.float32)
    left_out = ("model_type", "_name_or_path", "quantization_config", "architectures")
    config = {key: value for key, value in loaded.config.to_dict().items() if key not in left_out}
    model = LlamaForCausalLM(LlamaConfig(**config)).float()  # a plain one: what was read from GGUF refuses to be saved
    model.load_state_dict(loaded.state_dict())
    model.save_pretrained(target)


if __name__ == "__main__":
    convert(*sys.argv[1:3])
