#!/usr/bin/env python3
"""Writes the engine's golden files: answers of transformers and PEFT that the engine's tests compare with.

    make_golden.py tiny                       from ../weights/tiny-llama
    make_golden.py smollm2 HF_DIRECTORY       from SmolLM2-135M-Instruct Q4_1, dequantised to a float32 HF directory

Needs torch, transformers, peft, safetensors. README.md says what each file holds and how to reproduce its inputs.
"""
import hashlib
import json
import math
import os
import random
import shutil
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # PEFT would ask the hub about the base model's name
import torch  # noqa: E402
from peft import LoraConfig, get_peft_model  # noqa: E402
from safetensors.torch import save_file  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup  # noqa: E402

HERE = Path(__file__).resolve().parent
TINY = HERE.parent / "weights" / "tiny-llama"
LINEARS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
TEXT = (
    "A tide rises and falls twice a day. The water that comes in with the flood leaves again with the ebb, and what it "
    "carried stays behind in a thin line along the shore: weed, shells, pieces of wood, a bottle from a ship that passed "
    "far out at sea. The line that the highest water leaves is called the tidemark. People who live by the coast read it "
    "as others read a newspaper. It tells them how strong the last storm was, whether the moon was full, and how much "
    "higher the sea could have come before it reached the wall. A good harbour master looks at the mark every morning "
    "before he decides which boats may lie at the quay and which must wait outside. He does not trust the tables alone, "
    "because a table knows nothing about the wind. He measures first, compares the measurement with the table, and only "
    "then makes his plan for the day. If the water does not do what the plan said, he changes the plan and not the water."
)
PROMPTS = ["The capital of France is", "def add(a, b):\n    return", "Water boils at a temperature of"]


def pseudo_random(shape, tensor_index, scale):
    """The rule of README.md: a 32-bit hash of the element's and the tensor's index, in [-scale, scale)."""
    k = torch.arange(math.prod(shape), dtype=torch.int64)
    mask = 0xFFFFFFFF
    x = ((k + 1) * 2654435761 + (tensor_index + 1) * 2246822519) & mask
    x = x ^ (x >> 15)
    # The product of two 32-bit numbers may pass 2^63: it wraps, and its low 32 bits are right all the same.
    x = (x * 2246822519) & mask
    x = x ^ (x >> 13)
    return (scale * (x.double() / 2**32 * 2 - 1)).float().reshape(shape)


def add_adapter(model, r, alpha, name, scale_a, scale_b):
    model = get_peft_model(model, LoraConfig(r=r, lora_alpha=alpha, lora_dropout=0.0, task_type="CAUSAL_LM",
                                             target_modules=LINEARS))
    model.peft_config["default"].base_model_name_or_path = name
    with torch.no_grad():
        for key, value in model.named_parameters():
            if "lora_" not in key:
                continue
            layer = int(key.split(".layers.")[1].split(".")[0])
            index = layer * len(LINEARS) + next(i for i, n in enumerate(LINEARS) if f".{n}." in key)
            value.copy_(pseudo_random(value.shape, index, scale_a if "lora_A" in key else scale_b))
    return model


def stored_name(key):
    return key.replace(".default", "")


def adapter_tensors(model, of=lambda p: p.detach()):
    return {stored_name(k): of(p).clone().contiguous() for k, p in model.named_parameters() if p.requires_grad}


def save_adapter(model, folder):
    model.save_pretrained(folder, save_embedding_layers=False)
    (folder / "README.md").unlink(missing_ok=True)
    config = json.loads((folder / "adapter_config.json").read_text())
    config["target_modules"] = sorted(config["target_modules"])  # PEFT writes a set: its order changes from run to run
    (folder / "adapter_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def batch_loss(model, rows):
    """Sum over the rows' target tokens divided by their number; has_loss[t] says that token t is a target."""
    longest = max(len(r["ids"]) for r in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    attention = torch.zeros_like(ids)
    labels = torch.full_like(ids, -100)
    for i, row in enumerate(rows):
        n = len(row["ids"])
        ids[i, :n] = torch.tensor(row["ids"])
        attention[i, :n] = 1
        for t in range(1, n):  # nothing predicts token 0
            if row["has_loss"][t]:
                labels[i, t] = row["ids"][t]
    # In double: the loss that transformers computes in float32 over 49,152 tokens is off by 1e-5, its gradient by 1e-4.
    scores = model(input_ids=ids, attention_mask=attention).logits[:, :-1].double().log_softmax(-1)
    targets = labels[:, 1:]
    chosen = scores.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return -chosen[targets >= 0].sum() / (targets >= 0).sum()


def make_rows(seed, count, vocabulary):
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        n = rng.randint(6, 40)
        prompt = rng.randint(1, n // 2)
        # Like a conversation: no loss on the prompt; a few tokens inside the answer carry none either.
        rows.append({"ids": [rng.randrange(vocabulary) for _ in range(n)],
                     "has_loss": [int(t >= prompt and rng.random() > 0.1) for t in range(n)]})
    return rows


def write_json(path, value):
    path.write_text(json.dumps(value) + "\n")
    print(f"{path.relative_to(HERE)}: {path.stat().st_size} bytes")


def train(model, rows, steps=50, batch=4, warmup=5):
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0)
    schedule = get_cosine_schedule_with_warmup(optimizer, warmup, steps)
    record = []
    for step in range(steps):
        chosen = [(step * batch + i) % len(rows) for i in range(batch)]
        optimizer.zero_grad()
        loss = batch_loss(model, [rows[i] for i in chosen])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        record.append({"rows": chosen, "loss": loss.item(), "grad_norm": norm.item(),
                       "learning_rate": schedule.get_last_lr()[0]})
        optimizer.step()
        schedule.step()
    return record


def tiny():
    out = HERE / "tiny"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    model = AutoModelForCausalLM.from_pretrained(TINY, dtype=torch.float32, attn_implementation="eager").eval()
    vocabulary = model.config.vocab_size
    sequences = [r["ids"] for r in make_rows(11, 2, vocabulary)]
    batch = make_rows(12, 3, vocabulary)
    rows = make_rows(13, 16, vocabulary)
    with torch.no_grad():
        logits = {f"base.{i}": model(input_ids=torch.tensor([s])).logits[0] for i, s in enumerate(sequences)}
        base_loss = batch_loss(model, batch).item()
    model = add_adapter(model, 4, 8, "tiny-llama", 0.2, 0.3).eval()
    save_adapter(model, out / "adapter")
    with torch.no_grad():
        logits |= {f"adapter.{i}": model(input_ids=torch.tensor([s])).logits[0] for i, s in enumerate(sequences)}
    save_file({k: v.contiguous() for k, v in logits.items()}, out / "logits.safetensors")
    loss = batch_loss(model, batch)
    loss.backward()
    save_file(adapter_tensors(model, lambda p: p.grad), out / "gradients.safetensors")
    steps = train(model, rows)
    save_file(adapter_tensors(model), out / "adapter_after_50_steps.safetensors")
    write_json(out / "golden.json", {
        "model_sha256": hashlib.sha256((TINY / "model.safetensors").read_bytes()).hexdigest(),
        "sequences": sequences, "batch": batch, "base_loss": base_loss, "adapter_loss": loss.item(), "rows": rows,
        "training": {"learning_rate": 1e-3, "schedule": "cosine", "warmup_steps": 5, "max_steps": 50,
                     "max_grad_norm": 1.0, "weight_decay": 0.0, "batch": 4, "steps": steps}})
    print(f"tiny: loss {base_loss:.5f}, with adapter {loss.item():.5f}, steps {steps[0]['loss']:.5f} -> {steps[-1]['loss']:.5f}")


def smollm2(source):
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(source)
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32, attn_implementation="eager").eval()
    stride = model.config.vocab_size // 512
    prompts = []
    for text in PROMPTS:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            last = model(input_ids=torch.tensor([ids])).logits[0, -1]
        prompts.append({"text": text, "ids": ids, "max": last.max().item(), "argmax": int(last.argmax()),
                        "argmax_text": tokenizer.decode([int(last.argmax())]),
                        "logits": [round(v, 6) for v in last[::stride].tolist()]})
    ids = tokenizer(TEXT, add_special_tokens=False)["input_ids"]
    assert len(ids) >= 200, len(ids)
    row = {"ids": ids[:200], "has_loss": [1] * 200}
    with torch.no_grad():
        base_loss = batch_loss(model, [row]).item()
    model = add_adapter(model, 8, 16, "smollm2-135m-instruct", 0.05, 0.1).double().eval()
    loss = batch_loss(model, [row])
    loss.backward()
    gradients = adapter_tensors(model, lambda p: p.grad)
    first = {k: [float(f"{v:.8g}") for v in g.flatten()[:64].tolist()] for k, g in gradients.items()
             if int(k.split(".layers.")[1].split(".")[0]) in (0, 15, 29)}
    write_json(HERE / "smollm2.json", {
        "logit_stride": stride, "prompts": prompts, "ids": row["ids"], "base_loss": base_loss,
        "adapter": {"r": 8, "lora_alpha": 16, "loss": loss.item(),
                    "gradient_norms": {k: g.norm().item() for k, g in gradients.items()}, "first_gradients": first}})
    print(f"smollm2: loss {base_loss:.5f}, with adapter {loss.item():.5f}", [p["argmax_text"] for p in prompts])


if __name__ == "__main__":
    torch.set_num_threads(2)
    if sys.argv[1:] == ["tiny"]:
        tiny()
    elif len(sys.argv) == 3 and sys.argv[1] == "smollm2":
        smollm2(sys.argv[2])
    else:
        sys.exit(__doc__)
