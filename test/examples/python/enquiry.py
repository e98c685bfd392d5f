"""
A website's enquiries in Python 3.9 or later, without packages. An enquiry is on the disk before the visitor is thanked. It is sent at
once, and by cron every minute until the lead service has it:

    * * * * * LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries python3 enquiry.py send

`take(post)` is all that a form's handler calls; `python3 enquiry.py serve 8000` shows it.
"""
import contextlib, fcntl, hashlib, http.client, json, os, sys, time, uuid
import urllib.error, urllib.request
from pathlib import Path
from urllib.parse import parse_qsl

OUTBOX = Path(os.environ.get("OUTBOX", "./outbox"))
REFUSED = OUTBOX / "refused"
REFUSED.mkdir(parents=True, exist_ok=True, mode=0o700)

# What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked.
SENTENCES = {
    "name": "Please enter your name, in at most 200 characters.",
    "phone": "Please check your phone number. Begin with the country code, such as +91.",
    "phone.required": "Please enter your phone number.",
}
RETRY = {0, 401, 403, 404, 408, 409}  # and 429, and all from 500; 0 is no response
GIVE_UP_SECONDS = 23 * 3600  # the service knows an idempotency key for 24 hours


def take(post):
    """Takes a form's post: view (a random ID, new for each display of the form), name, phone, email, notes, and own fields.
    Returns the sentences that the visitor must read; none: thank the visitor."""
    known = ("name", "phone", "email", "notes")
    sent = {name: value for name, value in post.items() if value != ""}  # an empty input is no value
    enquiry = {name: sent[name] for name in known if name in sent}
    fields = {name: value for name, value in sent.items() if name not in known and name != "view"}
    if fields:
        enquiry["fields"] = fields
    text = json.dumps(enquiry, sort_keys=True)
    file = OUTBOX / (digest(sent.get("view", "") + text) + ".json")
    if not file.exists():  # a double click is the same file
        keep(file, text)
    refused = send(file) or {}
    shown = [SENTENCES.get(f"{name}.{reason}", SENTENCES.get(name)) for name, reason in refused.items()]
    return [sentence for sentence in shown if sentence]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def keep(file, text):
    """On the disk, whole, once this returns: written under another name, flushed, renamed."""
    part = OUTBOX / f"{file.name}.{uuid.uuid4()}.part"
    with open(part, "x") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    part.rename(file)


def capture(text, key):
    """Returns the status, 0 for no response, and the answer."""
    headers = {
        "Authorization": f"Bearer {os.environ['LEADS_API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }
    url = os.environ["LEADS_URL"] + "/api/v1/leads/capture"
    try:  # the service answers within ten seconds, whatever fails
        with urllib.request.urlopen(urllib.request.Request(url, text.encode(), headers), timeout=15) as response:
            return response.status, {}
    except urllib.error.HTTPError as error:
        try:
            return error.code, json.loads(error.read())
        except (ValueError, OSError, http.client.HTTPException):
            return error.code, {}
    except (OSError, http.client.HTTPException):
        return 0, {}


def send(file):
    """Sends the enquiry in a file. The file goes when the service has it, and to refused/ when a person has to look at it.
    Returns None if it waits, False if all others wait too, as the limit is reached; else the reasons of the refusal by field: none if
    the service has it."""
    try:
        text, age = file.read_text(), time.time() - file.stat().st_mtime
    except FileNotFoundError:
        return {}  # another run has sent it
    if age > GIVE_UP_SECONDS:
        return refuse(file, "it was not delivered within 23 hours")
    status, answer = capture(text, digest(file.name + text))  # this view, and this content
    if 200 <= status < 300:
        file.unlink(missing_ok=True)
        return {}
    if status == 429:
        return False
    if status in RETRY or status >= 500:
        return None
    details = answer.get("error", {}).get("details", {})
    reduced = without(json.loads(text), details.get("fields", {})) if status == 422 else None
    if reduced:
        keep(file, json.dumps(reduced, sort_keys=True))
        return send(file)
    return {**refuse(file, f"{status} {answer.get('error', {}).get('code')}"), **details.get("reasons", {})}


def refuse(file, why):
    print(f"Enquiry {file.name} needs a person: {why}", file=sys.stderr)
    with contextlib.suppress(FileNotFoundError):
        file.rename(REFUSED / file.name)
    return {}


def without(enquiry, refused):
    """The enquiry without the refused values, whose texts go to its notes. None if the name, the phone or what was not sent is refused."""
    if "name" in refused or "phone" in refused:
        return None
    lines, fields = [], enquiry.get("fields", {})
    for name in refused:
        values, key = (fields, name) if name in fields else (enquiry, name.split(".")[0])
        if name != "notes" and key in values:
            value = values.pop(key)
            lines.append(f"{name}: {value if isinstance(value, str) else json.dumps(value)}"[:500])
    if not lines and "notes" not in refused:
        return None
    if not fields:
        enquiry.pop("fields", None)
    tail = "\n\n" + "\n".join(lines) if lines else ""
    notes = enquiry.get("notes", "").replace("\0", "")[: 5000 - len(tail)]
    enquiry["notes"] = (notes + tail).lstrip()
    return enquiry


def send_all():
    with open(OUTBOX / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # the run of the minute before is still sending
        for file in sorted(OUTBOX.glob("*.json")):
            if send(file) is False:
                return


def application(environ, start_response):
    """The form's handler, as WSGI: for gunicorn, uWSGI or mod_wsgi."""
    if environ["REQUEST_METHOD"] != "POST":
        start_response("405 Method Not Allowed", [])
        return []
    body = environ["wsgi.input"].read(min(int(environ.get("CONTENT_LENGTH") or 0), 90_000))
    shown = take(dict(parse_qsl(body.decode(errors="replace"))))
    start_response("422 Unprocessable" if shown else "200 OK", [("Content-Type", "text/plain; charset=utf-8")])
    return ["\n".join(shown or ["Thank you. We will call you."]).encode()]


if __name__ == "__main__" and sys.argv[1:2] == ["serve"]:
    from wsgiref.simple_server import make_server

    make_server("127.0.0.1", int(sys.argv[2]), application).serve_forever()
elif __name__ == "__main__":
    send_all()
