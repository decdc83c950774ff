"""What a model is asked that words an instruction anew: in place of a judge, of any benchmark."""

from collections.abc import Sequence

from steadfast.base.resources import resource
from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.judge_template import boundary, load_template

MAX_TOKENS = 4096
"""Of a reply."""
SLOTS = ("boundary", "count", "keep")


def rewriting_prompt(
    request: str, original: str, keep: Sequence[str], count: int, max_tokens: int = MAX_TOKENS
) -> JudgePrompt:
    """Returns what is asked of every rewriter about one instruction (LIFBench, Figure 8)."""
    form = load_template(str(resource("rewriting/rewrite.txt")), SLOTS, SLOTS)
    fields = {
        "boundary": boundary(original),
        "count": str(count),
        "keep": "\n".join(f"- {part}" for part in keep),
    }
    head, tail = form.render(fields)
    asked = JudgeRequest(request, tail, {"count": count}, form.reminder, max_tokens)
    return JudgePrompt(request, "rewrite", head, original, [asked])
