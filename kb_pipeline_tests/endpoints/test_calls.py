"""Attempts after passing faults."""

from __future__ import annotations

import time

from kb_pipeline.endpoints import calls


def test_a_long_pause_before_another_attempt_is_logged(monkeypatch, caplog):
    monkeypatch.setattr("kb_pipeline.waiting.TELL_S", 0.1)
    monkeypatch.setattr(calls, "_wait", lambda error, number: 0.3)
    endpoint = calls.Endpoint("llm", "http://127.0.0.1:1/v1", "", 1.0, 9.0, 1)
    answers = iter([calls.Unreadable("<html>bad gateway</html>"), "answer"])

    def attempt():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert calls.retried(endpoint, attempt, time.monotonic() + 9) == "answer"
    assert "another attempt" in caplog.text and "bad gateway" in caplog.text
