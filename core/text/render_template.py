"""Renders chat templates as transformers' apply_chat_template does. Started by template_process.cpp; never by hand.

Standard input and output carry one JSON value a line: first the template and its special tokens, answered by {"ready": true};
then requests {"messages": [[role, content], ...], "renders": [[count, add_generation_prompt], ...]}, each answered by {"texts": [...]}.
Any answer may be {"error": "..."} instead.
"""
import json
import resource
import signal
import sys
from datetime import datetime

CPU_SECONDS_PER_REQUEST = 2.0
MAX_TEXT = 64 << 20


def answer(value):
    sys.stdout.buffer.write(json.dumps(value).encode() + b"\n")
    sys.stdout.buffer.flush()


def limit_time():
    """The kernel ends this process if one request takes longer; no Python code has to run for that."""
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS_PER_REQUEST)


def compile_template(source):
    import jinja2
    import jinja2.ext
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(jinja2.ext.Extension):
        """{% generation %} marks what an assistant wrote; it does not change the text."""

        tags = {"generation"}

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

        def _same(self, caller):
            return caller()

    class Namespace(jinja2.utils.Namespace):
        def __init__(*args, **kwargs):
            values = dict(*args[1:], **kwargs)
            for name in values:
                check_name(name)
            jinja2.utils.Namespace.__init__(args[0], values)

        def __setitem__(self, name, value):
            check_name(name)
            jinja2.utils.Namespace.__setitem__(self, name, value)

    class Dictionary:
        def __call__(self, *args, **kwargs):
            return dict(*args, **kwargs)

        def fromkeys(self, *args, **kwargs):
            return dict.fromkeys(*args, **kwargs)

    def check_name(name):
        if isinstance(name, str) and name.startswith("_"):
            raise jinja2.exceptions.SecurityError(f"a namespace cannot hold the name {name!r}")

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                extensions=[Generation, jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda format: datetime.now().strftime(format)
    environment.globals["dict"] = Dictionary()
    environment.globals["namespace"] = Namespace
    return environment.from_string(source)


def render(template, tokens, request):
    texts = []
    for count, adds_prompt in request["renders"]:
        messages = [{"role": role, "content": content} for role, content in request["messages"][:count]]
        text = template.render(messages=messages, tools=None, documents=None, add_generation_prompt=adds_prompt, **tokens)
        if len(text) > MAX_TEXT:
            raise ValueError("the rendered text is longer than 64 MiB")
        texts.append(text)
    return {"texts": texts}


def describe(error):
    if isinstance(error, MemoryError):
        return "the template needs more memory than it may use"
    if isinstance(error, RecursionError):
        return "the template recurses too deeply"
    line = getattr(error, "lineno", None)
    where = f" (line {line} of the template)" if line else ""
    return f"{type(error).__name__}: {error}{where}"


def main():
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    settings = json.loads(sys.stdin.buffer.readline())
    limit_time()
    try:
        template = compile_template(settings["template"])
    except ImportError as error:
        return answer({"error": f"this Python has no usable Jinja2 ({error})"})
    except Exception as error:
        return answer({"error": describe(error)})
    answer({"ready": True})
    for line in sys.stdin.buffer:
        limit_time()
        try:
            reply = render(template, settings["tokens"], json.loads(line))
        except Exception as error:
            reply = {"error": describe(error)}
        answer(reply)


main()
