"""Scores a response by its number of words and the judge's verdict on its topic."""

from steadfast.simple.instance import Instance, Mark


def verdict(reply: str, response: str) -> str | None:
    """Returns what a judge replies, yes or no; None where it is neither."""
    word = reply.strip().strip(".").lower()
    return word if word in ("yes", "no") else None


def score(text: str, instance: Instance, verdict: str) -> Mark:
    """Returns whether the words are as many as requested, and on the topic; and how many too many
    or too few there are."""
    error = abs(len(text.split()) - instance.answer)
    words = float(error == 0)
    topic = float(verdict == "yes")
    return Mark({"Met": words * topic, "Words": words, "Topic": topic}, extracted={"error": error})
