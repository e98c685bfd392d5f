#!/bin/sh
# Sends the enquiries of a folder with curl and jq, a file each: FOLDER/*.json with a body for POST /api/v1/leads/capture. Run it every
# minute by cron, under flock, so that one run does not meet the next:
#
#   * * * * * LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… flock -n /tmp/enquiries sh send.sh /var/enquiries
#
# Write a file under another name, then rename it. Name it by a digest of the view of the form and of its content.
set -u
folder=$1
mkdir -p "$folder/refused"
answer=$(mktemp) && reduced=$(mktemp) && trap 'rm -f "$answer" "$reduced"' EXIT

# Prints the status; 000 for no response. The key is a digest of the file's name and of its content.
send() {
  key=$({ basename "$1"; cat "$1"; } | sha256sum | cut -d ' ' -f 1)
  # The API key is read from stdin, so that `ps` does not show it.
  printf 'header = "Authorization: Bearer %s"\n' "$LEADS_API_KEY" | curl -sS -K - --max-time 15 -o "$answer" -w '%{http_code}' \
    -H 'Content-Type: application/json' -H "Idempotency-Key: $key" --data-binary "@$1" "$LEADS_URL/api/v1/leads/capture"
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

for file in "$folder"/*.json; do
  [ -e "$file" ] || continue
  # The service knows an idempotency key for 24 hours.
  [ -z "$(find "$file" -mmin +1380)" ] || { mv "$file" "$folder/refused/" && echo "$file was not delivered within 23 hours" >&2 && continue; }
  status=$(send "$file")
  while [ "$status" = 422 ] && without_refused "$file" >"$reduced" && [ -s "$reduced" ]; do
    cp "$reduced" "$file.part" && sync "$file.part" && mv "$file.part" "$file"
    status=$(send "$file")
  done
  case $status in
    2*) rm "$file" ;;
    429) break ;; # the limit is reached: the next run goes on
    000 | 401 | 403 | 404 | 408 | 409 | 5*) ;; # the next run sends it again
    *) mv "$file" "$folder/refused/" && echo "$file was refused: $status" >&2 ;;
  esac
done
