"""
The server side of form.html in Python 3.9 or later, without packages. An enquiry is on the disk before the visitor is thanked. It is sent
at once, and by cron every minute until the lead service has it:

    * * * * * LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries python3 enquiry.py send

The web process needs the same three variables: without them it answers 500 and stores nothing. OUTBOX must be outside the web root.

A run says what waits, what was refused, and which inputs match no field, and ends with 1. OUTBOX/refused/ has what needs a person, with the
reasons. Correct the enquiry in its file if needed, and send it again:

    LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries python3 enquiry.py again /var/enquiries/refused/….json

`take(post)` is all that a form's handler calls; `python3 enquiry.py serve 8000` shows it.
"""
import fcntl, hashlib, http.client, json, os, random, re, sys, time, uuid
import urllib.error, urllib.request
from pathlib import Path
from urllib.parse import parse_qsl

COUNTRY = "+91"  # your country's code, put before a number that begins with one 0
SOURCE = ""  # the source of this website's leads, such as "MBA site", unless the form has an input source; "" is Website

# What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked.
SENTENCES = {
    "name": "Please enter your name, in at most 200 characters.",
    "phone": f"Please check your phone number. Begin with the country code, such as {COUNTRY}.",
    "phone.required": "Please enter your phone number.",
}
UTM = {f"utm_{part}": f"utm{part.title()}" for part in ("source", "medium", "campaign", "term", "content")}
ATTRIBUTION = {"pageUrl": "pageUrl", "referrer": "referrer", **UTM}
RETRY = {0, 401, 403, 404, 408, 409, 429}  # and all from 500; 0 is no response
GIVE_UP_SECONDS = 23 * 3600  # the service knows an idempotency key for 24 hours


class Misuse(Exception):
    """Nothing was stored, moved or sent."""


def outbox(name=""):
    if not all(map(os.environ.get, ("LEADS_URL", "LEADS_API_KEY", "OUTBOX"))):
        raise Misuse("Set LEADS_URL, LEADS_API_KEY and OUTBOX, as in cron's line.")
    folder = Path(os.environ["OUTBOX"])
    (folder / "refused").mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder / name


def take(post):
    """Takes a post of form.html. Returns the sentences that the visitor must read; none: thank the visitor."""
    sent = {name: value for name, value in post.items() if value != ""}  # an empty input is no value
    if "leave_empty" in sent:  # no person sees that input: a robot
        return []
    view = sent.pop("view", "")
    enquiry = {name: sent.pop(name) for name in ("name", "phone", "email", "notes") if name in sent}
    enquiry["phone"] = re.sub(r"^\s*\(?0(?!0)", COUNTRY, enquiry.get("phone", ""))
    wrong = problems(enquiry)
    if wrong:
        return sentences(wrong)
    source = (sent.pop("source", "").strip() or SOURCE)[:60]  # the service refuses more
    if source:
        enquiry["source"] = source
    attribution = {ATTRIBUTION[name]: sent.pop(name) for name in ATTRIBUTION if name in sent}
    enquiry.update({name: values for name, values in (("attribution", attribution), ("fields", sent)) if values})
    text = json.dumps(enquiry, sort_keys=True)
    file = outbox(digest(view + text) + ".json")
    if not file.exists():  # a double click is the same file
        keep(file, text)
    status, why, reasons = send(file)
    if status in (401, 403):
        log_refusal(why)
    if "name" in reasons or "phone" in reasons:  # the visitor is told, and corrects it
        file.unlink(missing_ok=True)
    else:
        refuse(file, status, why)
    return sentences(reasons)


def problems(enquiry):
    """The reasons, by field, for which the visitor has to correct the enquiry; found without the service."""
    name, phone = enquiry.get("name", "").strip(), enquiry["phone"].strip()
    has_code = COUNTRY == "+91" or re.match(r"\D*(\+|00)", phone)  # without one, the service reads an Indian number
    is_phone = has_code and 6 <= len(phone) <= 32 and len(re.findall(r"\d", phone)) >= 6
    wrong = {} if name and len(name) <= 200 else {"name": "invalid"}
    return wrong if is_phone else {**wrong, "phone": "invalid" if phone else "required"}


def sentences(reasons):
    shown = [SENTENCES.get(f"{name}.{reason}", SENTENCES.get(name)) for name, reason in reasons.items()]
    return [sentence for sentence in shown if sentence]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def keep(file, text):
    """On the disk, whole, once this returns: written under another name, flushed, renamed."""
    part = file.with_name(f"{file.name}.{uuid.uuid4()}.part")
    with open(part, "x") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    part.rename(file)


def log_refusal(why):
    """Tells the web server's log, at most once a minute, that the service refuses the web process: cron may have another key."""
    with open(outbox("key-refused"), "a+") as said:
        fcntl.flock(said, fcntl.LOCK_EX)
        said.seek(0)
        if time.time() - float(said.read() or 0) < 60:
            return
        said.truncate(0)
        said.write(str(time.time()))
    line = f"The lead service refuses this website: {why}. Enquiries wait: correct LEADS_API_KEY of the web process, or LEADS_URL."
    print(line, file=sys.stderr, flush=True)


def capture(text, key):
    """Returns the status, 0 for no response, and the error."""
    headers = {
        "Authorization": f"Bearer {os.environ['LEADS_API_KEY']}",
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }
    url = os.environ["LEADS_URL"].rstrip("/") + "/api/v1/leads/capture"
    try:  # the service answers within ten seconds, whatever fails
        with urllib.request.urlopen(urllib.request.Request(url, text.encode(), headers), timeout=15) as response:
            return response.status, {}
    except urllib.error.HTTPError as error:
        try:
            body = json.loads(error.read())["error"]
            return error.code, body if isinstance(body, dict) else {}
        except (ValueError, LookupError, TypeError, OSError, http.client.HTTPException):
            return error.code, {}  # not the service's: a proxy's
    except (OSError, http.client.HTTPException):
        return 0, {}


def send(file):
    """Sends the enquiry in a file, which goes when the service has it. Returns the status, why the service has not got it, and the reasons
    of a refusal by field."""
    try:
        text, age = file.read_text(), time.time() - file.stat().st_mtime
    except FileNotFoundError:
        return 200, "", {}  # another run has sent it
    if age > GIVE_UP_SECONDS:
        return 410, "not delivered within 23 hours", {}
    status, error = capture(text, digest(file.name + text))  # this view, and this content
    if 200 <= status < 300:
        file.unlink(missing_ok=True)
        return status, "", {}
    details = error.get("details", {})
    reasons = details.get("reasons", {})
    new = {name: time.time() for name, reason in reasons.items() if reason in ("unknown_field", "not_accepted")}
    if new:
        keep(outbox("unmatched-inputs"), json.dumps(dict(sorted({**unmatched_inputs(), **new}.items(), key=lambda item: item[1])[-5:])))
    reduced = without(json.loads(text), details.get("fields", {})) if status == 422 else None
    if reduced:
        keep(file, json.dumps(reduced, sort_keys=True))
        return send(file)
    code = f"{status} {error.get('code', '')}" if status else "no response"
    return status, code + ",".join(f" {name}: {reason}" for name, reason in reasons.items()), reasons


def refuse(file, status, why):
    """Keeps an enquiry that would be refused again for a person, with the reason. One that can pass later stays where it is."""
    if status < 300 or status >= 500 or status in RETRY:
        return
    try:
        enquiry = json.loads(file.read_text())
    except FileNotFoundError:
        return  # another run was faster
    keep(outbox("refused") / file.name, json.dumps({"refused": why, "enquiry": enquiry}))
    file.unlink(missing_ok=True)


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


def refused_in(file):
    """The enquiry that a file of the folder refused keeps."""
    try:
        return dict(json.loads(file.read_text())["enquiry"])
    except (OSError, ValueError, LookupError, TypeError):
        raise Misuse(f"{file} has no refused enquiry in JSON: name a file of {outbox('refused')}.")


def send_all(again=()):
    """Sends what waits, after what the files of `again` keep. Returns lines about what still waits, what was refused, and which
    inputs match no field."""
    for file, enquiry in {file: refused_in(file) for file in map(Path, again)}.items():  # all are read before one is moved
        keep(outbox(file.name), json.dumps(enquiry, sort_keys=True))
        file.unlink()
    with open(outbox("lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return []  # the run of the minute before is still sending
        waits = ""  # why the last one did
        files = list(outbox().glob("*.json"))
        random.shuffle(files)  # one that never gets an answer ends a run, but does not always hold up the same others
        for file in files:
            status, why, _ = send(file)
            refuse(file, status, why)
            waits = why if why and file.exists() else waits
            if status in (429, 0):
                break  # the limit is reached, or the service is away: the next run goes on
        waiting, refused = outbox().glob("*.json") if waits else [], sorted(outbox("refused").glob("*.json"))
        why = refused and f"{json.loads(refused[0].read_text())['refused']}, see {refused[0]}"
        lines = (report(waiting, "waiting", waits), report(refused, "awaiting review", why))
        return [line for line in lines if line] + report_unmatched()


def report(files, state, why):
    """Such as "3 enquiries waiting since 15:14: 401 UNAUTHORIZED"; None if there are none."""
    times = [file.stat().st_mtime for file in files if file.exists()]
    if not times:
        return None
    what = "1 enquiry" if len(times) == 1 else f"{len(times)} enquiries"
    since = time.strftime("%H:%M" if time.time() - min(times) < 86400 else "%Y-%m-%d %H:%M", time.localtime(min(times)))
    return f"{what} {state} since {since}: {why}"


def unmatched_inputs():
    """The latest inputs of an hour that match no field: names, and when an enquiry had one."""
    file = outbox("unmatched-inputs")
    return {name: at for name, at in (json.loads(file.read_text()) if file.exists() else {}).items() if at > time.time() - 3600}


def report_unmatched():
    names = [re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", name) for name in unmatched_inputs()]  # a robot can post any name
    return [f"{name} is not a field that a form can fill: correct the form, or add the field." for name in names]


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
    try:
        sys.exit("\n".join(send_all(sys.argv[2:])) or 0)
    except Misuse as error:
        print(error, file=sys.stderr)
        sys.exit(2)
