"""Prompts for a local model: its tokenizer, its chat template, token ids."""

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from steadfast.base.commands import installation
from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.tokens import fingerprint
from steadfast.contract.request import Request, Turns
from steadfast.engines.api.body import clean, messages, plain_text, system_message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# Some templates write today's date into the prompt: here it is always the default date of
# Llama 3.1's template.
DATE = datetime.date(2024, 7, 26)
SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")
SEAM = 400  # characters before the end of a shared prefix at which its tokenization ends
WORD_END = re.compile(r"\w(?= \w)")
PROBES = ("a", "a.", " a", "\na\n", "1\n\n", ".a ", "é!")


class LocalText:
    """Tokenizer and chat template of a model, on this machine or on the Hugging Face Hub."""

    def __init__(
        self,
        model: str,
        *,
        revision: str | None = None,
        tokenizer: str | None = None,
        template: str = "chat",
        system: str | None = None,
        template_args: Settings | None = None,
        trust_remote_code: bool = False,
    ):
        self._model = model
        self._system = system
        self._chat = template == "chat"
        self._args = dict(template_args or {})
        loaded = _load(model, tokenizer, revision, trust_remote_code)
        self._tokenizer, self._config, self._generation, self._model_sampling = loaded
        if "chat_template" in self._args:  # for a tuned model whose files have none
            self._tokenizer.chat_template = self._args.pop("chat_template")
        if self._chat and not self._tokenizer.chat_template:
            raise UserError(
                f"model {model} has no chat template; set template: base, or set tokenizer to one "
                "that has a chat template"
            )

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, without the ids that open a prompt."""
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids."""
        return str(
            self._tokenizer.decode(
                tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return len(self.encode(text))

    def render(self, prompt: str, turns: Turns = (), system: str = "") -> str:
        """The prompt in the chat template, or with the suffix of appendix E after it."""
        if not self._chat:
            return plain_text(prompt, turns, system)
        fixed = {"date_string": f"{DATE:%d %b %Y}", "strftime_now": DATE.strftime}
        rendered = self._tokenizer.apply_chat_template(
            messages(prompt, turns, system_message(self._system or None, system)),
            add_generation_prompt=True,
            tokenize=False,
            **(fixed | self._args),
        )
        return str(rendered)

    def template_tokens(self) -> int:
        """Maximum tokens that template or suffix add, whatever a prompt begins and ends with."""
        return max(len(self._prompt_ids(self.render(text))) - self.count(text) for text in PROBES)

    def encode_prompts(self, requests: Sequence[Request]) -> Iterator[tuple[Request, list[int]]]:
        """The token ids of entire prompts; a prefix of consecutive requests is tokenized once."""
        for prefix, sharing in groupby(requests, key=lambda request: request.prefix):
            shared: str | None = None
            ids: list[int] = []
            for request in sharing:
                text = self.render(request.prompt, request.turns, request.system)
                if shared is None:
                    shared, ids, all_ids = self._share(text, prefix)
                    yield request, all_ids
                elif shared and text.startswith(shared):
                    yield request, ids + self.encode(text[len(shared) :])
                else:
                    yield request, self._prompt_ids(text)

    def _share(self, text: str, prefix: str) -> tuple[str, list[int], list[int]]:
        all_ids = self._prompt_ids(text)
        inner = clean(prefix).strip()
        start = text.find(inner) if len(inner) > 2 * SEAM else -1
        if start >= 0:
            end = start + len(inner) - SEAM
            if seam := WORD_END.search(text, end - SEAM, end):
                head = text[: seam.end()]
                ids = self._prompt_ids(head)
                # Some tokenizers merge across the seam: their prompts are tokenized whole.
                if ids + self.encode(text[seam.end() :]) == all_ids:
                    return head, ids, all_ids
        return "", [], all_ids

    def _prompt_ids(self, text: str) -> list[int]:
        # A chat template writes the opening token itself; a base model's tokenizer adds it.
        return list(self._tokenizer.encode(text, add_special_tokens=not self._chat))

    @property
    def template_hash(self) -> str | None:
        """sha256 of the chat template; None for base models."""
        template = self._tokenizer.chat_template
        if template and not isinstance(template, str):  # several, by name
            template = template["default"]
        return fingerprint(template) if self._chat else None

    @property
    def sampling(self) -> Record:
        """Sampling settings of the model's generation config that differ from the defaults."""
        settings = self._model_sampling
        return {name: settings[name] for name in SAMPLING if name in settings}

    def special_among(self, texts: Sequence[str]) -> list[str]:
        """The texts that are special tokens, which decoding leaves out."""
        added = getattr(self._tokenizer, "added_tokens_decoder", {}).values()
        special = {str(token) for token in added if token.special}
        special |= set(self._tokenizer.all_special_tokens)
        return [text for text in texts if text in special]

    @property
    def stop_token_ids(self) -> list[int]:
        """Token ids that end a response: those of the generation config and of the tokenizer."""
        ids = self._generation.get("eos_token_id", self._config.get("eos_token_id"))
        ids = {*(ids if isinstance(ids, list) else [ids]), self._tokenizer.eos_token_id}
        return sorted(ids - {None})

    def provenance(self) -> Record:
        """Commit, data type, positions and tokenizer, from the model's files."""
        config = self._config.get("text_config") or self._config
        names = ("rope_parameters", "rope_scaling", "rope_theta", "max_position_embeddings")
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        return {
            "commit": self._config.get("_commit_hash"),
            "dtype": config.get("dtype") or config.get("torch_dtype"),
            "positions": {name: config[name] for name in names if config.get(name) is not None},
            "tokenizer": fingerprint(backend.to_str()) if backend else None,
            "vocabulary": len(self._tokenizer),
        }


def _load(
    model: str, tokenizer: str | None, revision: str | None, trust: bool
) -> tuple["PreTrainedTokenizerBase", Record, Record, Record]:
    try:
        from transformers import AutoTokenizer, GenerationConfig, PretrainedConfig
        from transformers.utils import logging
    except ImportError:
        raise UserError(NOT_INSTALLED) from None
    logging.set_verbosity_error()  # without a warning about long texts
    try:
        config, _ = PretrainedConfig.get_config_dict(model, revision=revision)
        if not config:
            raise OSError("it has no config.json")
        named = {"revision": None if tokenizer else revision, "trust_remote_code": trust}
        loaded = AutoTokenizer.from_pretrained(tokenizer or model, **named)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(
            f"model {model} cannot be loaded ({reason}); check model and revision, and that the "
            "Hugging Face Hub is reachable or the directory is complete"
        ) from None
    try:
        generation_config = GenerationConfig.from_pretrained(model, revision=revision)
        generation = generation_config.to_dict()
        sampling = generation_config.to_diff_dict()
    except OSError:  # many base models have none
        generation = {}
        sampling = {}
    return loaded, config, generation, sampling


NOT_INSTALLED = (
    "vLLM is not installed in this environment, but engine vllm and models' own tokenizers need "
    f"it; {installation('vllm')}"
)
