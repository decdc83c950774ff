"""Whether addresses answer, asked cheaply and side by side."""

import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit

SECONDS = 5.0
AT_ONCE = 8


def silent(addresses: Iterable[str]) -> dict[str, str]:
    """The addresses that do not give what they should, and why; nothing is downloaded."""
    asked = list(dict.fromkeys(addresses))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reasons = dict(zip(asked, pool.map(_reason, asked), strict=True))
    return {address: reason for address, reason in reasons.items() if reason}


def hosts(addresses: Iterable[str]) -> str:
    """The hosts of addresses, for a sentence."""
    return ", ".join(dict.fromkeys(urlsplit(address).netloc for address in addresses))


def _reason(address: str) -> str:
    try:
        request = urllib.request.Request(address, method="HEAD")
        with urllib.request.urlopen(request, timeout=SECONDS):
            return ""
    except HTTPError as error:
        return f"HTTP status {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        return str(getattr(error, "reason", None) or error)
