"""What ``steadfast init`` has to know: each question is an option of its command line too."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

OPENAI_KEY = "OPENAI_API_KEY"
NO_KEY = "none"


@dataclass(frozen=True)
class InitQuestion:
    """One thing that a config says.

    Attributes:
        name: of the option, without the dashes.
        text: the question, which is the option's help too.
        metavar: what the help shows in place of the answer's words.
        kind: what makes a value of a word; raises ``ArgumentTypeError`` or ``ValueError``.
        words: as argparse's ``nargs``; None: one word.
        default: the answer where there is none, by those before; None: the key is left out.
        asked: whether there is such a question, by the answers before.
        required: whether it needs an answer.
    """

    name: str
    text: str
    metavar: Any = "NAME"
    kind: Callable[[str], Any] = str
    words: int | str | None = None
    default: Callable[[Namespace], Any] = lambda given: None
    asked: Callable[[Namespace], bool] = lambda given: True
    required: Callable[[Namespace], bool] = lambda given: False

    @property
    def key(self) -> str:
        """Its name among the arguments that were given."""
        return self.name.replace("-", "_")

    @property
    def argument(self) -> tuple[tuple[str], dict[str, Any]]:
        """What argparse takes."""
        named = {"nargs": self.words} if self.words else {}
        help = self.text.replace("%", "%%")
        return (f"--{self.name}",), {
            "help": help,
            "metavar": self.metavar,
            "type": self.kind,
            **named,
        }

    def read(self, typed: str) -> Any:
        """The value of an answer as it was typed."""
        if self.words is None:
            return self.kind(typed.strip())
        found = [self.kind(word) for word in typed.replace(",", " ").split()]
        if len(found) != self.words and isinstance(self.words, int):
            raise ArgumentTypeError(f"write {self.words} of them")
        return found


def one_of(*names: str) -> Callable[[str], str]:
    """What reads one of some words."""

    def read(name: str) -> str:
        if name not in names:
            raise ArgumentTypeError(f"{name}: write {' or '.join(names)}")
        return name

    return read


def published() -> Mapping[str, int]:
    """Tokens of a context of each published length."""
    from steadfast.benchmarks.lifbench.released_files import released_lengths

    return released_lengths()


def length(word: str) -> tuple[str, int]:
    """Name and tokens of a length: a published one, or NAME=TOKENS."""
    name, _, tokens = word.partition("=")
    if not tokens and name in published():
        return name, published()[name]
    if not tokens.isdecimal():
        known = ", ".join(published())
        raise ArgumentTypeError(f"{word}: write one of {known}, or NAME=TOKENS such as 1m=983040")
    return name, int(tokens)


def fitting(given: Namespace) -> list[tuple[str, int]]:
    """The published lengths that are shorter than the window; the shortest at least."""
    known = list(published().items())
    return [one for one in known if not given.window or one[1] < given.window] or known[:1]


def sections(given: Namespace) -> Mapping[str, Any]:
    """The schema's section of each benchmark that was chosen."""
    from steadfast.config.load import config_model

    fields = config_model(frozenset(given.benchmarks)).model_fields
    known = {name: fields[name].annotation for name in given.benchmarks if name in fields}
    return {name: kind for name, kind in known.items() if hasattr(kind, "model_fields")}


def is_judged(given: Namespace) -> bool:
    """Whether a judge decides something of a benchmark that was chosen."""
    from steadfast.schema.judged import JudgedSection

    return any(issubclass(section, JudgedSection) for section in sections(given).values())


def first_benchmark(given: Namespace) -> list[str]:
    """The benchmarks of a config that names none."""
    from steadfast.config.load import config_model

    return list(config_model().model_fields["benchmarks"].default)


def at_server(given: Namespace) -> bool:
    """Whether a server answers."""
    return bool(given.engine == "openai")


QUESTIONS = (
    InitQuestion(
        "engine",
        "openai: a server with an OpenAI-compatible API; vllm: a checkpoint, on GPUs here",
        kind=one_of("openai", "vllm"),
        default=lambda given: "openai",
    ),
    InitQuestion(
        "model",
        "the model: its name at the server; for vllm its hub id or directory",
        required=lambda given: True,
    ),
    InitQuestion(
        "base-url",
        "address of the server, with /v1; without one OpenAI's own",
        "URL",
        asked=at_server,
    ),
    InitQuestion(
        "key-variable",
        f"environment variable that holds the server's key; {NO_KEY}: it needs no key",
        "VARIABLE",
        default=lambda given: NO_KEY if given.base_url else OPENAI_KEY,
        asked=at_server,
    ),
    InitQuestion(
        "window",
        "tokens of prompt and answer together that the model takes; longer contexts are cut",
        "TOKENS",
        int,
        required=lambda given: not at_server(given),
    ),
    InitQuestion("benchmarks", "benchmarks that run", words="+", default=first_benchmark),
    InitQuestion(
        "lengths",
        "lengths of the contexts: 4k, 8k, 16k, 32k, 64k, 128k as published, or NAME=TOKENS",
        "LENGTH",
        length,
        "+",
        fitting,
        lambda given: any("lengths" in one.model_fields for one in sections(given).values()),
    ),
    InitQuestion(
        "data",
        "released: what the papers asked, fetched once; synthetic: made here, without network",
        kind=one_of("released", "synthetic"),
        default=lambda given: "released",
    ),
    InitQuestion(
        "judge",
        "the model that judges what no rule can decide, by its name at the server",
        asked=is_judged,
        required=lambda given: True,
    ),
    InitQuestion(
        "judge-url",
        "address of the judge's server, with /v1; without one OpenAI's own",
        "URL",
        asked=is_judged,
    ),
    InitQuestion(
        "price",
        "what a million tokens of prompts and of answers cost, such as 2.5 10",
        ("PROMPTS", "ANSWERS"),
        float,
        2,
        asked=at_server,
    ),
    InitQuestion(
        "max-spend",
        "what the model may cost in all; needs a price",
        "AMOUNT",
        float,
        asked=lambda given: bool(given.price),
    ),
)
