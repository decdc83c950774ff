"""How well, and how stably, language models follow instructions in long contexts.

One subpackage a stage (``corpora``, ``engines``, ``metrics``, ``tables``) and one a benchmark
(``lifbench``). The stages know no benchmark by name: ``registry`` finds it.
"""

__version__ = "0.1.0"
