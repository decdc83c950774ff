"""One request to an OpenAI-compatible server, over aiohttp, as the ``openai`` client would send it.

The ``openai`` client says where a request goes, with which headers, and whom it trusts; aiohttp
takes an eighth of the time that it does for a request (benchmarks/concurrency.py), which counts
where hundreds of short verdicts are under way.
"""

import json
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from steadfast.base.files import Record, Settings

if TYPE_CHECKING:
    from multidict import CIMultiDictProxy

HEADER_BYTES = 65_536  # of a reply's header, at most


class Reply(NamedTuple):
    """What a server answered, whatever its status."""

    status: int
    content: bytes
    headers: "CIMultiDictProxy[str]"


class Client:
    """Sends bodies to the paths of an API, each once: a request made twice is paid twice.

    Args:
        settings: of the ``openai`` client (``Access.client_settings``).
    """

    def __init__(self, settings: Settings):
        from httpx2 import AsyncClient, create_ssl_context
        from openai import AsyncOpenAI, Omit

        self._trusted = create_ssl_context()
        self._own = AsyncOpenAI(**settings, http_client=AsyncClient(verify=self._trusted))
        self._url = str(self._own.base_url).rstrip("/")
        headers = {**self._own.default_headers, **self._own.auth_headers}
        self._headers = {name: text for name, text in headers.items() if not isinstance(text, Omit)}
        parts = urlsplit(self._url)
        host = parts.hostname or ""
        proxies = {} if proxy_bypass(host) else getproxies()
        self._proxy = proxies.get(parts.scheme) or proxies.get("all")
        self._connect = settings["timeout"].connect
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        from aiohttp import ClientSession, ClientTimeout, TCPConnector

        await self._stack.enter_async_context(self._own)
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

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    async def post(self, path: str, body: Record) -> Reply:
        """The server's reply.

        Raises:
            aiohttp.ClientError: no whole reply came.
        """
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        async with self._session.post(self._url + path, data=content) as reply:
            return Reply(reply.status, await reply.read(), reply.headers)
