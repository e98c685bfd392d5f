<?php
/**
 * A website's enquiry form in plain PHP (8.1 or later, with curl and mbstring). An enquiry is on the disk before the visitor is thanked. It is sent at
 * once, and by cron every minute until the lead service has it:
 *
 *   * * * * * LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries php enquiry.php send
 *
 * The form posts view (a random ID, new for each display of the form), name, phone, email, notes, and the organization's own fields.
 */

/** What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked. */
const SENTENCES = [
    'name' => 'Please enter your name, in at most 200 characters.',
    'phone' => 'Please check your phone number. Begin with the country code, such as +91.',
    'phone.required' => 'Please enter your phone number.',
];
const RETRY = [0, 401, 403, 404, 408, 409]; // and 429, and all from 500: 0 is no response
const GIVE_UP_SECONDS = 23 * 3600; // the service knows an idempotency key for 24 hours

function outbox(string $name = ''): string
{
    $folder = getenv('OUTBOX') ?: './outbox';
    is_dir("$folder/refused") || @mkdir("$folder/refused", 0700, true);
    return "$folder/$name";
}

/** On the disk, whole, once this returns: written under another name, flushed, renamed. */
function keep(string $file, array $enquiry): void
{
    $part = $file . '.' . bin2hex(random_bytes(8)) . '.part';
    $handle = fopen($part, 'x');
    $text = json_encode($enquiry, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
    if (fwrite($handle, $text) !== strlen($text) || !fsync($handle) || !rename($part, $file)) {
        throw new RuntimeException("$file cannot be written.");
    }
}

/** @return array{int, array} the status, 0 for no response, and the answer */
function capture(string $text, string $key): array
{
    $curl = curl_init(getenv('LEADS_URL') . '/api/v1/leads/capture');
    curl_setopt_array($curl, [
        CURLOPT_POSTFIELDS => $text,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 15, // the service answers within ten, whatever fails
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . getenv('LEADS_API_KEY'),
            'Content-Type: application/json',
            "Idempotency-Key: $key",
        ],
    ]);
    $answer = curl_exec($curl);
    $status = is_string($answer) ? curl_getinfo($curl, CURLINFO_RESPONSE_CODE) : 0;
    return [$status, json_decode((string) $answer, true) ?: []];
}

/**
 * Sends the enquiry in a file. The file goes when the service has it, and to refused/ when a person has to look at it.
 * @return array|false|null null: it waits; false: so do all others, as the limit is reached; else the reasons of the refusal by field,
 * none if the service has it
 */
function send(string $file): array|false|null
{
    $text = @file_get_contents($file);
    if ($text === false) return []; // another run has sent it
    if (time() - filemtime($file) > GIVE_UP_SECONDS) return refuse($file, 'it was not delivered within 23 hours');
    [$status, $answer] = capture($text, hash('sha256', basename($file) . $text)); // this view, and this content
    if ($status >= 200 && $status < 300) {
        @unlink($file);
        return [];
    }
    if ($status === 429) return false;
    if ($status >= 500 || in_array($status, RETRY, true)) return null;
    $details = $answer['error']['details'] ?? [];
    $reduced = $status === 422 ? without(json_decode($text, true), array_keys($details['fields'] ?? [])) : null;
    if ($reduced !== null) {
        keep($file, $reduced);
        return send($file);
    }
    return refuse($file, "$status " . ($answer['error']['code'] ?? '')) + ($details['reasons'] ?? []);
}

function refuse(string $file, string $why): array
{
    error_log("Enquiry $file needs a person: $why");
    @rename($file, outbox('refused/' . basename($file)));
    return [];
}

/** The enquiry without the refused values, whose texts go to its notes. Null if the name, the phone or what was not sent is refused. */
function without(array $enquiry, array $refused): ?array
{
    if (array_intersect(['name', 'phone'], $refused)) return null;
    $textOf = fn ($value) => is_string($value) ? $value : json_encode($value); // an input called notes[] is an array
    $lines = [];
    foreach ($refused as $name) {
        $top = explode('.', $name)[0]; // attribution.utmTerm
        if ($name === 'notes' || (!isset($enquiry['fields'][$name]) && !isset($enquiry[$top]))) continue;
        $value = $enquiry['fields'][$name] ?? $enquiry[$top];
        $lines[] = "$name: " . mb_substr($textOf($value), 0, 500);
        if (isset($enquiry['fields'][$name])) unset($enquiry['fields'][$name]);
        else unset($enquiry[$top]);
    }
    $notes = $textOf($enquiry['notes'] ?? '');
    if (!$lines && !in_array('notes', $refused, true)) return null;
    $tail = $lines ? "\n\n" . implode("\n", $lines) : '';
    $enquiry['notes'] = ltrim(mb_substr(str_replace("\0", '', $notes), 0, 5000 - mb_strlen($tail)) . $tail);
    if (empty($enquiry['fields'])) unset($enquiry['fields']); // an empty PHP array would be sent as []
    return $enquiry;
}

if (PHP_SAPI === 'cli') {
    $lock = fopen(outbox('lock'), 'c');
    if (!flock($lock, LOCK_EX | LOCK_NB)) exit(0); // the run of the minute before is still sending
    foreach (glob(outbox('*.json')) as $file) {
        if (send($file) === false) break;
    }
    exit(0);
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    exit;
}
$sent = array_filter($_POST, fn ($value) => $value !== ''); // an empty input is no value
$known = ['name' => '', 'phone' => '', 'email' => '', 'notes' => ''];
$enquiry = array_intersect_key($sent, $known);
$fields = array_diff_key($sent, $known, ['view' => '']);
if ($fields) $enquiry['fields'] = $fields;
ksort($enquiry);
$text = json_encode($enquiry, JSON_INVALID_UTF8_SUBSTITUTE);
$file = outbox(hash('sha256', ($sent['view'] ?? '') . $text) . '.json');
if (!file_exists($file)) keep($file, $enquiry); // a double click is the same file

$shown = [];
foreach (send($file) ?: [] as $field => $reason) {
    $shown[] = SENTENCES["$field.$reason"] ?? SENTENCES[$field] ?? null;
}
http_response_code(array_filter($shown) ? 422 : 200);
header('Content-Type: text/plain; charset=utf-8');
echo implode("\n", array_filter($shown)) ?: 'Thank you. We will call you.';
