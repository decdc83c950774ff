"""Records as the bytes of a file, in each format in which corpora are published."""

import csv
import io
import json
import zipfile

import pyarrow
from pyarrow import parquet


def json_lines(*records: dict) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def csv_file(*records: dict) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]))
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().encode()


def parquet_file(*records: dict) -> bytes:
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(list(records)), out)
    return out.getvalue()


def zip_file(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()
