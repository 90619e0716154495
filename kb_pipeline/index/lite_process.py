"""The owner process of a Milvus Lite folder: run as a script, imports nothing of the package.

    python lite_process.py FOLDER BINARY SOCKETS

Takes the folder's lock, writes server.json, and becomes the Milvus Lite server (exec). The lock's descriptor is
inherited, so the lock is held exactly as long as the server lives, whatever way it ends. The process detaches first
(double fork): it outlives its caller and leaves no zombie to it.

The socket is `SOCKETS-<pid>.sock`, another one for each owner: gRPC remembers that an address refused it, and would
go on failing for a while after the new owner is up.
"""

import fcntl
import glob
import json
import os
import sys
import time

OWNED = 75  # exit code: another process owns the folder (EX_TEMPFAIL)


def main(folder: str, binary: str, sockets: str) -> None:
    """Detach, lock, announce, exec. Ends with OWNED where the folder has an owner."""
    lock = os.open(os.path.join(folder, "LOCK"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(OWNED)
    if os.fork():
        os._exit(0)  # the lock belongs to the open descriptor, which the child has too
    os.setsid()
    os.set_inheritable(lock, True)
    for left in glob.glob(glob.escape(sockets) + "-*.sock"):
        os.unlink(left)
    socket = f"{sockets}-{os.getpid()}.sock"
    partial = os.path.join(folder, "server.json.part")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "uri": "unix:" + socket, "started": time.time()}, file)
    os.replace(partial, os.path.join(folder, "server.json"))
    os.chdir(folder)
    # the server's own glibc parts: only here, they would break other programs
    environment = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(binary)}
    os.execve(binary, [binary, os.path.join(folder, "milvus.db"), "unix:" + socket, "ERROR"], environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
