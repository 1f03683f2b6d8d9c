#!/usr/bin/env python3
"""Makes a small question-and-answer dataset from the docstrings of the Python installation.

    make_docstring_qa.py --out FILE.jsonl [--limit N]

One conversation a line, in the messages format: {"messages": [{"role": "user", ...}, {"role": "assistant", ...}]}.
Needs only the standard library. The same Python version always writes the same file.
"""
import argparse
import importlib
import inspect
import json
import os
import re
import sys
import warnings
import zlib

MODULES = """abc argparse array ast asyncio base64 bisect builtins bz2 calendar cmath codecs collections collections.abc
colorsys compileall concurrent.futures configparser contextlib contextvars copy csv ctypes dataclasses datetime decimal
difflib dis email.message email.utils enum errno fileinput filecmp fnmatch fractions ftplib functools gc getpass gettext
glob graphlib gzip hashlib heapq hmac html html.parser http.client http.cookies http.server imaplib importlib.metadata
importlib.resources importlib.util inspect io ipaddress itertools json json.decoder json.encoder keyword linecache locale
logging logging.handlers lzma mailbox marshal math mimetypes mmap multiprocessing netrc numbers operator optparse os
os.path pathlib pickle pickletools pkgutil platform plistlib poplib posixpath pprint profile pstats py_compile queue
quopri random re reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket
socketserver sqlite3 ssl stat statistics string struct subprocess symtable sys sysconfig tarfile tempfile textwrap
threading time timeit token tokenize trace traceback tracemalloc types typing unicodedata unittest unittest.mock
urllib.parse urllib.request uuid warnings wave weakref xml.dom.minidom xml.etree.ElementTree xml.sax zipapp zipfile
zipimport zlib zoneinfo""".split()

QUESTIONS = {
    "function": ["What does {name} do?", "What is {name} for?", "Explain {name} in one or two sentences.",
                 "In Python, what does the function {name} do?"],
    "method": ["What does {name} do?", "What does the method {name} do?", "Explain {name} briefly.",
               "What happens when I call {name}?"],
    "class": ["What is {name}?", "What is the class {name} for?", "Describe {name} briefly.",
              "In Python, what does {name} represent?"],
    "module": ["What is the module {name} for?", "What does Python's {name} module offer?"],
}
SIGNATURE = re.compile(r"^[\w.]+\(.*?\)\s*(->\s*[^\n]+)?(\n|$)", re.DOTALL)
NOT_PROSE = re.compile(r">>>|::|https?:|\.\. |\|  |[{}<>]{2}|^\s*[-*=]{2,}|\b(TODO|XXX|FIXME)\b", re.MULTILINE)
# These say nothing about the thing itself.
EMPTY_WORDS = re.compile(r"^(see |same as |alias (of|for) |deprecated|internal |private |undocumented|todo|helper |"
                         r"initialize self|return self|implement \w+\.?$|dummy |this (method|function) is (deprecated|internal))",
                         re.IGNORECASE)


def first_paragraph(text):
    text = inspect.cleandoc(text)
    while True:  # built-in functions begin with their signature, some with several
        match = SIGNATURE.match(text)
        if not match:
            break
        text = text[match.end():].lstrip()
    return re.split(r"\n\s*\n", text, maxsplit=1)[0]


def answer_from(text, longest=320):
    """The first one to three sentences as one clean line, or None where they would make no good answer."""
    paragraph = first_paragraph(text)
    if NOT_PROSE.search(paragraph):
        return None
    line = re.sub(r"``?([^`']+)('|``?)", r"\1", " ".join(paragraph.split()))
    line = re.sub(r":\w+:", "", line)
    sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z\"'(])", line)
    answer = ""
    for sentence in sentences[:3]:
        if answer and len(answer) + 1 + len(sentence) > longest:
            break
        answer = f"{answer} {sentence}".strip()
    if not 25 <= len(answer) <= longest or len(answer.split()) < 5 or not answer[0].isupper():
        return None
    if EMPTY_WORDS.match(answer) or not answer.isascii() or answer.count("(") != answer.count(")"):
        return None
    if answer.endswith((":", ",", ";")) or "`" in answer:
        return None
    return answer if answer[-1] in ".!?" else answer + "."


def members(owner):
    """(attribute, value) in a fixed order; what cannot be read is left out."""
    for attribute in sorted(vars(owner)):
        if not attribute.startswith("_"):
            try:
                yield attribute, getattr(owner, attribute)
            except Exception:
                continue


def documented(module_name):
    """(kind, qualified name, docstring) for the module and what is defined in it."""
    module = importlib.import_module(module_name)
    prefix = "" if module_name == "builtins" else module_name + "."
    if module_name != "builtins":
        yield "module", module_name, module.__doc__
    for name, value in members(module):
        if inspect.isclass(value):
            if value.__module__ not in (module_name, "_" + module_name, "builtins") and prefix:
                continue
            yield "class", prefix + name, value.__dict__.get("__doc__")
            for method, function in members(value):
                if callable(function) and not inspect.isclass(function) and method in vars(value):
                    yield "method", f"{prefix}{name}.{method}", getattr(function, "__doc__", None)
        elif inspect.isroutine(value):
            yield "function", prefix + name, value.__doc__


def make_rows(limit):
    rows, seen_answers, seen_names, missing = [], set(), set(), []
    for module_name in sorted(MODULES):
        try:
            found = list(documented(module_name))
        except ImportError:
            missing.append(module_name)
            continue
        for kind, name, doc in found:
            answer = answer_from(doc) if isinstance(doc, str) else None
            if answer is None or answer in seen_answers or name in seen_names:
                continue
            seen_answers.add(answer)
            seen_names.add(name)
            phrases = QUESTIONS[kind]
            question = phrases[zlib.crc32(name.encode()) % len(phrases)].format(name=name)
            rows.append({"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]})
    # A fixed order that mixes the modules, so that any prefix is a fair sample.
    rows.sort(key=lambda row: zlib.crc32(row["messages"][0]["content"].encode()))
    return rows[:limit], missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="JSON Lines file to write")
    parser.add_argument("--limit", type=int, default=3000, help="most rows to write (default 3000)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, missing = make_rows(options.limit)
    if missing:
        print("not in this Python installation, left out: " + " ".join(missing), file=sys.stderr)
    if not rows:
        sys.exit("no docstrings found: this Python installation was stripped of them (python -OO)")
    temporary = f"{options.out}.tmp-{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
    os.replace(temporary, options.out)
    print(f"{options.out}: {len(rows)} conversations")


if __name__ == "__main__":
    main()
