"""Credentials in addresses: needed where an address is read, taken out wherever it is shown, named or compared."""

from __future__ import annotations

import re

HIDDEN = "***"

_USER_INFO = re.compile(r"(?<=://)[^/?#\s'\"]*@")
# values of a query that are credentials whatever the service is: AWS, Google and Azure signatures, common tokens
_PARAMETERS = (
    "access_token|api_?key|auth|client_secret|passw(?:or)?d|pwd|secret|token|sig|signature|"
    "x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|googleaccessid"
)
_PARAMETER = re.compile(rf"([?&;](?:{_PARAMETERS})=)[^&;#\s'\"<>)]+", re.IGNORECASE)


def hide_credentials(text: str) -> str:
    """A text without the user and password of any address in it, and with the credentials of its query as `***`."""
    if "://" not in text:
        return text
    return _PARAMETER.sub(rf"\g<1>{HIDDEN}", _USER_INFO.sub("", text))


def holds_credentials(text: str) -> bool:
    """Whether an address in that text holds credentials."""
    return hide_credentials(text) != text
