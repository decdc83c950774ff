"""How an ``openai`` model's server is reached: its address and its key, which are never shown."""

import os
from urllib.parse import urlsplit

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.engines.openai.redaction import Redaction
from steadfast.schema.openai_model import NO_USER, USER

CONNECT_SECONDS = 20.0


class Access:
    """The address and the key, and what takes them out of anything that is kept or shown.

    Args:
        base_url: where the API is, with ``/v1``; None: by OPENAI_BASE_URL, or OpenAI's own.
        key_name: environment variable that holds the key; None: the server needs none.
    """

    def __init__(self, base_url: str | None, key_name: str | None):
        self._url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or None
        self._key_name = key_name
        self._key = os.environ.get(key_name, "").strip() if key_name else ""
        try:
            parts = urlsplit(self._url or "https://api.openai.com/v1")
            self._sound = parts.scheme in ("http", "https") and not parts.query
            host, port = parts.hostname or "", parts.port
        except ValueError:
            self._sound, host, port = False, "", None
        self._sound = self._sound and bool(host)
        self._has_user = bool(USER.match(self._url or ""))
        self.address = f"{host}:{port}" if port else host
        """Host and port alone, for messages: what stands behind may be secret."""
        self.redaction = Redaction([self._key])

    @property
    def key_source(self) -> str:
        """Where the key is to be set, for messages."""
        return self._key_name or "api_key_env"

    def client_settings(self, timeout: float) -> Record:
        """What a client is made of; it never tries again: a batch made twice is paid twice.

        Args:
            timeout: seconds of one attempt.

        Raises:
            UserError: the key is missing or no header can carry it, or the address is none.
        """
        from openai import Timeout

        if self._key_name and not self._key:
            raise UserError(
                f"environment variable {self._key_name} holds no API key; set it, or set "
                "api_key_env to the variable that does (null for a server that needs none)"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise UserError(
                f"environment variable {self._key_name} holds characters that no API key has; "
                "copy the key again, without quotes or line breaks"
            )
        if self._has_user:
            raise UserError(f"base_url {NO_USER}")
        if not self._sound:
            raise UserError(
                "base_url is not the address of an API; write http:// or https://, the host and "
                "the path, such as https://api.example.org/v1, and nothing behind it"
            )
        return {
            "api_key": self._key or "none",  # the client insists on one
            "base_url": self._url,
            "timeout": Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)),
            "max_retries": 0,
        }
