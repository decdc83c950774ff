"""Access to a server behind an API: address, key, and single requests over aiohttp.

The ``openai`` client determines URL, headers and trusted certificates; aiohttp sends, in an eighth
of that client's time for a request (bench/concurrency.py).
"""

import json
import os
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.engines.api.redaction import Redaction
from steadfast.schema.api_model import NO_USER, USER

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


CONNECT_SECONDS = 20.0
HEADER_BYTES = 65_536  # maximum size of a reply's header


class Access:
    """The address and the API key, and their redaction from everything that is kept or shown."""

    def __init__(self, base_url: str | None, key_name: str | None, default: str | None = None):
        self._url = base_url or default or os.environ.get("OPENAI_BASE_URL", "").strip() or None
        self._key_name = key_name
        self._key = os.environ.get(key_name, "").strip() if key_name else ""
        try:
            parts = urlsplit(self._url or "https://api.openai.com/v1")
            self._valid = parts.scheme in ("http", "https") and not parts.query
            host = parts.hostname or ""
            port = parts.port
        except ValueError:
            self._valid = False
            host = ""
            port = None
        self._valid = self._valid and bool(host)
        self._has_user = bool(USER.match(self._url or ""))
        self.address = f"{host}:{port}" if port else host
        """Host and port only, for messages: the path may be secret."""
        self.redaction = Redaction([self._key])

    @property
    def key_source(self) -> str:
        """The environment variable of the key, for messages."""
        return self._key_name or "api_key_env"

    def client_settings(self, timeout: float) -> Record:
        """Settings of a client without retries: a batch created twice is paid twice."""
        from openai import Timeout

        if self._key_name and not self._key:
            raise UserError(
                f"environment variable {self._key_name} contains no API key; set it, or set "
                "api_key_env to the variable that does (null for a server that needs none)"
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise UserError(
                f"environment variable {self._key_name} contains characters that are invalid in an "
                "API key; copy the key again, without quotes or line breaks"
            )
        if self._has_user:
            raise UserError(f"base_url {NO_USER}")
        if not self._valid:
            raise UserError(
                "base_url is not a valid URL of an API; write http:// or https://, host and path, "
                "such as https://api.example.org/v1, without a query"
            )
        return {
            "api_key": self._key or "none",  # the client requires one
            "base_url": self._url,
            "timeout": Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)),
            "max_retries": 0,
        }


def openai_headers(client: "AsyncOpenAI | OpenAI") -> Record:
    """The headers that the ``openai`` client sends with each request."""
    from openai import Omit

    headers = {**client.default_headers, **client.auth_headers}
    return {name: text for name, text in headers.items() if not isinstance(text, Omit)}


class ServerReply(NamedTuple):
    """A server's reply, whatever its status."""

    status: int
    content: bytes
    headers: Mapping[str, str]


class Client:
    """Sends each request body once: a request sent twice is paid twice.

    Args:
        settings: of ``Access``.
        headers: of each request; None: those of the ``openai`` client, which also follows
            redirects. An API key in any other header would be sent to the redirect's target too.
    """

    def __init__(self, settings: Settings, headers: Mapping[str, str] | None = None):
        from httpx2 import AsyncClient, create_ssl_context
        from openai import AsyncOpenAI

        self._trusted = create_ssl_context()
        self._openai = AsyncOpenAI(**settings, http_client=AsyncClient(verify=self._trusted))
        self._url = str(self._openai.base_url).rstrip("/")
        self._headers = headers or openai_headers(self._openai)
        self._redirected = headers is None
        parts = urlsplit(self._url)
        host = parts.hostname or ""
        proxies = {} if proxy_bypass(host) else getproxies()
        self._proxy = proxies.get(parts.scheme) or proxies.get("all")
        self._connect = settings["timeout"].connect
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        from aiohttp import ClientSession, ClientTimeout, TCPConnector

        await self._stack.enter_async_context(self._openai)
        self._session = await self._stack.enter_async_context(
            ClientSession(
                connector=TCPConnector(limit=0, ssl=self._trusted),
                headers=self._headers,
                timeout=ClientTimeout(sock_connect=self._connect),
                proxy=self._proxy,
                max_line_size=HEADER_BYTES,
                max_field_size=HEADER_BYTES,
            )
        )
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    async def post(self, path: str, body: Record) -> ServerReply:
        """The server's reply."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        sent = self._session.post(self._url + path, data=content, allow_redirects=self._redirected)
        async with sent as reply:
            return ServerReply(reply.status, await reply.read(), reply.headers)


class Http:
    """A synchronous client, for calls such as those of the Batch API."""

    def __init__(self, settings: Settings, headers: Mapping[str, str] | None = None):
        from httpx2 import Client as HttpxClient
        from openai import OpenAI

        with OpenAI(**settings) as openai_client:
            self.url = str(openai_client.base_url).rstrip("/")
            sent = headers or openai_headers(openai_client)
        self._client = HttpxClient(
            headers=sent, timeout=settings["timeout"], follow_redirects=headers is None
        )
        self._client.headers.pop("content-type", None)  # each request sets its own

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def get(self, path: str) -> ServerReply:
        """The reply to a GET request."""
        return self._send("GET", path)

    def post(self, path: str, content: bytes, **headers: str) -> ServerReply:
        """The reply to a POST request with JSON, or of the type in a header Content_Type."""
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        sent = {"Content-Type": "application/json", **named}
        return self._send("POST", path, content=content, headers=sent)

    def upload(self, path: str, fields: Record, name: str, content: bytes) -> ServerReply:
        """The reply to an upload of a file by a form."""
        return self._send("POST", path, data=fields, files={"file": (name, content)})

    def _send(self, method: str, path: str, **options: Any) -> ServerReply:
        reply = self._client.request(method, self.url + path, **options)
        return ServerReply(reply.status_code, reply.content, reply.headers)
