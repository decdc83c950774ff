"""Parsing of servers' words: bounded and total for any input."""

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.files import canonical_json
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.api.body import parsed
from steadfast.engines.api.replies import Retry, completion, failure, retry_after

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "text", "usage", "error", "code", "model"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
BODIES = st.binary(max_size=50) | JSON.map(lambda value: canonical_json(value).encode())


@given(BODIES)
def test_any_body_is_an_answer_or_worth_another_attempt(body):
    outcome = completion(parsed(body))
    assert isinstance(outcome, Retry) or outcome.status in STATUSES
    if isinstance(outcome, Response):
        outcome.text.encode("utf-8")


@given(st.integers(400, 599), BODIES)
def test_any_failure_is_understood(status, body):
    outcome = failure(status, parsed(body), {}, 0.0)
    assert isinstance(outcome, Retry) or outcome.status in ("error", "overflow", "refused")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": formatdate(1007, usegmt=True)}, 7.0),
        ({"retry-after": formatdate(900, usegmt=True)}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers, 1000.0) == seconds


@given(st.text(max_size=40))
def test_any_retry_after_is_seconds_or_nothing(value):
    seconds = retry_after({"retry-after": value}, 1000.0)
    assert seconds is None or 0 <= seconds < float("inf")
