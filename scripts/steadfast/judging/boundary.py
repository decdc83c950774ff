"""The line before and behind an answer in a judge prompt, which no answer can hold itself."""

import hashlib


def boundary(answer: str) -> str:
    """A word that follows from the answer, so that the answer cannot imitate where it ends."""
    digest = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
    return f"answer-{digest[:8]}"
