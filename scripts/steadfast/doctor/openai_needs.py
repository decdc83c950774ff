"""What a model behind an API needs: a key, and a server that answers or can be started."""

import shutil
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.names import shown
from steadfast.doctor.check import Check, Surroundings, found
from steadfast.doctor.machine import SECONDS, tokenizer
from steadfast.doctor.vllm_needs import model_files
from steadfast.engines.openai.client import Access
from steadfast.engines.openai.served import program_path
from steadfast.workflow.interpreter import interpreter


def needs(how: Settings, around: Surroundings) -> Iterator[Check]:
    """Whether the key is set (never shown), what counts is there, and the server answers."""
    if "/" in how["tokenizer"]:
        yield model_files(how["tokenizer"], how["revision"], around)
    else:
        yield tokenizer(how["tokenizer"])
    if how["serve"]:
        program = how["serve"][0]
        there = bool(shutil.which(program, path=program_path(interpreter(how) or sys.executable)))
        advice = f"there is no {program}; install it here, or write its path (docs/slurm.md)"
        yield found("server", there, f"jobs start {program} themselves", advice)
        return
    access = Access(how["base_url"], how["api_key_env"])
    try:
        access.client_settings(SECONDS)
    except UserError as error:
        yield Check("key", "missing", str(error))
        return
    name = how["api_key_env"]
    yield Check("key", "ok", f"{name} is set" if name else "the server needs none")
    if not around.online:
        yield Check("endpoint", "unchecked", f"{access.address} was not asked")
        return
    reason, models = _asked(how["base_url"], name)
    if models and how["model"] not in models:
        (near,) = get_close_matches(how["model"], models, n=1, cutoff=0)
        nearest = f"the nearest that it lists is {shown(near)}"
        reason = f"it does not list model {how['model']}; {nearest}"
    yield found("endpoint", not reason, f"{access.address} answers", f"{access.address}: {reason}")


@cache
def _asked(base_url: str | None, key_name: str | None) -> tuple[str, frozenset[str]]:
    """Why a server's list of models cannot be had, and the models it lists."""
    import openai

    access = Access(base_url, key_name)
    try:
        with openai.OpenAI(**access.client_settings(SECONDS)) as client:
            return "", frozenset(one.id for one in client.models.list().data or ())
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        return f"HTTP status {error.status_code}; check the key in {access.key_source}", frozenset()
    except openai.APIStatusError as error:
        if error.status_code < 500:  # a server without that list answers all the same
            return "", frozenset()
        return f"HTTP status {error.status_code}; it is no API, or not well", frozenset()
    except openai.APIConnectionError:
        return "nothing answers; start the server, or correct base_url", frozenset()
    except (openai.OpenAIError, ValueError, TypeError, AttributeError):
        return "", frozenset()  # an answer of another shape is one
