"""The owner of a Milvus Lite folder and its watcher: run as a script, imports nothing of the package.

    python lite_process.py FOLDER BINARY SOCKETS LOG IDLE_EXIT_S

Two processes come of it, both detached (double fork), so that they outlive their caller and leave no zombie to it:

- the owner takes the folder's lock, writes server.json, and becomes the Milvus Lite server (exec). The lock's
  descriptor is inherited, so the lock is held exactly as long as the server lives, whatever way it ends;
- the watcher, its parent, ends it when no client has been there for a while, and keeps the log short. It ends with the
  owner. Where it is killed, the owner lives on, only without that.

Every client holds CLIENTS shared as long as its process lives. The watcher ends the owner while it holds CLIENTS
alone: a client that comes meanwhile waits, and then finds no owner and starts one.

The socket is `SOCKETS-<pid>.sock`, another one for each owner: gRPC remembers that an address refused it, and would
go on failing for a while after the new owner is up.
"""

import fcntl
import glob
import json
import os
import select
import shutil
import signal
import sys
import time

OWNED = 75  # exit code: another process owns the folder (EX_TEMPFAIL)
LOG_BYTES = 10_000_000  # a log that is longer is moved to `<name>.1`, in place of the one before
LOOKS = 10  # times that the watcher looks for clients within the idle time
MIN_LOOK_S, MAX_LOOK_S = 0.1, 30.0  # seconds between two looks
STOP_S = 10.0  # after SIGTERM, before SIGKILL


def main(folder: str, binary: str, sockets: str, log: str, idle_exit_s: float) -> None:
    """Detach, lock, announce, exec. Ends with OWNED where the folder has an owner."""
    lock = os.open(os.path.join(folder, "LOCK"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(OWNED)
    if os.fork():
        os._exit(0)  # the lock belongs to the open descriptor, which the child has too
    os.setsid()
    ended, lives = os.pipe()
    owner = os.fork()
    if owner:
        os.close(lock)
        os.close(lives)
        watch(owner, ended, os.path.join(folder, "CLIENTS"), log, idle_exit_s)
        return
    os.close(ended)
    os.set_inheritable(lock, True)
    os.set_inheritable(lives, True)  # closed by the system when the owner ends: the watcher sees it
    for left in glob.glob(glob.escape(sockets) + "-*.sock"):
        os.unlink(left)
    socket = f"{sockets}-{os.getpid()}.sock"
    partial = os.path.join(folder, "server.json.part")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "uri": "unix:" + socket, "started": time.time()}, file)
    os.replace(partial, os.path.join(folder, "server.json"))
    os.chdir(folder)
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.path.dirname(binary),  # its own glibc parts: only here, they would break other programs
        "GLOG_logtostderr": "1",  # into the log: glog makes three files a start in the temporary folder otherwise
        "GLOG_minloglevel": "1",  # warnings and errors
    }
    os.execve(binary, [binary, os.path.join(folder, "milvus.db"), "unix:" + socket, "ERROR"], environment)


def watch(owner: int, ended: int, clients: str, log: str, idle_exit_s: float) -> None:
    """Wait until the owner ends; end it when nobody was its client for that many seconds (0: never)."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    pause = min(max(idle_exit_s / LOOKS, MIN_LOOK_S), MAX_LOOK_S) if idle_exit_s else MAX_LOOK_S
    file = os.open(clients, os.O_RDWR | os.O_CREAT, 0o600)
    idle_since, last_client = None, -1  # the latter: when the last one came, by the file's time of change
    while not ends(ended, pause):
        shorten(log)
        if not idle_exit_s:
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            idle_since = None
            continue
        came = os.stat(file).st_mtime_ns
        if idle_since is None or came != last_client:
            idle_since, last_client = time.monotonic(), came
        elif time.monotonic() - idle_since >= idle_exit_s:
            print(f"no client for {idle_exit_s:g} s: ending", file=sys.stderr, flush=True)
            os.kill(owner, signal.SIGTERM)
            if not ends(ended, STOP_S):
                os.kill(owner, signal.SIGKILL)
            break  # with CLIENTS held until this process is gone, too
        fcntl.flock(file, fcntl.LOCK_UN)
    os.waitpid(owner, 0)


def ends(ended: int, seconds: float) -> bool:
    """Wait so long for the owner's end."""
    return bool(select.select([ended], [], [], seconds)[0])


def shorten(log: str) -> None:
    """Begin a long log anew. Whoever writes it appends, so that it can be emptied under them."""
    if os.path.exists(log) and os.path.getsize(log) > LOG_BYTES:
        shutil.copyfile(log, log + ".1")
        os.truncate(log, 0)


if __name__ == "__main__":
    _, first, second, third, fourth, seconds = sys.argv
    main(first, second, third, fourth, float(seconds))
