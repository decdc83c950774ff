"""What of transformers.utils is used."""

from types import SimpleNamespace

logging = SimpleNamespace(set_verbosity_error=lambda: None)
