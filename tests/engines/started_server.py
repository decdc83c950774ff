"""The command of a server that jobs start themselves, and that records each start."""

from pathlib import Path

SERVER = """
import os, sys
sys.path.insert(0, {tests!r})
from http.server import ThreadingHTTPServer
from servers import Server, handler_of

server = Server()

class Handler(handler_of(server)):
    def do_GET(self):
        self.send(b"{{}}", 200 if self.path == "/v1/models" else 404)

    def do_POST(self):
        if os.path.exists({dies!r}):
            os._exit(3)
        if os.path.exists({slow!r}):
            server.delay = float(open({slow!r}).read())
        super().do_POST()

with open({pid!r}, "a") as out:
    print(os.getpid(), *sys.argv[2:], file=out)
print("listens", flush=True)
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def serve_command(folder: Path) -> list[str]:
    """The command of a server that responds as ``servers.Server`` does.

    Each start adds a line to the file ``pid`` of the folder: its process and further arguments.
    With a file ``dies`` in the folder, the server exits at a request; a file ``slow`` has the
    seconds that each response takes.
    """
    files = {name: str(folder / name) for name in ("pid", "dies", "slow")}
    script = SERVER.format(tests=str(Path(__file__).parent), **files)
    (folder / "server.py").write_text(script)
    return ["python", str(folder / "server.py"), "{port}"]
