"""The program started in place of a Python (``warm_python``): it sends its arguments to the server.

It imports next to nothing, because each program starts with it. ADDRESS of the server, and PYTHON,
the one that it replaces, are set before it.
"""

import _socket
import marshal
import os
import sys

arguments = sys.argv[1:]


def start_python() -> None:
    """Continues as the Python that it replaces."""
    os.execv(PYTHON, [PYTHON, *arguments])  # noqa: F821


first = (arguments[1:] if arguments[:1] == ["-P"] else arguments)[:1]
if not first or (first[0].startswith("-") and first[0] not in ("-m", "-c")):
    start_python()
connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
try:
    connection.connect(ADDRESS)  # noqa: F821
except OSError:
    start_python()
descriptors = []
for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - pathlib takes long to import
    try:
        if os.get_inheritable(int(name)):
            descriptors.append(int(name))
    except OSError:  # the descriptor of the list itself
        pass
mask = os.umask(0)
os.umask(mask)
folder = os.getcwd()  # noqa: PTH109 - as above
packed = marshal.dumps((arguments, folder, dict(os.environ), descriptors, mask, os.getpgrp()))
rights = b"".join(number.to_bytes(4, sys.byteorder) for number in descriptors)
ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)]
connection.sendmsg([len(packed).to_bytes(8, "big")], ancillary)
connection.sendall(packed)
answer = connection.recv(99)
if answer == b"not with these variables":
    start_python()
code = int(answer)
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
