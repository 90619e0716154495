"""Who works on a document: a lease in the store that its holder renews, so that one that died is known on any machine.

A lease is taken by an update that no other can come between (a lock on a folder, a conditional write on S3). Clocks of
machines that share a store may differ by less than `LEASE_S`.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from kb_pipeline.errors import StorageUnavailable
from kb_pipeline.records import Record, encode
from kb_pipeline.storage.damaged import undamaged
from kb_pipeline.storage.objects import ObjectStore
from kb_pipeline.storage.process import process_lives

LEASE_S = 60.0  # seconds after its last renewal for which a lease holds
RENEWED_S = 15.0  # seconds between renewals
TOLD_S = 2.0  # seconds of waiting from which the log tells of it
PAUSE_S = 0.2  # seconds between two looks at a lease that another one holds

log = logging.getLogger(__name__)


class Lease(Record, frozen=True):
    """`holder`: of one piece of work; `until`: seconds since 1970; `who`: host and process, for people."""

    holder: str
    until: float
    who: str


def is_leased(objects: ObjectStore, document: str) -> bool:
    """Whether somebody works on a document now."""
    lease = undamaged(objects.read(_name(document)), Lease, document)
    return lease is not None and _holds(lease)


@contextmanager
def leased(objects: ObjectStore, document: str, who: str, stopped: threading.Event) -> Iterator[bool]:
    """Hold a document's lease inside the block; waits while another one holds it.

    Yields whether it had to wait, so that what was read before may be of old. Where `stopped` is set while it waits, it
    goes on without the lease.
    """
    holder, waited, start = uuid.uuid4().hex, False, time.monotonic()
    while not _taken(objects, document, holder, who) and not stopped.is_set():
        if not waited and time.monotonic() - start >= TOLD_S:
            log.info("%s: somebody else works on it; waiting", document)
            waited = True
        stopped.wait(PAUSE_S)
        waited = waited or time.monotonic() - start >= PAUSE_S
    ended = threading.Event()
    renewing = threading.Thread(target=_renew, args=(objects, document, holder, who, ended), daemon=True)
    renewing.start()
    try:
        yield waited
    finally:
        ended.set()
        renewing.join()
        try:
            objects.update(_name(document), lambda data: _given_back(data, holder))
        except StorageUnavailable as error:  # it ends by itself
            log.warning("%s: its lease was not given back: %s", document, error)


def _holds(lease: Lease) -> bool:
    """Whether a lease was renewed lately; one of a process of this machine that is gone holds no more."""
    return lease.until > time.time() and process_lives(lease.who)


def _renew(objects: ObjectStore, document: str, holder: str, who: str, ended: threading.Event) -> None:
    while not ended.wait(RENEWED_S):
        try:
            _taken(objects, document, holder, who)
        except Exception as error:  # the edge of a thread: the work goes on, and the next renewal may succeed
            log.warning("%s: its lease was not renewed: %s", document, error)


def _taken(objects: ObjectStore, document: str, holder: str, who: str) -> bool:
    taken = False

    def take(data: bytes | None) -> bytes | None:
        nonlocal taken
        lease = undamaged(data, Lease, document)
        taken = lease is None or lease.holder == holder or not _holds(lease)
        return encode(Lease(holder, time.time() + LEASE_S, who)) if taken else None

    objects.update(_name(document), take)
    return taken


def _given_back(data: bytes | None, holder: str) -> bytes | None:
    lease = undamaged(data, Lease, "lease")
    return encode(Lease(holder, 0.0, lease.who)) if lease and lease.holder == holder else None


def _name(document: str) -> str:
    return f"documents/{document}/lease.json"
