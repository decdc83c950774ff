"""The no-lookup baseline: the best expected score of responses that look nothing up in the context.

The baseline follows the instruction's format, and copies parts of the context by their position
alone: elements, documents' fields, sentences with their head tags. It knows how many parts there
are and how the benchmark samples what it requests, and takes what is right most often. It never
finds the part that an instruction names by number, text or type, never checks whether a field or
evidence is present, and compares neither texts nor the two tags around a sentence. Among equally
good parts each prompt has a random choice of its own: so the mean over prompts is near the
expectation, and not the luck of one choice. The reasons: docs/baseline.md.
"""

from itertools import pairwise
from operator import itemgetter
from random import Random

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench import answers, records

EDGE = 10  # elements at the beginning of a list, where positions are requested most densely
ONE_IN = 3  # tagged sentences is in an OE answer: more would find more, but also claim more
MOST_DOCUMENTS = 80  # of an MF answer, so that the output limit does not cut it
MOST_LABELS = 340  # of an MB answer, likewise
# The option of OQ with the larger expectation, by rubric. The second is right in two of three
# prompts, but the released rubric gives two thirds to a wrong first one (Q15).
BETTER_OPTION = {"released": 0, "corrected": 1}


def baseline_answer(
    prompt: records.Prompt, context: Record, rubric: str = "released", repeat: int = 0
) -> str:
    """Answers a prompt without looking anything up; the reference answer is not read."""
    variables = prompt["variables"]
    # The choice is the same in every format of a context.
    plain_id = prompt["sample_id"].removesuffix(f"/{prompt.get('format')}")
    rng = Random(f"floor/{plain_id}/{repeat}")
    match prompt["task"]:
        case "LSI" | "LOI" | "LOE":
            # A third of the requested positions are near the beginning.
            last = max(1, min(EDGE, (len(context["elements"]) - 1) // 4))
            return str(context["elements"][rng.randint(1, last) + variables.get("bias", 0)])
        case "LBI" | "LBE":
            # What comes last is after any element, wherever that stands.
            return str(context["elements"][-1 if variables["bias"] > 0 else 0])
        case "LMI":
            elements = context["elements"]
            positions = rng.sample(range(len(elements)), len(variables["id_arr"]))
            # Elements are never requested in the order of the list.
            positions.sort(reverse=True)
            return answers.unescaped_json([elements[position] for position in positions])
        case "MB":
            rules = variables["rule_key"]
            label = min(variables["candidates"], key=lambda name: rules.find(name[:1]))
            labels = min(len(context["documents"]), MOST_LABELS)
            return answers.unescaped_json(answers.by_document([label] * labels))
        case "MF":
            return _groups(context["documents"], variables["info_keys"].split(), rng)
        case "OR":
            sentences = _sampled(context["key_sentences"], variables["num"], rng)
            return answers.labelled_rows(sentences, variables["sep"])
        case "OQ":
            return str(variables["options"][BETTER_OPTION[rubric]])
        case _:
            number = max(1, round(len(context["key_sentences"]) / ONE_IN))
            sentences = _sampled(context["key_sentences"], number, rng)
            # In the order of the numbers in their head tags, as requested.
            sentences.sort(key=itemgetter("id"))
            return answers.unescaped_json([sentence["text"] for sentence in sentences])


def _groups(documents: list[Record], keys: list[str], rng: Random) -> str:
    """Returns the requested fields of all documents, in the most frequent number of groups."""
    sampled = _sampled(documents, MOST_DOCUMENTS, rng)
    number = _likeliest_groups(len(documents))
    rows = [list(map(document.get, keys)) for document in sampled]
    ends = [len(rows) * group // number for group in range(number + 1)]
    groups = (rows[start:end] for start, end in pairwise(ends))
    return "\n".join(answers.unescaped_json(group) for group in groups if group)


def _likeliest_groups(documents: int) -> int:
    """Returns the likeliest number of groups, where each repeated document may begin one."""
    multidoc = facts("corpora/contexts.yaml")["multidoc"]
    repeated = int(multidoc["repeated_share"] * documents + 0.5)
    return int(min(multidoc["repeated_sets"], 1 + max(repeated - 1, 0) // 2))


def _sampled(parts: list[Record], number: int, rng: Random) -> list[Record]:
    return rng.sample(parts, min(number, len(parts)))
