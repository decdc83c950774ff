"""Explicit caches of the Gemini API: contexts that it stores by the hour while they are asked."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote

from steadfast.base.files import Record, canonical_json, json_line
from steadfast.base.tokens import fingerprint
from steadfast.contract.request import Request
from steadfast.engines.api.body import array, count, mapping, parsed, text
from steadfast.engines.api.client import Client, ServerReply
from steadfast.engines.api.gemini import Gemini
from steadfast.engines.base import Setup
from steadfast.engines.cost.bill import caches_path, read_caches, text_tokens

NAME = re.compile(r"cachedContents/[\w-]{1,200}")
SECONDS = 30.0
"""That a call may take which lists caches or deletes one."""
now = time.time


class Kept(NamedTuple):
    """A cache that the provider stores."""

    tokens: int
    until: float  # seconds, by this machine's clock


@dataclass
class Context:
    """What several requests begin with, and its cache."""

    title: str
    size: int  # bytes
    waiting: int  # requests that have no reply yet
    name: str | None = None
    unheard: bool = False  # the reply to its making was lost
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class StoringGemini(Gemini):
    """Gemini models whose contexts are stored: each before its first request, until its last.

    What caches cost stands in a file beside the journal. A cache's first line has what it costs if
    nobody deletes it, its second what deleting it has saved. Their titles tell the job and what
    they hold, so that a job that was killed finds its own again.
    """

    def __init__(self, setup: Setup):
        super().__init__(setup)
        assert setup.journal is not None, "a cache must not be forgotten"
        self._journal, self._log = setup.journal, setup.log
        self._rules = self.facts["caches"]
        lifetime = setup.operation["cache"]
        self._seconds = int(lifetime[:-1]) * self._rules["seconds"][lifetime[-1]]
        self._least: int = self._rules["bytes"]
        self._job = f"steadfast-{fingerprint(str(setup.journal.resolve()))[:16]}-"
        self._contexts: dict[str, Context] = {}
        self._held: dict[str, Kept] = {}
        self._orphans: dict[str, str] = {}  # names by title
        self._client: Client

    def expect(self, groups: Sequence[Sequence[Request]]) -> None:
        super().expect(groups)
        shared = Counter(one.prefix for one in chain.from_iterable(groups) if _opens(one))
        settings = canonical_json(self.answers)
        self._contexts = {
            prefix: Context(
                self._job + fingerprint(f"{settings}\0{prefix}")[:32],
                len(prefix.encode(errors="replace")),
                requests,
            )
            for prefix, requests in shared.items()
            if requests > 1
        }

    def stored_hours(self, request: Request) -> float:
        context = self._context(request)
        return self._seconds / 3600 if context and not context.name else 0.0

    def _context(self, request: Request) -> Context | None:
        context = self._contexts.get(request.prefix) if _opens(request) else None
        return context if context and (context.name or context.size >= self._least) else None

    @asynccontextmanager
    async def session(self, client: Client) -> AsyncIterator[None]:
        """Deletes what a killed job has left and nobody needs, and at the end whatever is left."""
        self._client = client
        await self._look()
        wanted = {context.title for context in self._contexts.values()}
        for title in self._orphans.keys() - wanted:
            await self._delete(self._orphans.pop(title))
        try:
            yield
        finally:
            await asyncio.gather(*map(self._delete, list(self._held)))
            for name in self._held:
                self._log(f"{name} could not be deleted; it ends by itself, {self._seconds} s old")

    async def send(self, client: Client, request: Request, body: Record) -> ServerReply:
        if (context := self._context(request)) is None:
            return await super().send(client, request, body)
        for _ in range(2):  # a cache may end before its context is through
            async with context.lock:
                name = await self._cache(context, request, body)
            if not isinstance(name, str):
                return name or await super().send(client, request, body)
            reply = await client.post(self.path, self.naming(name, body))
            if reply.status not in (403, 404) or not self._says("gone", reply):
                return reply
            self._held.pop(name, None)
            context.name = None if context.name == name else context.name
        return reply._replace(status=503)  # it is no fault of the key

    async def done(self, request: Request) -> None:
        # Before the reply is kept: a job whose journal has them all has left no cache.
        if context := self._context(request):
            context.waiting -= 1
            if not context.waiting and context.name in self._held:
                await self._delete(context.name)

    def stored(self, body: Record) -> Record:
        """What a cache holds of a request's body."""
        fields = {name: body[name] for name in self._rules["fields"] if name in body}
        return {"model": self.whole_name, "contents": body["contents"][:1], **fields}

    def naming(self, cache: str, body: Record) -> Record:
        """A request's body without what a cache holds of it."""
        rest = {name: body[name] for name in body if name not in self._rules["fields"]}
        return {**rest, "contents": body["contents"][1:], "cachedContent": cache}

    async def _cache(
        self, context: Context, request: Request, body: Record
    ) -> str | ServerReply | None:
        """The name of a context's cache, found or made; else the reply that refuses one.

        None: it would be too small.
        """
        if context.unheard and not context.name:
            await self._look()
        context.name = context.name or self._orphans.pop(context.title, None)
        if context.name:
            return context.name
        context.unheard = True
        made = {"ttl": f"{self._seconds}s", "displayName": context.title, **self.stored(body)}
        reply = await self._client.call("POST", self._rules["path"], made)
        context.unheard = reply.status >= 500
        if reply.status == 400 and self._says("small", reply):
            self._least = context.size + 1
            return None
        context.name = self._keep(self._value(reply), request.prefix)
        return context.name or reply

    async def _look(self) -> None:
        """Finds the job's caches that it has not in hand."""
        lines = read_caches(self._journal)
        known = {one["cache"]: Kept(one["tokens"], one["until"]) for one in lines if "until" in one}
        token = ""
        while True:
            page = f"&pageToken={quote(token)}" if token else ""
            reply = await self._call("GET", f"{self._rules['path']}?pageSize=100{page}")
            said = self._value(reply) if reply else {}
            for one in map(dict, map(mapping, array(said.get("cachedContents")))):
                title, name = (text(one.get(key)) or "" for key in ("displayName", "name"))
                if title.startswith(self._job) and name not in self._held:
                    if name in known:
                        self._held[name] = known[name]
                    if name in known or self._keep(one, ""):
                        self._orphans[title] = name
            before, token = token, text(said.get("nextPageToken")) or ""
            if token in ("", before):
                return

    async def _delete(self, name: str) -> None:
        reply = await self._call("DELETE", f"{self.facts['path']}/{name}")
        if reply and (reply.status < 400 or reply.status in (403, 404)):
            kept = self._held.pop(name)
            saved = kept.tokens * max(0.0, kept.until - now()) if reply.status < 400 else 0.0
            self._write({"cache": name, "tokens": 0, "token_hours": -saved / 3600})

    async def _call(self, method: str, path: str) -> ServerReply | None:
        """A reply, or None where there is none."""
        from aiohttp import ClientError

        try:
            async with asyncio.timeout(SECONDS):
                return await self._client.call(method, path)
        except (TimeoutError, ClientError, OSError):
            return None

    def _keep(self, said: Record, prefix: str) -> str | None:
        """Takes down a cache that a server describes, and returns its name."""
        name = text(said.get("name")) or ""
        if not NAME.fullmatch(name):
            return None
        counted = count(mapping(said.get("usageMetadata")).get("totalTokenCount"))
        tokens, until = counted or text_tokens(prefix), now() + self._seconds
        self._held[name] = Kept(tokens, until)
        hours = tokens * self._seconds / 3600
        self._write({"cache": name, "tokens": tokens, "token_hours": hours, "until": until})
        return name

    def _write(self, line: Record) -> None:
        with open(caches_path(self._journal), "ab") as file:
            file.write(json_line(line).encode())

    def _value(self, reply: ServerReply) -> Record:
        return dict(mapping(parsed(self.access.redaction.content(reply.content))))

    def _says(self, what: str, reply: ServerReply) -> bool:
        words = reply.content.decode(errors="replace").lower().replace(" ", "")
        return re.search(self._rules[what], words) is not None


def _opens(request: Request) -> bool:
    """Whether a prompt begins with a context of its own that could be stored."""
    return not request.turns and bool(request.prefix.strip() and request.suffix.strip())
