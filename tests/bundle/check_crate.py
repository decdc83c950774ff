"""Validates an RO-Crate with roc-validator, without network: the context is that of `rocrate`.

Run in an environment that has both: check_crate.py FOLDER PROFILE. Each issue is a line.
"""

import io
import json
import sys
import urllib.response
from email.message import Message
from pathlib import Path

import rdflib._networking
import requests
import rocrate
from rocrate_validator import models, services

URL = "https://w3id.org/ro/crate/1.1/context"
CONTEXT = (Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_bytes()
TYPE = "application/ld+json"
assert json.loads(CONTEXT)["@id"] == URL, "another version of the context"


def opened(request, *args, **kwargs):
    """What rdflib is given of the one address."""
    url = request if isinstance(request, str) else request.full_url
    assert url == URL, url
    headers = Message()
    headers["Content-Type"] = TYPE
    return urllib.response.addinfourl(io.BytesIO(CONTEXT), headers, url, 200)


def send(self, request, **kwargs):
    """What the validator itself is given of it."""
    assert request.url == URL, request.url
    response = requests.Response()
    response.status_code, response.url, response.request = 200, URL, request
    response.headers["Content-Type"] = TYPE
    response.raw = io.BytesIO(CONTEXT)
    return response


rdflib._networking.urlopen = opened
requests.adapters.HTTPAdapter.send = send
folder, profile = sys.argv[1:]
found = services.validate(
    services.ValidationSettings(
        rocrate_uri=Path(folder),
        profile_identifier=profile,
        requirement_severity=models.Severity.REQUIRED,
        skip_availability_check=True,
        no_cache=True,
    )
)
for issue in found.get_issues():
    print(issue.check.identifier, issue.message, issue.violatingEntity)
