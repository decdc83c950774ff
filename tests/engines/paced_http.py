"""A paced server over HTTP; the first line that it prints is its port.

paced_http.py NAME: of ``paced_servers.SERVERS``.
"""

import asyncio
import sys

from paced_servers import ANSWER, SERVERS, Paced

REASONS = {200: "OK", 429: "Too Many Requests", 500: "Internal Server Error", 503: "Unavailable"}


class Connection(asyncio.Protocol):
    """One connection: reads requests, and writes their replies as the server gives them."""

    server: Paced

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._data = b""
        self._tasks: set[asyncio.Task[None]] = set()

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(b"\r\n\r\n")) >= 0:
            head = self._data[:end].lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            if len(self._data) < end + 4 + length:
                return
            self._data = self._data[end + 4 + length :]
            task = asyncio.ensure_future(self._reply())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _reply(self) -> None:
        status, after = await self.server.reply()
        if not status:
            self._transport.abort()  # type: ignore[attr-defined]
            return
        body = ANSWER if status == 200 else b'{"error": {"message": "no"}}'
        head = [f"HTTP/1.1 {status} {REASONS[status]}", "Content-Type: application/json"]
        head.append(f"Content-Length: {len(body)}")
        if after is not None:
            head.append(f"Retry-After: {after:.3f}")
        if not self._transport.is_closing():
            self._transport.write("\r\n".join([*head, "", ""]).encode() + body)  # type: ignore[attr-defined]


async def main() -> None:
    """Serves until the process is killed."""
    Connection.server = Paced(**SERVERS[sys.argv[1]][0])
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
