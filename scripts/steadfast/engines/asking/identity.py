"""What produced an output, written down beside it (promise 9)."""

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import cast

from steadfast import __version__
from steadfast.base.files import Settings, canonical_json
from steadfast.base.tokens import fingerprint
from steadfast.contract.records import Identity
from steadfast.contract.request import ANSWERED, STATUSES, Request, Response
from steadfast.engines.base import FITTING, Engine


def identity(
    model: str,
    engine: Engine,
    answers: Settings,
    requests: Sequence[Request],
    responses: Sequence[Response],
    commit: str | None = None,
) -> Identity:
    """Model, settings, versions, and what was used, all of it the same after a resumed run.

    No clock, host, address, path or key is in it; ``answers`` are the model's settings that
    determine its responses, ``commit`` is the workflow's. Of examples it has number and checksum.
    """
    served = Counter((response.served_model, response.fingerprint) for response in responses)
    statuses = Counter(response.status for response in responses)
    packages = {"steadfast": __version__}
    counting = ("tiktoken",) if answers.get("window") else ()
    for name in (*engine.packages, *counting):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    found: Identity = {
        "model": model,
        "engine": answers["engine"],
        "answers": engine.answers,
        "fitting": {
            key: _shown(key, answers) for key in sorted(FITTING - {"engine"}) if key in answers
        },
        "packages": packages,
        "commit": commit,
        "served": [
            {"model": name, "fingerprint": fingerprint, "responses": count}
            for (name, fingerprint), count in sorted(served.items(), key=str)
            if name or fingerprint
        ],
        "statuses": {status: statuses[status] for status in STATUSES if statuses[status]},
        "empty": sum(
            response.status in ANSWERED and not (response.text or "").strip()
            for response in responses
        ),
        "tokens": {
            "prompt": sum(response.prompt_tokens or 0 for response in responses),
            "cached": sum(response.cached_tokens or 0 for response in responses),
            "completion": sum(response.completion_tokens or 0 for response in responses),
            "thought": sum(response.thought_tokens or 0 for response in responses),
            "truncated": sum(request.truncated_tokens for request in requests),
        },
    }
    return cast(Identity, {**found, **engine.identity()})


def _shown(key: str, answers: Settings) -> object:
    """A setting; of examples, which may be long, their number and sha256."""
    if key != "examples":
        return answers[key]
    content = canonical_json(answers[key])
    return {"number": len(answers[key]), "sha256": fingerprint(content)}
