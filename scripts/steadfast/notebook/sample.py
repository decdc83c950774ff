"""One sample in a notebook, and the score of any response to it."""

from collections.abc import Mapping
from html import escape

from steadfast.base.errors import UserError
from steadfast.base.names import quoted, suggestion
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, Reply, Sample, Score, Scoring
from steadfast.contract.registry import benchmarks_of, installed
from steadfast.html_report.sample_text import sample_text
from steadfast.html_report.view_sample import SampleView

OK = "ok"
REFERENCE = {"reference": {"engine": "reference"}}


class ShownSample(SampleView):
    """A sample (``sample``) with its reference answer (``expected``), and the models' responses,
    scores and verdicts (``answers``).

    ``print`` and a notebook show it as ``steadfast show`` does; all text is escaped.
    """

    def score(self, answer: str | Answer, verdicts: Mapping[str, str] | None = None) -> Score:
        """The score of a response to it, by the run's config; as ``steadfast.score``."""
        return score_answer(self.part.task.scoring.make(), self.sample, answer, verdicts or {})

    def __repr__(self) -> str:
        return sample_text(self)

    def _repr_html_(self) -> str:
        return f'<pre style="white-space: pre-wrap">{escape(sample_text(self))}</pre>'


def score(
    benchmark: str,
    sample: ShownSample | Sample,
    answer: str | Answer,
    verdicts: Mapping[str, str] | None = None,
) -> Score:
    """The score of one response; no model is queried and no file is touched.

    Args:
        benchmark: its name in the config.
        sample: of a run (``Run.sample``), or one that you make.
        answer: the response, or an ``Answer`` with another status.
        verdicts: a judge's replies by request, for judged benchmarks.

    Returns:
        ``total`` and ``points``, 0 to 1, None where unknown; ``other_raters``, the same by
        LIFBench's other rubric. ``status`` is ``invalid`` where a verdict is missing.

    Raises:
        UserError: there is no such benchmark.

    Example:
        >>> prompt = {"sample_id": "mine", "task": "LSI", "instruction": "Copy the 1st entry.",
        ...           "variables": {"id": 1}, "reference_answer": {"element": "Name a fruit."}}
        >>> context = {"scenario": "list", "elements": ["Name a fruit.", "List three rivers."]}
        >>> source = {"context": context, "scenario_prompt": "{input} {instruction}"}
        >>> rated = score("lifbench", Sample("4k", prompt, source), "Name a fruit.")
        >>> rated.total, rated.other_raters["corrected"].total
        (1.0, 1.0)
    """
    benchmarks = installed()
    if benchmark not in benchmarks:
        raise UserError(
            f"unknown benchmark {quoted(benchmark)}; {suggestion(benchmark, benchmarks)}"
        )
    config = load_config({"benchmarks": [benchmark], "models": REFERENCE, "judges": REFERENCE})
    if isinstance(sample, ShownSample):
        sample = sample.sample
    scoring = benchmarks_of(config)[benchmark].of(config).scoring.make()
    return score_answer(scoring, sample, answer, verdicts or {})


def score_answer(
    scoring: Scoring, sample: Sample, answer: str | Answer, verdicts: Mapping[str, str]
) -> Score:
    """The score of a response by a scorer."""
    response = Answer(OK, answer) if isinstance(answer, str) else answer
    replies = {name: Reply(OK, text) for name, text in verdicts.items()}
    return scoring.score(sample, response, replies)
