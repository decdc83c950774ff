"""A key that configs had once is refused with what to do instead."""

from steadfast.base.resources import facts


def test_every_sentence_says_what_to_do_and_ends_without_a_stop():
    for place, instead in (facts("removed_keys.yaml") or {}).items():
        assert len(instead.split()) > 3, place
        assert not instead.endswith("."), place
