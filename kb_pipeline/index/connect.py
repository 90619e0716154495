"""Connections to Milvus: Lite in KB_HOME through its owner process, or a server by address; and its errors as ours."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from kb_pipeline.errors import IndexRequestFailed, IndexUnavailable
from kb_pipeline.index import lite_server
from kb_pipeline.settings import IndexSettings, reveal

CONNECT_S = 30.0
CALL_S = 60.0  # no call to Milvus waits longer
SERVER_SCHEMES = ("http://", "https://", "tcp://", "unix:")
# pymilvus pings every 10 s by default; after half a minute without a call the server then ends the connection with
# "too many pings", and the next call fails. gRPC servers allow one such ping in 5 minutes.
KEEPALIVE = {"grpc.keepalive_time_ms": 360_000, "grpc.keepalive_permit_without_calls": 0}
NOT_REACHED = 2  # code of pymilvus' "fail connecting to server", and of a server that is not ready

# it prints a traceback for every failed call, which is raised as well
logging.getLogger("pymilvus").setLevel(logging.CRITICAL)


def connect(settings: IndexSettings, folder: Path, uri: str | None = None) -> MilvusClient:
    """A client of the Milvus server at `settings.uri`, or of the Milvus Lite in `folder`, whose owner is started
    where none runs. Any number of processes may call at once. The client must not be carried through a fork.

    Args:
        uri: in place of `settings.uri`, for an index that lies elsewhere.

    Raises:
        IndexUnavailable: nobody answers, the token is refused, or Milvus Lite does not start.
    """
    address = settings.uri if uri is None else uri
    if address and not address.startswith(SERVER_SCHEMES):
        raise IndexUnavailable(
            f"index.uri {address!r} is no address of a server",
            remedy=f"it starts with {', '.join(SERVER_SCHEMES)}; empty means Milvus Lite in KB_HOME",
        )
    address = address or lite_server.ensure(folder, settings.idle_exit_s)
    with milvus_errors(f"connecting to {address}"):
        token = reveal(settings.token)
        return MilvusClient(uri=address, token=token, timeout=CONNECT_S, grpc_options=KEEPALIVE)


@contextlib.contextmanager
def milvus_errors(doing: str) -> Iterator[None]:
    """Turn pymilvus' and gRPC's errors into typed ones.

    Raises:
        IndexUnavailable: Milvus cannot be reached or does not answer in time.
        IndexRequestFailed: it answered that it cannot do this.
    """
    try:
        yield
    except MilvusException as error:
        if error.code == NOT_REACHED or isinstance(error.code, grpc.StatusCode):
            raise _unavailable(doing, error.message) from error
        raise IndexRequestFailed(f"{doing}: {error.message}", remedy="`kb doctor` checks the index") from error
    except grpc.RpcError as error:
        raise _unavailable(doing, str(error)) from error


def _unavailable(doing: str, message: str) -> IndexUnavailable:
    return IndexUnavailable(
        f"{doing}: Milvus does not answer: {' '.join(message.split())[:300]}",
        remedy="run the command again (Milvus Lite restarts by itself), or see whether index.uri is up",
    )


def is_lite(client: MilvusClient) -> bool:
    """Whether that is Milvus Lite, which knows FLAT indexes only.

    Raises:
        IndexUnavailable, IndexRequestFailed.
    """
    with milvus_errors("asking for the version"):
        try:
            client.get_server_version(timeout=CALL_S)
        except grpc.RpcError as error:  # Lite 2.5 has no such call
            if error.code() == grpc.StatusCode.UNIMPLEMENTED:
                return True
            raise
    return False
