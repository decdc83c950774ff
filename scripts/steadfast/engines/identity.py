"""What produced an output, written down beside it (promise 9)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from steadfast import __version__
from steadfast.engines.base import Engine
from steadfast.engines.build import FITTING
from steadfast.engines.request import STATUSES, Request, Response


def identity(
    model: str,
    engine: Engine,
    answers: Mapping[str, Any],
    requests: Sequence[Request],
    responses: Sequence[Response],
    commit: str | None = None,
) -> dict[str, Any]:
    """Model, settings, versions, and what was used, all of it the same after a resumed run.

    No clock, host, address, path or key is in it.

    Args:
        model: the model's name in the config.
        engine: the engine that answered.
        answers: the model's settings that determine its responses.
        requests: of the whole part.
        responses: one for each request.
        commit: of the workflow, where it is known.
    """
    served = Counter((response.served_model, response.fingerprint) for response in responses)
    packages = {"steadfast": __version__}
    counting = ("tiktoken",) if answers.get("window") else ()
    for name in (*engine.packages, *counting):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    return {
        "model": model,
        "engine": answers["engine"],
        "answers": engine.answers,
        "fitting": {key: answers[key] for key in sorted(FITTING - {"engine"}) if key in answers},
        "packages": packages,
        "commit": commit,
        "served": [
            {"model": name, "fingerprint": fingerprint, "responses": count}
            for (name, fingerprint), count in sorted(served.items(), key=str)
            if name or fingerprint
        ],
        "statuses": {
            status: count
            for status in STATUSES
            if (count := sum(response.status == status for response in responses))
        },
        "tokens": {
            "prompt": sum(response.prompt_tokens or 0 for response in responses),
            "cached": sum(response.cached_tokens or 0 for response in responses),
            "completion": sum(response.completion_tokens or 0 for response in responses),
            "truncated": sum(request.truncated_tokens for request in requests),
        },
        **engine.identity(),
    }
