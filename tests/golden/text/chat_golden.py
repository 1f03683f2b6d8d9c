"""Writes chat.json: what transformers renders for several templates and conversations.

    python chat_golden.py chat.json SMOLLM2.gguf

Made with transformers 5.24.0 and Jinja2 3.1.6. The templates but the real model's were written for this test; between them
they use what the templates of the common model families use.
"""
import json
import sys

import gguf
from transformers.utils.chat_template_utils import render_jinja_template

TEMPLATES = {
    "headers": """{{- bos_token }}
{%- set ns = namespace(count=0) %}
{%- for message in messages %}
    {%- set ns.count = ns.count + 1 %}
    {{- '<|start_header|>' + message['role'] + '<|end_header|>\n\n' + message['content'] | trim + '<|eot|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header|>assistant<|end_header|>\n\n' }}
{%- endif %}
{#- {{ ns.count }} messages #}""",
    "instructions": """{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system = messages[0]['content'] %}
{% else %}{% set loop_messages = messages %}{% set system = false %}
{% endif %}
{% for message in loop_messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('Conversation roles must alternate user/assistant/...') }}
{% endif %}
{% if loop.index0 == 0 and system != false %}{% set content = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + message['content'] %}
{% else %}{% set content = message['content'] %}
{% endif %}
{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}
{% elif message['role'] == 'assistant' %}{{ ' '  + content.strip() + ' ' + eos_token }}
{% endif %}
{% endfor %}""",
    "turns": """{%- macro turn(role, text) -%}<start_of_turn>{{ role }}
{{ text }}<end_of_turn>{%- endmacro -%}
{%- for message in messages -%}
  {%- if message.role == 'system' -%}{%- continue -%}{%- endif -%}
  {{ turn('model' if message.role == 'assistant' else message.role, message.content) }}
{% endfor -%}
{%- if add_generation_prompt -%}<start_of_turn>model
{% endif -%}""",
    "json": """{% for message in messages %}
  {% if loop.index > 6 %}{% break %}{% endif %}
{{ message | tojson }}
    {{ message | tojson(indent=2) }}
{{ {'a': [1, 2.5, none, true], 'é': '<&>'} | tojson }} {{ dict(x=1) }} {{ tools is none }} {{ documents is none }}
{% endfor %}{{ messages | length }}{{ messages | map(attribute='role') | join(',') }}{{ undefined_thing }}""",
    "generation": """{% for message in messages %}{{ '<|' + message.role + '|>' }}
{% if message.role == 'assistant' %}{% generation %}{{ message.content }}{{ eos_token }}
{% endgeneration %}{% else %}{{ message.content }}{{ eos_token }}
{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}""",
    "refused": "{% set ns = namespace() %}{% set ns._x = 1 %}{{ messages.append(1) }}",
    "escape": "{{ ''.__class__.__mro__ }}",
    "broken": "{% for m in messages %}{{ m.content }}",
    "attribute": "{{ messages[0].nothing.more }}",
}
CONVERSATIONS = [
    [("user", "Hello!")],
    [("system", "Be brief."), ("user", "What is 2+2?"), ("assistant", "4")],
    [("user", "  spaces \n"), ("assistant", "\n\nanswer  "), ("user", "<|im_end|> {{ 1 }} {% x %}"), ("assistant", "ok")],
    [("system", ""), ("user", ""), ("assistant", "")],
    [("assistant", "I begin."), ("user", "é 中文 😀 \u2028 \x00 \x7f \" \\ / '")],
    [("user", "a"), ("user", "b"), ("tool", "c")],
    [("user" if i % 2 == 0 else "assistant", f"message {i}\n" * i) for i in range(9)],
    [("user", "long " * 200), ("assistant", "x")],
]


def main(target, model):
    reader = gguf.GGUFReader(model)
    templates = {"smollm2": reader.fields["tokenizer.chat_template"].contents(), **TEMPLATES}
    cases = []
    for name, source in templates.items():
        for number, conversation in enumerate(CONVERSATIONS):
            for adds_prompt in (False, True):
                messages = [{"role": role, "content": content} for role, content in conversation]
                case = {"template": name, "conversation": number, "add_generation_prompt": adds_prompt}
                try:
                    texts, _ = render_jinja_template([messages], chat_template=source, add_generation_prompt=adds_prompt,
                                                     bos_token="<s>", eos_token="</s>")
                    case["text"] = texts[0]
                except Exception as error:
                    case["error"] = str(error)
                cases.append(case)
    with open(target, "w") as out:
        json.dump({"templates": templates, "bos_token": "<s>", "eos_token": "</s>", "cases": cases,
                   "conversations": [[{"role": r, "content": c} for r, c in conv] for conv in CONVERSATIONS]}, out, indent=0)


if __name__ == "__main__":
    main(*sys.argv[1:])
