"""Prompts of rewriters, how their replies are read, and simulated rewriters."""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, cycle, islice, product
from random import Random
from typing import Any

from steadfast.base.files import Settings
from steadfast.base.resources import facts, resource
from steadfast.contract.components import JudgePrompt, JudgeRequest, JudgeSimulator
from steadfast.contract.judge_template import boundary, load_template

MAX_TOKENS = 4096  # of a reply
SLOTS = ("boundary", "count", "keep")


def rewriting_prompt(request: str, original: str, keep: Sequence[str], count: int) -> JudgePrompt:
    """The prompt of every rewriter about one instruction (LIFBench, Figure 8)."""
    template = load_template(str(resource("rewriting/rewrite.txt")), SLOTS, SLOTS)
    fields = {
        "boundary": boundary(original),
        "count": str(count),
        "keep": "\n".join(f"- {part}" for part in keep),
    }
    head, tail = template.render(fields)
    judge_request = JudgeRequest(request, tail, {"count": count}, template.reminder, MAX_TOKENS)
    return JudgePrompt(request, "rewrite", head, original, [judge_request])


LIMIT = 200_000  # characters of a reply
DEPTH = 32  # brackets within brackets; those in strings count too, and no honest reply comes near


class UnreadableError(ValueError):
    """Why a reply holds no list of rewrites, as a clause."""


def readable(expected: Settings, reply: str, answer: str) -> bool:
    """Whether a reply can be read; if not, the engine requests another."""
    try:
        read_rewrites(reply, expected)
    except UnreadableError:
        return False
    return True


def read_rewrites(reply: str, expected: Settings) -> list[str]:
    """The rewrites: the JSON list from the first ``[`` to the last ``]``, whatever stands around.

    A reply may have up to twice as many as requested (``count``).
    """
    if len(reply) > LIMIT:
        raise UnreadableError(f"the reply has more than {LIMIT:,} characters")
    first = reply.find("[")
    last = reply.rfind("]")
    count = expected["count"]
    if first < 0 or last < first:
        raise UnreadableError("the reply has no list from [ to ]")
    texts = _value(reply[first : last + 1])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise UnreadableError("the list has items that are not strings")
    if not count <= len(texts) <= 2 * count:
        raise UnreadableError(f"the reply has {len(texts)} rewrites, not {count}")
    return texts


def _value(text: str) -> Any:
    steps = [(char in "[{") - (char in "]}") for char in text]
    if max(accumulate(steps), default=0) > DEPTH:
        raise UnreadableError("the list is nested too deeply")
    try:
        value = json.loads(text, strict=False)  # models leave line breaks in strings as they are
        text.encode()  # a lone surrogate can be neither sent nor stored
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UnreadableError("the list has invalid Unicode") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"the list is not valid JSON ({error.msg})") from None
    except (ValueError, RecursionError):  # a number of thousands of digits
        raise UnreadableError("the list is not valid JSON") from None
    return value


_WORD = re.compile(r"[^\W\d_]+")
LATIN = "LATIN"


def language(text: str) -> str | None:
    """The language by its most frequent words, or a script's name; None where unclear."""
    script = _script(text)
    if script != LATIN:
        return script
    words = Counter(word.casefold() for word in _WORD.findall(text))
    languages = facts("rewriting/languages.yaml")
    hits = {}
    for name, frequent_words in languages.items():
        hits[name] = sum(words[word] for word in frequent_words)
    best, second = sorted(hits.values(), reverse=True)[:2]
    return max(hits, key=lambda name: hits[name]) if best > second else None


def same_language(first: str, second: str) -> bool:
    """Whether two texts may be in the same language."""
    languages = {language(first), language(second)} - {None}
    return len(languages) < 2


def _script(text: str) -> str | None:
    """The script of most letters, as Unicode names it."""
    scripts: Counter[str] = Counter()
    for letter in filter(str.isalpha, text):
        scripts[unicodedata.name(letter, "").split(" ")[0]] += 1
    # Of scripts with equally many letters the last by name, so that the order makes no difference.
    return max(scripts, key=lambda script: (scripts[script], script), default=None)


CHATTER = 0.25  # share of a rewriter's slip with which its whole reply is spoilt

_SLIPS: tuple[Callable[[str], str], ...] = (
    lambda text: re.sub(r"\{[^{}]*\}", "it", text, count=1),
    lambda text: text.replace("{{", "{").replace("}}", "}"),
    lambda text: " ".join(text.split()[:3]),
    lambda text: f"{text} {text} {text} {text}",
)
_SPOILT: tuple[Callable[[list[str]], str], ...] = (
    lambda texts: f"Here are the rewrites:\n```json\n{_list(texts)}\n```\nI hope that this helps.",
    lambda texts: _list(texts[: len(texts) // 2]),
    lambda texts: _list(texts)[: len(_list(texts)) // 2],
    lambda texts: "I am sorry, I cannot help with that.",
)


class RewriterSimulator(JudgeSimulator):
    """Replies with as many paraphrases as requested, each around the whole original."""

    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """The same paraphrases in every reply."""
        return _list(_rewordings(prompt.answer, request.expected["count"], Random(prompt.answer)))

    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """Others in each reply; by ``slip`` one of them, or the whole list, is spoilt."""
        slip = settings.get("slip", 0.0)
        texts = _rewordings(prompt.answer, request.expected["count"], rng)
        for index, text in enumerate(texts):
            if rng.random() < slip:
                spoilt = [spoil(text) for spoil in _SLIPS]
                texts[index] = rng.choice([*spoilt, rng.choice(texts)])  # a slip may be a duplicate
        return rng.choice(_SPOILT)(texts) if rng.random() < slip * CHATTER else _list(texts)


def _rewordings(original: str, count: int, rng: Random) -> list[str]:
    """Returns ``count`` texts, all different up to 99."""
    words = facts("rewriting/simulator.yaml")
    frames = [pair for pair in product(words["openings"], words["closings"]) if any(pair)]
    rng.shuffle(frames)
    pairs = islice(cycle(frames), count)
    return [f"{opening}{original}{closing}" for opening, closing in pairs]


def _list(texts: Sequence[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False, indent=1)
