"""LIFBench's section of the config."""

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS, SCENARIOS
from steadfast.corpora.contexts.domains import check_domains
from steadfast.schema.strict import StrictModel, checked_lengths, key, section


class Released(StrictModel):
    """Where LIFBench's released files come from."""

    directory: str | None = key(
        "Directory with the released tasks.json, {list,multidoc,onedoc}_input.json "
        "(or data/meta with these) and scores/*.csv; without one the pinned URLs are used."
    )


class TfidfEncoder(StrictModel):
    """Weights of runs of 2 to 4 characters, by scikit-learn; nothing is downloaded."""

    kind: Literal["tfidf"]


class SentenceEncoder(StrictModel):
    """A model of sentence-transformers (make embeddings)."""

    kind: Literal["sentence-transformers"]
    model: str = key(
        "Its name on the Hugging Face hub, such as BAAI/bge-m3, or its directory.", ...
    )
    revision: str | None = key("Commit, 40 hexadecimal digits.", pattern=r"^[0-9a-f]{40}$")
    pooling: Literal["cls", "mean"] | None = key(
        "How token vectors become one; null: as the model's files say."
    )


class Recs(StrictModel):
    """RECS: rewriting, encoding, clustering, sampling (docs/lifbench-variants.md)."""

    rewrites: Literal["own", "released"] = key(
        "own: requested from the config's rewriters; released: the authors', "
        "from lifbench.released.directory.",
        "own",
    )
    originals: Literal["own", "released"] = key(
        "Which templates are paraphrased; the released ones are fetched.", "own"
    )
    count: int = key("Rewrites requested from each rewriter, of each template.", 20, ge=5, le=100)
    encoder: Annotated[TfidfEncoder | SentenceEncoder, Field(discriminator="kind")] = Field(
        default_factory=lambda: TfidfEncoder(kind="tfidf"),
        description="Encoder that turns rewrites into vectors.",
    )
    clusters: int = key("Clusters of each task, one expression each.", 5, ge=2, le=50)
    starts: int = key(
        "Starts of k-means, of which the best is taken; published: 1.", 50, ge=1, le=1000
    )
    partition: Literal["kmeans", "released"] = key(
        "kmeans: clusters of our own; released: the authors' clusters and review of "
        "their rewrites, with rewrites and originals released.",
        "kmeans",
    )
    review: str | None = key(
        "Directory with people's review, {task}.yaml each: accept, reject or edit; "
        "made ready in results/lifbench/recs/review. Tables name what has not been reviewed."
    )
    sampling: Literal["nearest", "random", "both"] = key(
        "nearest: the rewrite nearest to each cluster's centre; random: as many of all rewrites; "
        "both: each, with five random samples, to compare their stability (the paper's Figure 7).",
        "nearest",
    )

    @model_validator(mode="after")
    def _released_together(self) -> Self:
        if self.partition == "released" and self.rewrites != "released":
            raise ValueError("partition released needs rewrites: released, whose clusters they are")
        if self.rewrites == "released" and self.originals != "released":
            raise ValueError(
                "rewrites released needs originals: released, whose fields and variables they have"
            )
        return self


FormatName = Literal["numbered", "bulleted", "json"]
ScenarioName = Literal["list", "multidoc", "onedoc"]


class Lifbench(StrictModel):
    """LIFBench: which contexts and prompts are built, and how they are scored."""

    lengths: dict[str, int] = key(
        "Name of each length and its token budget for the context; the published ones "
        "are 4k 3072, 8k 6144, 16k 13312, 32k 28672, 64k 61440, 128k 122880. Any up to 2M "
        "tokens.",
        {"4k": 3072, "8k": 6144, "16k": 13312},
        min_length=1,
    )
    contexts_per_length: int = key(
        "Contexts of each scenario and length; 2 or more give intervals, 4 or more bold.",
        1,
        ge=1,
        le=100,
    )
    contexts: Literal["nested", "independent", "released"] = key(
        "nested: built from the corpora; a shorter context is the beginning of a longer one, so "
        "that only length differs. independent: built from the corpora for each length. "
        "released: the published ones, one of each scenario and length, with the published "
        "positions in lists; with released expressions all variables are published "
        "(docs/lifbench-prompts.md).",
        "nested",
    )
    formats: list[FormatName] = key(
        "Formats of lists and documents. With several, each of their prompts is sent in each, with "
        "the same content, which fits into the budget in all of them. A table shows how stable "
        "models are across them; all other results are of the first "
        "(docs/lifbench-variants.md). JSON is written json.",
        ["numbered"],
        min_length=1,
    )
    domains: dict[ScenarioName, list[str]] = key(
        "Domains that are compared, two or more of a scenario: list has mixed, uuids "
        "and instructions; multidoc mixed, govreport, xsum, qmsum and paul_graham; onedoc "
        "paul_graham, govreport, xsum and qmsum. Each but the first of these, which is the "
        "paper's and always runs, has contexts of its own; a table shows how stable models are "
        "across them, all other results are of the paper's (docs/lifbench-variants.md).",
        {},
    )
    tasks: list[Literal[PAPER_TASKS]] = key(  # type: ignore[valid-type]
        "Tasks that run.", list(PAPER_TASKS), min_length=1
    )
    expressions: Literal["own", "released", "recs"] = key(
        "own: the project's templates; released: the published ones; recs: paraphrased by models "
        "and sampled (recs).",
        "own",
    )
    recs: Recs = section(Recs, "How expressions recs are made.")
    released: Released = section(Released, "Where published files come from.")
    rubric: Literal["released", "corrected"] = key(
        "released: the published scorer, point by point, with its quirks; corrected: "
        "what each score point's name says (docs/rubrics.md). Scores have both; tables show this "
        "one.",
        "released",
    )
    judge: bool = key(
        "Also have the config's judges grade each response by what it delivers, whatever its "
        "form, and compare the stability of models by rubric and by judge (docs/rubrics.md). "
        "All other results remain the rubric's.",
        False,
    )
    weighting: Literal["rubric", "mean"] = key(
        "Overall ARS: weighted by the rubric (equation 3), or the plain mean.", "rubric"
    )

    @property
    def published_variables(self) -> list[str]:
        """Scenarios whose variables are those of the published prompts."""
        if self.contexts != "released":
            return []
        return list(SCENARIOS) if self.expressions == "released" else ["list"]

    @property
    def published_prompts(self) -> bool:
        """Whether the prompts are exactly those of the paper."""
        return self.contexts == self.expressions == "released"

    @field_validator("lengths")
    @classmethod
    def _lengths(cls, lengths: dict[str, int]) -> dict[str, int]:
        return checked_lengths(lengths)

    @field_validator("domains")
    @classmethod
    def _domains(cls, domains: dict[ScenarioName, list[str]]) -> dict[ScenarioName, list[str]]:
        for scenario, names in domains.items():
            check_domains(scenario, names)
        return domains

    @model_validator(mode="after")
    def _described(self) -> "Lifbench":
        recs = self.expressions == "recs" and self.recs.originals == "released"
        if (self.expressions == "released" or recs) and self.formats != ["numbered"]:
            raise ValueError(
                "formats: the released scenario descriptions are only of numbered contexts; remove "
                "formats, or set expressions: own"
            )
        return self
