"""Who judges whose answers: models judge models', stand-ins judge stand-ins', and never across.

A stand-in's answer says of itself what it kept; a model would be paid to read that. And a stand-in
that judges knows nothing of any other answer.
"""

from steadfast.base.errors import UserError
from steadfast.contract.engine_names import STAND_INS
from steadfast.schema.config import Config

NO_MODEL = """config: judges: the answers of model {model} need a judge that is a model; add one \
under judges, such as
  gpt-4o:
    {{engine: openai, model: gpt-4o-2024-08-06}}
or leave out of benchmarks those that need one"""
NO_STAND_IN = """config: judges: the answers of {model}, a stand-in, need a judge that is one; add \
under judges
  reference:
    {{engine: reference}}"""


def judges_of(config: Config, model: str) -> list[str]:
    """The judges of a model's answers, the one that counts first; none where there are none."""
    stand_in = is_stand_in(config, model)
    return [name for name, how in config.judges.items() if (how.engine in STAND_INS) == stand_in]


def is_stand_in(config: Config, model: str) -> bool:
    """Whether a model answers from what a benchmark knows."""
    return config.models[model].engine in STAND_INS


def check_judges(config: Config, model: str) -> None:
    """Whether a model's answers have a judge.

    Raises:
        UserError: they have none; the sentence has the lines of config that name one.
    """
    if not judges_of(config, model):
        sentence = NO_STAND_IN if is_stand_in(config, model) else NO_MODEL
        raise UserError(sentence.format(model=model))
