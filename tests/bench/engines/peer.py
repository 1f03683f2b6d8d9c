"""One rank of a peer engine on the benchmark's work: LoRA on the seven linears of every layer, AdamW, random tokens, float32.

Started by torchrun. Rank 0 prints one JSON line: median seconds of a step, tokens per second of all ranks, and the peak
resident size in MiB, less that before the model was loaded.
"""
import argparse
import json
import os
import statistics
import time

import torch
import torch.distributed as dist

LINEARS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def status_kib(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(key + ":"))


def evenly(count, of):
    """`count` of the indices 0..of-1, spread evenly."""
    return {i * of // count for i in range(count)} if count else set()


def shard(model, layers, trainable, engine, pinned, elastic):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    always = engine == "fsdp2-keep"
    never_resharded = evenly(pinned, len(layers))
    others = [i for i in range(len(layers)) if i not in never_resharded]
    over_boundary = {others[i] for i in evenly(min(elastic, len(others)), len(others))}
    for i, layer in enumerate(layers):
        fully_shard(layer, mesh=mesh, ignored_params=trainable, reshard_after_forward=not always and i not in never_resharded)
        if i in never_resharded or i in over_boundary:
            layer.set_reshard_after_backward(False)
    fully_shard(model, mesh=mesh, ignored_params=trainable, reshard_after_forward=not always)


def deepspeed_engine(model, trainable, options):
    os.environ.setdefault("DS_ACCELERATOR", "cpu")
    import deepspeed

    zero = {"stage": 3, "stage3_param_persistence_threshold": 0, "stage3_prefetch_bucket_size": 0, "stage3_max_reuse_distance": 0}
    if options.engine == "zero3-tuned":
        widest = sum(q.numel() for q in model.parameters()) // model.config.num_hidden_layers
        zero.update(stage3_max_live_parameters=options.live_layers * widest, stage3_prefetch_bucket_size=widest)
    settings = {"train_micro_batch_size_per_gpu": options.batch, "gradient_accumulation_steps": options.accumulate,
                "zero_optimization": zero, "zero_allow_untested_optimizer": True}
    return deepspeed.initialize(model=model, optimizer=torch.optim.AdamW(trainable, lr=1e-4), config=settings)[0]


def average_gradients(trainable):
    flat = torch.cat([q.grad.reshape(-1) for q in trainable])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for q, part in zip(trainable, flat.split([q.numel() for q in trainable])):
        q.grad.copy_(part.view_as(q))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=["ddp", "fsdp2", "fsdp2-keep", "fsdp2-plan", "zero3", "zero3-tuned"])
    parser.add_argument("--model", required=True)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--accumulate", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--pinned", type=int, default=0)
    parser.add_argument("--elastic", type=int, default=0)
    parser.add_argument("--live-layers", type=int, default=4)
    options = parser.parse_args()
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    if options.engine.startswith("zero3"):
        import deepspeed

        deepspeed.init_distributed("gloo")
    else:
        dist.init_process_group("gloo")
    base = status_kib("VmRSS")
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(options.model, dtype=torch.float32, attn_implementation="sdpa")
    model = get_peft_model(model, LoraConfig(r=8, lora_alpha=16, task_type="CAUSAL_LM", target_modules=LINEARS))
    model.config.use_cache = False
    trainable = [q for q in model.parameters() if q.requires_grad]
    engine = None
    if options.engine.startswith("fsdp2"):
        shard(model, model.base_model.model.model.layers, set(trainable), options.engine, options.pinned, options.elastic)
    if options.engine.startswith("zero3"):
        engine = deepspeed_engine(model, trainable, options)
    optimizer = None if engine else torch.optim.AdamW(trainable, lr=1e-4)
    torch.manual_seed(1000 + dist.get_rank())

    def step():
        start = time.perf_counter()
        for _ in range(options.accumulate):
            ids = torch.randint(0, model.config.vocab_size, (options.batch, options.tokens))
            loss = (engine or model)(input_ids=ids, labels=ids).loss
            if engine:
                engine.backward(loss)
                engine.step()
            else:
                (loss / options.accumulate).backward()
        if not engine:
            average_gradients(trainable)
            optimizer.step()
            optimizer.zero_grad()
        return time.perf_counter() - start

    for _ in range(2):
        step()
    dist.barrier()
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")  # starts VmHWM anew
    seconds = statistics.median(step() for _ in range(options.steps))
    if dist.get_rank() == 0:
        tokens = options.batch * options.tokens * options.accumulate * dist.get_world_size()
        print(json.dumps({"seconds": seconds, "tokens_per_second": tokens / seconds, "peak_mib": (status_kib("VmHWM") - base) / 1024}))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
