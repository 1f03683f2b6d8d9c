"""Writes chat_model/ (a tokenizer with a chat template), rows.jsonl and rows.json: token ids of each conversation and which
of them the assistant wrote, as transformers' apply_chat_template(return_assistant_tokens_mask=True) says.

    python label_golden.py .

Needs digits.json from tokenizers_golden.py. Made with transformers 5.24.0.
"""
import json
import pathlib
import random
import shutil
import sys

from transformers import PreTrainedTokenizerFast

import texts

# The answer and its end-of-turn token are marked; the line end after it is not.
TEMPLATE = """{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' }}{% if message.role == 'assistant' %}
{% generation %}{{ message.content }}{{ eos_token }}{% endgeneration %}{% else %}
{{ message.content }}{{ eos_token }}{% endif %}{{ '\n' }}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def conversations():
    rng = random.Random(5)
    pool = [text.strip() for text in texts.texts()[2000:6000]]
    pool = [text for text in pool if text and "<" not in text and not text[0].isspace() and text.isprintable()]
    for _ in range(80):
        messages = [{"role": "system", "content": rng.choice(pool)}] if rng.random() < 0.3 else []
        for _ in range(rng.randrange(1, 5)):
            messages.append({"role": "user", "content": rng.choice(pool)})
            messages.append({"role": "assistant", "content": rng.choice(pool)})
        if rng.random() < 0.2:
            messages.append({"role": "user", "content": rng.choice(pool)})
        yield messages


def main(folder):
    folder = pathlib.Path(folder)
    model = folder / "chat_model"
    model.mkdir(exist_ok=True)
    shutil.copy(folder / "digits.json", model / "tokenizer.json")
    config = {"bos_token": None, "eos_token": "<|im_end|>", "tokenizer_class": "PreTrainedTokenizerFast",
              "chat_template": TEMPLATE}
    (model / "tokenizer_config.json").write_text(json.dumps(config, indent=1))
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(model / "tokenizer.json"), eos_token="<|im_end|>")
    rows, answers = [], []
    for messages in conversations():
        encoded = tokenizer.apply_chat_template(messages, chat_template=TEMPLATE, tokenize=True, return_dict=True,
                                                return_assistant_tokens_mask=True)
        rows.append(json.dumps({"messages": messages}, ensure_ascii=False))
        answers.append({"ids": list(encoded["input_ids"]), "mask": [int(bit) for bit in encoded["assistant_masks"]]})
    (folder / "rows.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "rows.json").write_text(json.dumps(answers, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1])
