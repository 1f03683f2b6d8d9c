#!/usr/bin/env python3
"""Writes tiny-gemma/: a random Gemma 3 and what transformers and PEFT answer for it; and gemma3-270m.json for the real one.

    gemma_golden.py tiny                 ../weights/tiny-gemma, ../weights/tiny-gemma.gguf and tiny-gemma/
    gemma_golden.py real GEMMA.gguf      gemma3-270m.json, from the GGUF file as transformers dequantises it

Needs torch, transformers, peft, safetensors and gguf; uses make_golden.py, whose rules README.md tells.
"""
import hashlib
import json
import shutil
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, Gemma3ForCausalLM, Gemma3TextConfig

import make_golden as golden

HERE = Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "weights"
# Rows of up to 40 tokens with a window of 12: cut into up to four stretches, the last one in part.
WINDOW = 12
KINDS = ["sliding_attention", "full_attention", "sliding_attention"]
QUANTISED = {"token_embd": "Q8_0", "attn_q": "Q5_0", "attn_k": "Q5_0", "attn_v": "Q8_0", "attn_output": "Q4_0",
             "ffn_gate": "Q5_0", "ffn_up": "Q5_0", "ffn_down": "Q5_1"}


def tiny_model():
    torch.manual_seed(20261130)
    # A head size that the hidden size says nothing about, a scale that is not 1 / sqrt(head size), scaled global RoPE.
    config = Gemma3TextConfig(
        hidden_size=64, intermediate_size=160, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, head_dim=32,
        vocab_size=320, max_position_embeddings=256, sliding_window=WINDOW, layer_types=KINDS, query_pre_attn_scalar=24,
        rope_parameters={"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
                         "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}},
        bos_token_id=2, eos_token_id=1, pad_token_id=0)
    model = Gemma3ForCausalLM(config).float().eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_((0.1 if "norm" in name else 0.15) * torch.randn_like(weight))
    return model


def gguf_name(name):
    plain = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}
    if name in plain:
        return plain[name]
    _, _, index, rest = name.split(".", 3)
    parts = {"input_layernorm": "attn_norm", "post_attention_layernorm": "post_attention_norm",
             "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm",
             "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.q_proj": "attn_q",
             "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
             "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
    return f"blk.{index}.{parts[rest.removesuffix('.weight')]}.weight"


def write_gguf(model, path):
    """As llama.cpp's converter does: norms plus one, rows in their order. The pattern of 2 is KINDS'."""
    config = model.config
    writer = gguf.GGUFWriter(str(path), "gemma3")
    writer.add_name("tiny gemma")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(1000000.0)
    writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    writer.add_rope_scaling_factor(8.0)
    writer.add_sliding_window(WINDOW)
    writer.add_uint32("gemma3.attention.sliding_window_pattern", 2)
    for name, weight in model.state_dict().items():
        if name == "lm_head.weight":
            continue
        values = weight.numpy() + (1 if "norm" in name else 0)
        kind = gguf.GGMLQuantizationType[QUANTISED.get(gguf_name(name).split(".")[-2], "F32")]
        writer.add_tensor(gguf_name(name), gguf.quantize(np.ascontiguousarray(values, dtype=np.float32), kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def tiny():
    folder, out = WEIGHTS / "tiny-gemma", HERE / "tiny-gemma"
    for old in (folder, out):
        shutil.rmtree(old, ignore_errors=True)
    out.mkdir()
    made = tiny_model()
    made.save_pretrained(folder, safe_serialization=True)
    (folder / "generation_config.json").unlink(missing_ok=True)
    write_gguf(made, WEIGHTS / "tiny-gemma.gguf")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    vocabulary = model.config.vocab_size
    sequences = [row["ids"] for row in golden.make_rows(21, 3, vocabulary)]
    sequences[0] = (sequences[0] + sequences[1] + sequences[2])[:45]  # stretches of 12, 12, 12 and 9
    batch = golden.make_rows(34, 3, vocabulary)
    rows = golden.make_rows(1034, 16, vocabulary)
    assert max(len(row["ids"]) for row in batch) > 2 * WINDOW
    with torch.no_grad():
        logits = {f"base.{i}": model(input_ids=torch.tensor([s])).logits[0] for i, s in enumerate(sequences)}
        base_loss = golden.batch_loss(model, batch).item()
    model = golden.add_adapter(model, 4, 8, "tiny-gemma", 0.2, 0.3).eval()
    golden.save_adapter(model, out / "adapter")
    with torch.no_grad():
        logits |= {f"adapter.{i}": model(input_ids=torch.tensor([s])).logits[0] for i, s in enumerate(sequences)}
    save_file({k: v.contiguous() for k, v in logits.items()}, out / "logits.safetensors")
    loss = golden.batch_loss(model, batch)
    loss.backward()
    save_file(golden.adapter_tensors(model, lambda p: p.grad), out / "gradients.safetensors")
    steps = golden.train(model, rows, steps=20)
    save_file(golden.adapter_tensors(model), out / "adapter_after_20_steps.safetensors")
    golden.write_json(out / "golden.json", {
        "model_sha256": hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest(),
        "sequences": sequences, "batch": batch, "base_loss": base_loss, "adapter_loss": loss.item(), "rows": rows,
        "training": {"learning_rate": 1e-3, "schedule": "cosine", "warmup_steps": 5, "max_steps": 20,
                     "max_grad_norm": 1.0, "weight_decay": 0.0, "batch": 4, "steps": steps}})
    print(f"tiny-gemma: loss {base_loss:.5f}, with adapter {loss.item():.5f}, steps {steps[0]['loss']:.5f} -> {steps[-1]['loss']:.5f}")


def real(path):
    path = Path(path).resolve()
    from transformers import AutoTokenizer
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32,
                                                 attn_implementation="eager").eval()
    config = model.config
    print({key: getattr(config, key) for key in ("sliding_window", "layer_types", "rope_parameters", "query_pre_attn_scalar")})
    stride = config.vocab_size // 512
    prompts = []
    for text in golden.PROMPTS:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        ids = [config.bos_token_id] + [i for i in ids if i != config.bos_token_id]
        with torch.no_grad():
            last = model(input_ids=torch.tensor([ids])).logits[0, -1]
        prompts.append({"text": text, "ids": ids, "max": last.max().item(), "argmax": int(last.argmax()),
                        "argmax_text": tokenizer.decode([int(last.argmax())]),
                        "logits": [round(v, 6) for v in last[::stride].tolist()]})
    # Longer than the window of 512: the text several times, each time with other words in front.
    long = [i for n in range(4) for i in tokenizer(f"Chapter {n + 1}. " + golden.TEXT, add_special_tokens=False)["input_ids"]]
    ids = [config.bos_token_id] + long[:699]
    assert len(ids) == 700, len(ids)
    row = {"ids": ids, "has_loss": [0] + [1] * 699}
    with torch.no_grad():
        base_loss = golden.batch_loss(model, [row]).item()
        tail = {**row, "has_loss": [0] * 600 + [1] * 100}
        tail_loss = golden.batch_loss(model, [tail]).item()
    golden.write_json(HERE / "gemma3-270m.json", {
        "file_sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "logit_stride": stride, "prompts": prompts,
        "ids": ids, "loss": base_loss, "last_100_loss": tail_loss})
    print(f"gemma: loss {base_loss:.5f}, of the last 100 {tail_loss:.5f}", [p["argmax_text"] for p in prompts])


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1:] == ["tiny"]:
        tiny()
    elif len(sys.argv) == 3 and sys.argv[1] == "real":
        real(sys.argv[2])
    else:
        sys.exit(__doc__)
