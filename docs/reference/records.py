"""Prints a file of records as lines of JSON: the head, each record and the end. docs/reference/records.md describes it."""
import json, sys

ERRORS = ["connect", "tls", "timeout", "closed", "protocol", "status", "body", "client"]

def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at

def records(data):
    at = planned = 0
    while at < len(data):
        flags = data[at]
        difference, at = number(data, at + 1)
        planned += difference >> 1 if difference & 1 == 0 else -(difference + 1 >> 1)
        record = {"planned_ns": planned, "reused": bool(flags & 1), "retried": bool(flags & 2), "changed": bool(flags & 4)}
        for name in ("latency_ns", "request", "body_bytes"):
            record[name], at = number(data, at)
        for bit, name in enumerate(("lag_ns", "sent_ns", "first_byte_ns", "status", "error"), 3):
            if flags & 1 << bit:
                record[name], at = number(data, at)
        if "error" in record:
            record["error"] = ERRORS[record["error"]]
        yield record

data = open(sys.argv[1], "rb").read()
magic = b"unladen.record/1\n"
assert data.startswith(magic), "no records"
at = len(magic)
while at < len(data):
    letter = data[at:at + 1]
    try:
        length, begin = number(data, at + 1)
        at = begin + length
        if letter == b"R":
            for record in records(data[begin:at]):
                print(json.dumps(record))
        elif at <= len(data):
            print(json.dumps(json.loads(data[begin:at])))
    except IndexError:
        break  # the load was killed while it wrote this
