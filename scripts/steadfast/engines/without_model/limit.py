"""Answers of engines without a model, cut at the output limit like a model's."""

from steadfast.contract.request import Request, Response
from steadfast.engines.base import Tokenizer


def limited(text: str, request: Request, tokenizer: Tokenizer) -> Response:
    """The response that a text makes; of one that is too long, its beginning.

    Args:
        text: the whole answer.
        request: that is answered; its ``max_tokens`` is the limit.
        tokenizer: counts the answer's tokens.
    """
    tokens, status, reason = tokenizer.encode(text), "ok", "stop"
    if len(tokens) > request.max_tokens:
        tokens, status, reason = tokens[: request.max_tokens], "length", "length"
        text = text[: len(tokenizer.decode(tokens))]
    return Response(status, text, reason, request.prompt_tokens, None, len(tokens))
