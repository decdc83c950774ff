"""How well, and how stably, language models follow instructions in long contexts.

The floors of the package, from the rules down: CONTRIBUTING.md. Each benchmark is a package, which
``contract.registry`` finds by its entry point: no other module knows one by name.
"""

__version__ = "0.1.0"
