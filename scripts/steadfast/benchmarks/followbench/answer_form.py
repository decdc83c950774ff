"""The form that the target of an example asks of an answer."""

INSTRUCTION = "{instruction}\n"
SLOT = "{answer}"


def affixes(target: str) -> tuple[str, str]:
    """What an answer template asks for before and after the answer itself."""
    before, _, after = target.removeprefix(INSTRUCTION).partition(SLOT)
    return _unescaped(before), _unescaped(after)


def _unescaped(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")
