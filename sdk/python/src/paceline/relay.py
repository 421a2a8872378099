"""Asks the target through the host's relay, for evaluators.

The relay stands on the loopback and ends with the evaluation. It adds credentials, routing headers and the pinned
parameters, and records every request and answer; no key of the target reaches the plugin.
"""

from __future__ import annotations

import json
from typing import Any

from .contract import Target
from .errors import Code, Error

MAX_ANSWER = 64 << 20
"""The most bytes of an answer."""


class Relay:
    """The relay of one step of an evaluation; target is the request's."""

    def __init__(self, target: Target, *, timeout: float = 60.0) -> None:
        if not target.url:
            raise Error(Code.FAILED_PRECONDITION, "the host gives no relay to the target: is the capability target granted?")
        if not target.url.startswith(("http://", "https://")):
            raise Error(Code.INVALID_ARGUMENT, f"the relay's address is no http address: {target.url}")
        self._target = target
        self._timeout = timeout

    def chat(self, messages: list[dict[str, Any]], **params: Any) -> dict[str, Any]:
        """The answer to one chat request, whole: the JSON object of a completion. Raises Error.

        params, e.g. max_tokens, stand above the target's, and below what the host pins.
        """
        import http.client  # here, since most plugins ask nothing and start quicker without
        import urllib.error
        import urllib.request

        class NoRedirect(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_: Any) -> None:
                return None

        body = _object(self._target.params, "the target's parameters")
        body |= {"model": self._target.model, "messages": messages, "stream": False, **params}
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect)
        try:
            request = urllib.request.Request(
                self._target.url.rstrip("/") + "/chat/completions",
                data=json.dumps(body).encode(),
                headers={"Content-Type": "application/json", "Authorization": f"Bearer {self._target.token}"},
            )
            with opener.open(request, timeout=self._timeout) as answer:
                raw = answer.read(MAX_ANSWER + 1)
        except urllib.error.HTTPError as e:
            raise Error(Code.UNAVAILABLE, f"the target answered with status {e.code}") from None
        except (OSError, ValueError, http.client.HTTPException) as e:
            raise Error(Code.UNAVAILABLE, f"ask the target: {e}") from None
        if len(raw) > MAX_ANSWER:
            raise Error(Code.RESOURCE_EXHAUSTED, f"the target's answer has more than {MAX_ANSWER} bytes")
        return _object(raw, "the target's answer")

    def text(self, messages: list[dict[str, Any]], **params: Any) -> str:
        """The text of the answer to one chat request; empty where it has none. Raises Error."""
        try:
            content = self.chat(messages, **params)["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise Error(Code.UNAVAILABLE, "the target's answer is no chat completion") from None
        return content if isinstance(content, str) else ""


def _object(raw: bytes, what: str) -> dict[str, Any]:
    try:
        made = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        made = None
    if not isinstance(made, dict):
        raise Error(Code.UNAVAILABLE, f"{what}: no JSON object")
    return made
