"""Writes texts.bin: over 20,000 varied strings (u32 length, UTF-8), the same in every run with one Python version."""
import random
import struct
import sys
import unicodedata

TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<file_sep>", "<jupyter_code>", "<|begin|>",
          "<left>", "<right>", "word", "Über", "ﬁne"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\xa0", "\u1680", "\u180e", "\u2003",
          "\u2009", "\u200a", "\u200b", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff"]
ENGLISH = ("the of and to in is that it was for on are as with his they be at one have this from or had by not word but "
           "what some we can out other were all there when up use your how said an each she which do their time if will "
           "way about many then them write would like so these her long make thing see him two has look more day could go "
           "come did number sound no most people my over know water than call first who may down side been now find "
           "I'm you're don't it's we've they'll she'd I'LL YOU'RE IT'S can’t ‘tis DON'T'S 'tis o'clock").split()
CODE = ["def f(x):\n    return x**2  # square\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n",
        '{"key": [1, 2.5e-3, null], "näme": "välue"}', "SELECT * FROM t WHERE a >= 10 AND b != 'x';",
        "https://example.org/a/b?c=d&e=%20f#g", "x = y if z else w\r\n\r\n", "#include <vector>\n\n\n\nint main(){}",
        "    return [i for i in range(0x1F) if i % 2 == 0]\n", "--flag=value -x /usr/local/bin && echo $HOME\n",
        "<div class=\"a-b\">&nbsp;<br/></div>", "λx.x → ∀y∈ℝ: y² ≥ 0", "a_b-c.d/e\\f:g;h|i~j`k@l#m$n%o^p&q*r(s)t"]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪🇫🇷", "❤️", "1️⃣", "🤷🏾‍♀️", "☕", "🧑‍🚀", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "©️"]
SAMPLES = ["Привет, мир! Как дела?", "你好，世界。今天是2024年３月。", "こんにちは世界、カタカナとｶﾅ。", "안녕하세요 세계 ㅋㅋㅋ", "مرحبا بالعالم ١٢٣٤",
           "שלום עולם", "नमस्ते दुनिया १२३", "สวัสดีชาวโลก ๑๒๓", "Γειά σου Κόσμε ΟΔΥΣΣΕΥΣ", "Xin chào thế giới", "გამარჯობა", "Բարեւ աշխարհ",
           "ምሳሌ ጽሑፍ", "தமிழ் உரை", "İstanbul ıssız Iğdır", "ﬁne ﬂow ＦＵＬＬ ½ ² ⅷ Ⅷ ① ㎏", "e\u0301a\u0308 \u1100\u1161\u11a8 \u0344", "Å Å Å Ω Ω"]


def assigned():
    """Assigned characters by block of 256, so that small scripts appear as often as large ones."""
    blocks = {}
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category not in ("Cn", "Cs", "Co"):
            blocks.setdefault(code >> 8, []).append(chr(code))
    return list(blocks.values())


def word(rng, blocks):
    kind = rng.randrange(16)
    if kind < 4:
        return rng.choice(ENGLISH)
    if kind == 4:
        return rng.choice(ENGLISH).upper() if rng.random() < 0.5 else rng.choice(ENGLISH).title()
    if kind == 5:
        return str(rng.randrange(10 ** rng.randrange(1, 12)))
    if kind == 6:
        return rng.choice(SPACES) * rng.randrange(1, 5)
    if kind == 7:
        return "".join(rng.choice(SPACES) for _ in range(rng.randrange(1, 6)))
    if kind == 8:
        return rng.choice(EMOJI)
    if kind == 9:
        return "".join(rng.choice("!?.,;:-_'\"()[]{}<>/\\|@#$%^&*+=~`") for _ in range(rng.randrange(1, 6)))
    if kind == 10:
        return "".join(rng.choice(rng.choice(blocks)) for _ in range(rng.randrange(1, 8)))
    if kind == 11:
        block = rng.choice(blocks)
        return "".join(rng.choice(block) for _ in range(rng.randrange(1, 10)))
    if kind == 12:
        token = rng.choice(TOKENS)
        return token if rng.random() < 0.7 else token[:rng.randrange(len(token))]
    if kind == 13:
        return chr(rng.choice(list(range(32)) + list(range(127, 160))))
    if kind == 14:
        return rng.choice(SAMPLES)
    return "'" + rng.choice(["s", "S", "t", "re", "RE", "ve", "m", "ll", "LL", "d", "ſ", "x"])


def texts():
    rng = random.Random(20240607)
    blocks = assigned()
    result = ["", " ", "  ", "\n", "\r\n", "a", "\0", "\0\0", "\ufeff", "'", "word", " word ", "a" * 3000, " " * 2000,
              "\n" * 500 + "x", "9" * 1000, "ab" * 2000, "!" * 1500, " \n" * 700, "é" * 900, "中" * 900, "\u0301" * 300]
    result += CODE + SAMPLES + EMOJI + TOKENS
    result += [a + b + c for a in TOKENS for b in ("", " ", "\n", "x", "  ") for c in TOKENS]
    result += [before + token + after for token in TOKENS
               for before in ("", "a", " ", "é ", "1", "_", ".\n ") for after in ("", "b", " ", " é", "2", "_", "\t.")]
    while len(result) < 20_400:
        joint = rng.choice(["", " ", " ", " "])
        result.append(joint.join(word(rng, blocks) for _ in range(rng.randrange(1, 13))))
    for code in CODE * 8:
        result.append("".join(c if rng.random() > 0.05 else rng.choice(SPACES + EMOJI) for c in code))
    result.append(" ".join(rng.choice(ENGLISH) for _ in range(20_000)))
    result.append("".join(rng.choice("abcdefghij") for _ in range(60_000)))
    return result


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as out:
        for text in texts():
            data = text.encode()
            out.write(struct.pack("<I", len(data)) + data)
