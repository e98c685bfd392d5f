#!/bin/sh
# Sends the enquiries of a folder with curl and jq, a file each: FOLDER/*.json with a body for POST /api/v1/leads/capture. Run it every
# minute by cron, under flock, so that one run does not meet the next:
#
#   * * * * * LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… flock -n /var/enquiries sh send.sh /var/enquiries
#
# Write a file under another name, then rename it. Name it by a digest of the view of the form and of its content. A run says what waits,
# what was refused, and which inputs match no field, and ends with 1. FOLDER/refused/ has what needs a person, with the reasons. Correct the
# enquiry in its file if needed, and send it again: sh send.sh /var/enquiries again /var/enquiries/refused/….json
set -u
COUNTRY=+91 # your country's code, put before a number that begins with one 0
SOURCE='' # the source of this website's leads, such as 'MBA site', unless the file has a source; '' is Website
folder=$1
mkdir -p "$folder/refused"
answer=$(mktemp) && body=$(mktemp) && order=$(mktemp) && trap 'rm -f "$answer" "$body" "$order"' EXIT

# Prints the status; 000 for no response. The key is a digest of the file's name and of the body.
send() {
  jq -c --arg country "$COUNTRY" --arg source "$SOURCE" '(.phone | strings) |= sub("^\\s*\\(?0(?!0)"; $country) | .source //= ""
    | (.source | strings) |= (gsub("^\\s+|\\s+$"; "") | if . == "" then $source else . end | .[:60]) # the service refuses more
    | if .source == "" then del(.source) else . end' "$1" >"$body"
  key=$({ basename "$1"; cat "$body"; } | sha256sum | cut -d ' ' -f 1)
  # The API key is read from stdin, so that `ps` does not show it.
  printf 'header = "Authorization: Bearer %s"\n' "$LEADS_API_KEY" | curl -sS -K - --max-time 15 -o "$answer" -w '%{http_code}' \
    -H 'Content-Type: application/json' -H "Idempotency-Key: $key" --data-binary "@$body" "${LEADS_URL%/}/api/v1/leads/capture"
}

# The enquiry without the refused values, whose texts go to its notes; nothing if the name, the phone or what was not sent is refused.
without_refused() {
  jq -c --slurpfile answer "$answer" '
    . as $old | ($answer[0].error.details.fields // {} | keys) as $refused
    | reduce $refused[] as $name ({enquiry: ., lines: []};
        ($name | split(".")[0]) as $top
        | if (.enquiry.fields // {}) | has($name) then .lines += ["\($name): \(.enquiry.fields[$name])"] | del(.enquiry.fields[$name])
          elif $name != "notes" and (.enquiry | has($top)) then .lines += ["\($name): \(.enquiry[$top])"] | del(.enquiry[$top])
          else . end)
    | select(any($refused[]; . == "name" or . == "phone") | not)
    | select((.lines | length) > 0 or any($refused[]; . == "notes"))
    | (.lines | map(.[:500]) | join("\n") | if . == "" then . else "\n\n" + . end) as $tail
    | .enquiry | if .fields == {} then del(.fields) else . end
    | .notes = ((($old.notes // "") | .[:5000 - ($tail | length)]) + $tail | sub("^\\s+"; ""))' "$1"
}

# Keeps the latest inputs that match no field: names, and when an enquiry had one.
note_unmatched() {
  touch "$folder/unmatched-inputs"
  jq -c --slurpfile known "$folder/unmatched-inputs" '[.error.details.reasons // {} | to_entries[]
    | select(.value == "unknown_field" or .value == "not_accepted") | {key, value: now}] as $new | select($new != [])
    | ($known[0] // {}) + ($new | from_entries) | to_entries | sort_by(-.value) | .[:5] | from_entries' "$answer" >"$body"
  [ ! -s "$body" ] || keep "$folder/unmatched-inputs" <"$body"
}

# Puts a text into a file, whole: written under another name, flushed, renamed.
keep() { cat >"$1.part" && sync "$1.part" && mv "$1.part" "$1"; }

# The status, the code and the reasons by field.
why() {
  echo "$status $(jq -r '[.error.code, (.error.details.reasons // {} | to_entries[] | "\(.key): \(.value)")] | join(" ")' "$answer" 2>/dev/null)"
}

# Keeps an enquiry that would be refused again for a person, with the reason.
refuse() {
  jq -c --arg refused "$2" '{refused: $refused, enquiry: .}' "$1" >"$body" || { mv "$1" "$folder/refused/" && return; } # not JSON
  keep "$folder/refused/$(basename "$1")" <"$body" && rm "$1"
}

# Says how many files there are, since when, and why: report STATE WHY FILE…
report() {
  state=$1 why=$2 && shift 2
  [ $# = 1 ] && what='1 enquiry' || what="$# enquiries"
  [ ! -e "$1" ] || echo "$what $state since $(date -r "$(ls -tr "$@" | head -n 1)" '+%F %R'): $why" >&2
  [ ! -e "$1" ] || result=1
}

if [ "${2-}" = again ]; then
  shift 2
  for file; do # all are read before one is moved
    jq -es '.[0].enquiry' "$file" >/dev/null || { echo "$file has no refused enquiry in JSON: name a file of $folder/refused." >&2 && exit 2; }
  done
  for file; do jq -c .enquiry "$file" >"$body" && keep "$folder/$(basename "$file")" <"$body" && rm "$file"; done
fi
waits=
# In random order: an enquiry that never gets an answer ends a run, but does not always hold up the same others.
find "$folder" -maxdepth 1 -name '*.json' | sort -R >"$order"
while IFS= read -r file; do
  # The service knows an idempotency key for 24 hours.
  [ -z "$(find "$file" -mmin +1380)" ] || { refuse "$file" 'not delivered within 23 hours' && continue; }
  status=$(send "$file")
  while [ "$status" = 422 ] && note_unmatched && without_refused "$file" >"$body" && [ -s "$body" ]; do
    keep "$file" <"$body"
    status=$(send "$file")
  done
  case $status in
    2*) rm "$file" ;;
    000) waits='no response' && break ;; # the service is away: the next run goes on
    401 | 403 | 404 | 408 | 409 | 5*) waits=$(why) ;;
    429) waits=$(why) && break ;; # the limit is reached: the next run goes on
    *) refuse "$file" "$(why)" ;;
  esac
done <"$order"
result=0
[ -z "$waits" ] || report waiting "$waits" "$folder"/*.json
set -- "$folder"/refused/*.json
report 'awaiting review' "$([ ! -e "$1" ] || jq -r .refused "$1"), see $1" "$@"
if [ -s "$folder/unmatched-inputs" ]; then
  jq -r 'to_entries[] | select(.value > now - 3600) | .key | gsub("[[:cntrl:]]"; " ") # anything can be in a file
    | "\(.) is not a field that a form can fill: correct the form, or add the field."' "$folder/unmatched-inputs" >"$body"
  cat "$body" >&2
  [ ! -s "$body" ] || result=1
fi
exit $result
