"""What a reply holds: words, thought, counts, who answered, log probabilities, in any dialect."""

from collections.abc import Mapping

from steadfast.base.files import Record
from steadfast.engines.openai.shapes import array, clean, count, mapping, text

LOGPROB_TOKENS = 4096  # whose log probabilities are kept, at most
LARGEST = 10**9  # no log probability is beyond it; servers write -9999.0 for minus infinity


def words_of(content: object) -> tuple[str | None, str] | None:
    """A message's text (None: it has none) and the thought that stands beside it in a list.

    Returns:
        None where the content is of no known form, so that no part of an answer is lost unseen.

    Example:
        >>> thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "2+2"}]}
        >>> words_of([thinking, {"type": "text", "text": "4"}])
        ('4', '2+2')
    """
    if content is None or isinstance(content, str):
        return text(content), ""
    if not isinstance(content, list):
        return None
    texts, thoughts = [], []
    for part in map(mapping, content):
        said, inner = part.get("text"), part.get("thinking")
        if part.get("type") == "thinking":
            thoughts += [mapping(one).get("text") for one in array(inner)] or [inner]
        elif part.get("type") == "text" and isinstance(said, str):
            texts.append(clean(said))
        else:
            return None
    return "".join(texts) if texts else None, _joined("", thoughts)


def thought_of(message: Mapping[str, object], listed: str) -> str | None:
    """The thought that a server gives apart from the answer.

    Its fields hold the same words under several names: the first that has any is taken.

    Args:
        listed: the thought in the message's content.
    """
    details = map(mapping, array(message.get("reasoning_details")))
    said = [detail.get(name) for detail in details for name in ("text", "summary")]
    fields = [message.get("reasoning_content"), message.get("reasoning")]
    fields += [_joined("\n", said), listed]
    return next(
        (clean(words) for words in fields if isinstance(words, str) and words.strip()), None
    )


def _joined(between: str, words: list[object]) -> str:
    return between.join(word for word in words if isinstance(word, str))


def usage_of(reply: Mapping[str, object]) -> Record:
    """The counts of a reply and what it was served by, as fields of a response."""
    usage = mapping(reply.get("usage"))
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    total = count(usage.get("total_tokens")) or 0
    if prompt is not None and completion is not None and total > prompt + completion:
        completion = total - prompt  # Gemini counts a thought in the total alone
    details = mapping(usage.get("completion_tokens_details"))
    thoughts = [count(place.get("reasoning_tokens")) for place in (details, usage)]
    return {
        "prompt_tokens": prompt,
        "cached_tokens": count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        "completion_tokens": completion,
        "thought_tokens": max((tokens for tokens in thoughts if tokens is not None), default=None),
        "served_model": text(reply.get("model")),
        "fingerprint": text(reply.get("system_fingerprint")),
    }


def logprobs_of(choice: Mapping[str, object]) -> list[list[object]] | None:
    """Per token: its text, its log probability, and the alternatives' as pairs."""
    given = mapping(choice.get("logprobs"))
    if isinstance(content := given.get("content"), list):  # a chat completion's
        return [
            [*_named(token), [_named(other) for other in array(mapping(token).get("top_logprobs"))]]
            for token in content[:LOGPROB_TOKENS]
        ]
    if isinstance(tokens := given.get("tokens"), list):  # a completion's
        values = array(given.get("token_logprobs"))
        others = array(given.get("top_logprobs")) or [None] * len(tokens)
        return [
            [*_pair(token, value), [_pair(*pair) for pair in mapping(top).items()]]
            for token, value, top in zip(tokens[:LOGPROB_TOKENS], values, others, strict=False)
        ]
    return None


def _named(token: object) -> list[object]:
    return _pair(mapping(token).get("token"), mapping(token).get("logprob"))


def _pair(token: object, value: object) -> list[object]:
    if isinstance(value, int | float) and abs(value) < LARGEST:
        return [text(token), round(value, 4)]
    return [text(token), None]
