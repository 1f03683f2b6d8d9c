"""Trains small tokenizers and records what PyPI `tokenizers` answers for the strings of texts.py.

    python tokenizers_golden.py OUTPUT_FOLDER SMOLLM2.gguf [NAME...]

Names choose some of them; gemma3 (Gemma 3 270M) also wants the path of its GGUF file in TIDEMARK_GEMMA_MODEL.

For each tokenizer: NAME.json (not for the real model), NAME.gguf (the same vocabulary, where GGUF has a name for the
pre-tokenizer) and NAME.answers: for each string 64 bits of FNV-1a over the ids (int32), 32 bits over the offsets (uint32
begin and end, in bytes of the string) and 32 bits over the decoded text. Made with tokenizers 0.23.3 and Python 3.11.
"""
import json
import os
import pathlib
import pydoc
import struct
import sys

import gguf
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

import texts

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
          r"\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])


def fnv(data, bits):
    prime, value = (0x100000001B3, 0xCBF29CE484222325) if bits == 64 else (0x01000193, 0x811C9DC5)
    mask = (1 << bits) - 1
    for byte in data:
        value = ((value ^ byte) * prime) & mask
    return value


def byte_level(prefix=False, regex=True):
    return pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=regex)


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(pattern, behavior, invert=invert)


def train(pre_tokenizer, normalizer=None, special=("<|endoftext|>", "<|im_start|>", "<|im_end|>"), size=2000,
          alphabet=True):
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    corpus = [pydoc.render_doc(name, renderer=pydoc.plaintext) for name in ("json", "re", "argparse", "random")]
    corpus += texts.SAMPLES * 3 + texts.CODE * 3 + texts.EMOJI * 3 + texts.ENGLISH
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(special), show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if alphabet else [])
    tokenizer.train_from_iterator(corpus, trainer)
    return tokenizer


def with_model_options(tokenizer, **options):
    state = json.loads(tokenizer.to_str())
    state["model"].update(options)
    return Tokenizer.from_str(json.dumps(state))


def digits():
    tokenizer = train(pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level()]))
    tokenizer.add_tokens([AddedToken("<left>", lstrip=True, normalized=False),
                          AddedToken("<right>", rstrip=True, normalized=False),
                          AddedToken("word", single_word=True, normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def llama3():
    tokenizer = train(pre_tokenizers.Sequence([split(Regex(LLAMA3)), byte_level(regex=False)]),
                      special=["<|begin|>", "<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer = with_model_options(tokenizer, ignore_merges=True)
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin|> $A", pair="<|begin|> $A <|begin|> $B",
                                      special_tokens=[("<|begin|>", tokenizer.token_to_id("<|begin|>"))])])
    return tokenizer


def qwen2():
    return train(pre_tokenizers.Sequence([split(Regex(QWEN2)), byte_level(regex=False)]), normalizers.NFC())


def folding():
    """Everything rare at once: normalised added tokens, a prefixed space, every split behaviour, unknown bytes."""
    steps = pre_tokenizers.Sequence([
        split(Regex(r"\d+"), "merged_with_previous"), split("-", "merged_with_next"), split("_", "removed"),
        split(Regex(r"[\w\s]"), "contiguous", invert=True), pre_tokenizers.Digits(individual_digits=False),
        byte_level(prefix=True)])
    tokenizer = train(steps, normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]), alphabet=False)
    tokenizer.add_tokens([AddedToken("Über", normalized=True), AddedToken("ﬁne", normalized=True, single_word=True),
                          AddedToken("<left>", lstrip=True, rstrip=True, normalized=True)])
    return with_model_options(tokenizer, unk_token="<|endoftext|>", fuse_unk=True)


def o200k():
    steps = pre_tokenizers.Sequence([split(Regex(O200K), "removed", invert=True), byte_level(regex=False)])
    tokenizer = train(steps, normalizers.NFD(), alphabet=False)
    return with_model_options(tokenizer, unk_token="<|im_start|>", fuse_unk=False)


def smollm2(path):
    """The real model: its vocabulary from the GGUF file, the pre-tokenizer as in its repository's tokenizer.json."""
    reader = gguf.GGUFReader(path)
    read = lambda key: reader.fields["tokenizer.ggml." + key].contents()
    tokens, types = read("tokens"), read("token_type")
    merges = [tuple(merge.split(" ")) for merge in read("merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level()])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, types) if kind == 3])
    return tokenizer


MARK = "\u2581"  # SentencePiece writes it for a space
GEMMA_ADDED = ["[multimodal]", "\n", "\n\n", "\n\n\n", MARK * 2, MARK * 3, MARK * 4, "<table>", "</table>", "\t", "\t\t"]


def gemma_tokenizer(vocabulary, kinds):
    """As transformers makes a tokenizer of Gemma's SentencePiece model. `kinds`: SentencePiece's, 3 control, 4 user defined."""
    from transformers.tokenization_utils_base import generate_merges

    ids = {token: i for i, token in enumerate(vocabulary)}
    tokenizer = Tokenizer(models.BPE(ids, generate_merges(ids), unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", MARK)
    tokenizer.pre_tokenizer = split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace(MARK, " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", pair="<bos> $A <bos> $B", special_tokens=[("<bos>", ids["<bos>"])])
    tokenizer.add_tokens([AddedToken(token, normalized=False, special=kinds[i] == 3) for i, token in enumerate(vocabulary)
                          if kinds[i] in (3, 4)])
    return tokenizer


def gemma():
    """A small vocabulary that is put together as Gemma's is: special and user defined tokens, bytes, then merges in order.
    Some characters of the texts are not in it, and some that are occur in no merge."""
    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>", "<end_of_turn>"]
    learner = Tokenizer(models.BPE())
    learner.normalizer = normalizers.Replace(" ", MARK)
    learner.pre_tokenizer = split(MARK, "merged_with_next")
    corpus = [pydoc.render_doc(name, renderer=pydoc.plaintext) for name in ("json", "re", "argparse", "random")]
    corpus += texts.SAMPLES * 3 + texts.CODE * 3 + texts.ENGLISH
    learner.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=2000, show_progress=False))
    learnt = [token for token, _ in sorted(learner.get_vocab().items(), key=lambda item: item[1])]
    head = special + GEMMA_ADDED + [f"<0x{byte:02X}>" for byte in range(256)]
    # Merges first, single characters last, as in Gemma's.
    tail = [token for token in learnt if len(token) > 1 and token not in head] + [t for t in learnt if len(t) == 1 and t not in head]
    kinds = [3] * len(special) + [4] * len(GEMMA_ADDED) + [6] * 256 + [1] * len(tail)
    return gemma_tokenizer(head + tail, kinds), kinds


def gemma3(path):
    """The real model, from its GGUF file, where user defined runs of marks are written as spaces."""
    reader = gguf.GGUFReader(path)
    read = lambda key: reader.fields["tokenizer.ggml." + key].contents()
    return gemma_tokenizer([MARK * len(t) if t.strip(" ") == "" else t for t in read("tokens")], read("token_type"))


def write_gemma_gguf(path, tokenizer, kinds):
    vocabulary = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    writer = gguf.GGUFWriter(path, "gemma3")
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([token.replace(MARK, " ") if kind == 4 else token for token, kind in zip(vocabulary, kinds)])
    writer.add_token_scores([-1000.0 if kind in (3, 4) else 0.0 if kind == 6 else float(-i) for i, kind in enumerate(kinds)])
    writer.add_token_types(kinds)
    for role, token in (("bos", "<bos>"), ("eos", "<eos>"), ("unk", "<unk>"), ("pad", "<pad>")):
        getattr(writer, f"add_{role}_token_id")(tokenizer.token_to_id(token))
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    writer.add_add_space_prefix(False)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def write_gguf(path, tokenizer, pre, bos, eos):
    state = json.loads(tokenizer.to_str())
    special = {token["content"]: token["special"] for token in state["added_tokens"]}
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([1 if token not in special else 3 if special[token] else 4 for token, _ in vocabulary])
    writer.add_token_merges([" ".join(merge) for merge in state["model"]["merges"]])
    writer.add_bos_token_id(tokenizer.token_to_id(bos))
    writer.add_eos_token_id(tokenizer.token_to_id(eos))
    writer.add_add_bos_token(bos == "<|begin|>")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def answer(tokenizer, text):
    encoding = tokenizer.encode(text, add_special_tokens=False)
    places = [0]
    for character in text:
        places.append(places[-1] + len(character.encode()))
    offsets = b"".join(struct.pack("<II", places[begin], places[end]) for begin, end in encoding.offsets)
    decoded = tokenizer.decode(encoding.ids, skip_special_tokens=False)
    return struct.pack("<QII", fnv(struct.pack(f"<{len(encoding.ids)}i", *encoding.ids), 64), fnv(offsets, 32),
                       fnv(decoded.encode(), 32))


def main(folder, model, *names):
    folder = pathlib.Path(folder)
    makers = {"digits": digits, "llama3": llama3, "qwen2": qwen2, "folding": folding, "o200k": o200k, "gemma": gemma}
    tokenizers = {name: make() for name, make in makers.items() if not names or name in names}
    if "gemma" in tokenizers:
        tokenizers["gemma"], kinds = tokenizers["gemma"]
        write_gemma_gguf(folder / "gemma.gguf", tokenizers["gemma"], kinds)
    for name, tokenizer in tokenizers.items():
        tokenizer.save(str(folder / f"{name}.json"), pretty=False)
    if "llama3" in tokenizers:
        write_gguf(folder / "llama3.gguf", tokenizers["llama3"], "llama-bpe", "<|begin|>", "<|im_end|>")
    if "qwen2" in tokenizers:
        write_gguf(folder / "qwen2.gguf", tokenizers["qwen2"], "qwen2", "<|endoftext|>", "<|im_end|>")
    if not names or "smollm2" in names:
        tokenizers["smollm2"] = smollm2(model)
    if "gemma3" in names:
        tokenizers["gemma3"] = gemma3(os.environ["TIDEMARK_GEMMA_MODEL"])
    for name, tokenizer in tokenizers.items():
        (folder / f"{name}.answers").write_bytes(b"".join(answer(tokenizer, text) for text in texts.texts()))


if __name__ == "__main__":
    main(*sys.argv[1:])
