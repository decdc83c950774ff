"""How well, and how stably, language models follow instructions in long contexts.

The rules' jobs are in ``stages``; ``config``, ``engines``, ``judging``, ``metrics``, ``tables`` and
``show`` are what they and the benchmarks use. Each benchmark is a package, which ``registry`` finds
by its entry point: no other module knows one by name.
"""

__version__ = "0.1.0"
