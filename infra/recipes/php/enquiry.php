<?php
/**
 * The server side of form.html in plain PHP (8.1 or later, with curl and mbstring). An enquiry is on the disk before the visitor is thanked. It is
 * sent at once, and by cron every minute until the lead service has it:
 *
 *   * * * * * LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries php enquiry.php send
 *
 * The web process needs the same three variables (PHP-FPM: env[OUTBOX] = /var/enquiries in the pool). Without them it answers 500 and stores
 * nothing. OUTBOX must be outside the web root.
 *
 * A run says what waits, what was refused, and which inputs match no field, and ends with 1. OUTBOX/refused/ has what needs a person, with the reasons. Correct the enquiry in its
 * file if needed, and send it again:
 *
 *   LEADS_URL=https://leads.example.com LEADS_API_KEY=leads_live_… OUTBOX=/var/enquiries php enquiry.php again /var/enquiries/refused/….json
 */

const COUNTRY = '+91'; // your country's code, put before a number that begins with one 0
const SOURCE = ''; // the source of this website's leads, such as 'MBA site', unless the form has an input source; '' is Website
/** What a visitor may read, by field and reason. Everything else is the website's matter, so the visitor is thanked. */
const SENTENCES = [
    'name' => 'Please enter your name, in at most 200 characters.',
    'phone' => 'Please check your phone number. Begin with the country code, such as ' . COUNTRY . '.',
    'phone.required' => 'Please enter your phone number.',
];
const THANKS = 'Thank you. We will call you.';
const ATTRIBUTION = [
    'pageUrl' => 'pageUrl', 'referrer' => 'referrer', 'utm_source' => 'utmSource', 'utm_medium' => 'utmMedium',
    'utm_campaign' => 'utmCampaign', 'utm_term' => 'utmTerm', 'utm_content' => 'utmContent',
];
const RETRY = [0, 401, 403, 404, 408, 409, 429]; // and all from 500: 0 is no response
const GIVE_UP_SECONDS = 23 * 3600; // the service knows an idempotency key for 24 hours

function outbox(string $name = ''): string
{
    $folder = getenv('OUTBOX');
    is_dir("$folder/refused") || @mkdir("$folder/refused", 0700, true);
    return "$folder/$name";
}

/** On the disk, whole, once this returns: written under another name, flushed, renamed. */
function keep(string $file, array $enquiry): void
{
    $part = $file . '.' . bin2hex(random_bytes(8)) . '.part';
    $handle = @fopen($part, 'x');
    $text = json_encode($enquiry, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
    if (!$handle || fwrite($handle, $text) !== strlen($text) || !fsync($handle) || !rename($part, $file)) {
        throw new RuntimeException("$file cannot be written.");
    }
}

/** Tells the log of the web server, at most once a minute, that the service refuses the web process: cron may have another key. */
function log_refusal(string $why): void
{
    $said = fopen(outbox('key-refused'), 'c+');
    if (!flock($said, LOCK_EX) || time() - (int) fgets($said) < 60) return;
    rewind($said);
    fwrite($said, (string) time());
    error_log("The lead service refuses this website: $why. Enquiries wait: correct LEADS_API_KEY of the web process, or LEADS_URL.");
}

/** @return array{int, array} the status, 0 for no response, and the error */
function capture(string $text, string $key): array
{
    $curl = curl_init(rtrim(getenv('LEADS_URL'), '/') . '/api/v1/leads/capture');
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
    $error = json_decode((string) $answer, true)['error'] ?? [];
    return [$status, is_array($error) ? $error : []]; // a proxy's error is another
}

/**
 * Sends the enquiry in a file, which goes when the service has it.
 * @return array{int, string, array} the status, why the service has not got it, and the reasons of a refusal by field
 */
function send(string $file): array
{
    $text = @file_get_contents($file);
    if ($text === false) return [200, '', []]; // another run has sent it
    if (time() - filemtime($file) > GIVE_UP_SECONDS) return [410, 'not delivered within 23 hours', []];
    [$status, $error] = capture($text, hash('sha256', basename($file) . $text)); // this view, and this content
    if ($status >= 200 && $status < 300) {
        @unlink($file);
        return [$status, '', []];
    }
    $details = $error['details'] ?? [];
    $unmatched = array_intersect($details['reasons'] ?? [], ['unknown_field', 'not_accepted']);
    $latest = array_fill_keys(array_keys($unmatched), time()) + unmatched_inputs();
    if ($unmatched) keep(outbox('unmatched-inputs'), array_slice($latest, 0, 5, true));
    $reduced = $status === 422 ? without(json_decode($text, true), array_keys($details['fields'] ?? [])) : null;
    if ($reduced !== null) {
        keep($file, $reduced);
        return send($file);
    }
    $reasons = $details['reasons'] ?? [];
    $named = array_map(fn ($field, $reason) => " $field: $reason", array_keys($reasons), $reasons);
    return [$status, ($status ? "$status " . ($error['code'] ?? '') : 'no response') . implode(',', $named), $reasons];
}

/** Keeps an enquiry that would be refused again for a person, with the reason. One that can pass later stays where it is. */
function refuse(string $file, int $status, string $why): void
{
    if ($status < 300 || $status >= 500 || in_array($status, RETRY, true)) return;
    $enquiry = json_decode((string) @file_get_contents($file), true);
    if ($enquiry === null) return; // another run was faster
    keep(outbox('refused/' . basename($file)), ['refused' => $why, 'enquiry' => $enquiry]);
    @unlink($file);
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

/** The enquiry that a file of the folder refused keeps. */
function refusedIn(string $file): array
{
    $enquiry = json_decode((string) @file_get_contents($file), true)['enquiry'] ?? null;
    return is_array($enquiry) ? $enquiry : misused("$file has no refused enquiry in JSON: name a file of " . outbox('refused') . '.');
}

function misused(string $why): never
{
    PHP_SAPI === 'cli' ? fwrite(STDERR, "$why\n") : error_log($why);
    http_response_code(500); // form.html asks the visitor to try again
    exit(2);
}

/** Prints such as "3 enquiries waiting since 15:14: 401 UNAUTHORIZED", if there are any. @return int cron's status */
function report(array $files, string $state, string $why): int
{
    if (!$files) return 0;
    $since = min(array_map(fn ($file) => @filemtime($file) ?: time(), $files)); // the visitor's own attempt may end just now
    $what = count($files) === 1 ? '1 enquiry' : count($files) . ' enquiries';
    fwrite(STDERR, "$what $state since " . date(time() - $since < 86400 ? 'H:i' : 'Y-m-d H:i', $since) . ": $why\n");
    return 1;
}

/** @return array the latest inputs of an hour that match no field: names, and when an enquiry had one */
function unmatched_inputs(): array
{
    $all = json_decode((string) @file_get_contents(outbox('unmatched-inputs')), true) ?: [];
    return array_filter($all, fn ($at) => $at > time() - 3600);
}

/** Prints a line for each of them. @return int cron's status */
function report_unmatched(): int
{
    foreach (unmatched_inputs() as $name => $at) {
        $name = preg_replace('/\p{C}/u', ' ', $name); // a robot can post any name
        fwrite(STDERR, "$name is not a field that a form can fill: correct the form, or add the field.\n");
    }
    return unmatched_inputs() ? 1 : 0;
}

$lacking = array_filter(['curl', 'mbstring'], fn ($name) => !extension_loaded($name));
if ($lacking) misused('PHP lacks the extension ' . implode(', ', $lacking) . ': install and enable it.');
if (!getenv('LEADS_URL') || !getenv('LEADS_API_KEY') || !getenv('OUTBOX')) misused("Set LEADS_URL, LEADS_API_KEY and OUTBOX, as in cron's line.");
if (!is_writable(outbox('refused'))) misused(outbox('refused') . ' cannot be written: let this user create and write OUTBOX.');
if (PHP_SAPI === 'cli') {
    $again = ($argv[1] ?? '') === 'again' ? array_slice($argv, 2) : [];
    foreach (array_combine($again, array_map(refusedIn(...), $again)) as $file => $enquiry) { // all are read before one is moved
        keep(outbox(basename($file)), $enquiry);
        unlink($file);
    }
    $lock = fopen(outbox('lock'), 'c');
    if (!flock($lock, LOCK_EX | LOCK_NB)) exit(0); // the run of the minute before is still sending
    $waits = ''; // why the last one did
    $files = glob(outbox('*.json'));
    shuffle($files); // one that never gets an answer ends a run, but does not always hold up the same others
    foreach ($files as $file) {
        [$status, $why] = send($file);
        refuse($file, $status, $why);
        if ($why && file_exists($file)) $waits = $why;
        if ($status === 429 || $status === 0) break; // the limit is reached, or the service is away: the next run goes on
    }
    $refused = glob(outbox('refused/*.json'));
    $why = $refused ? json_decode(file_get_contents($refused[0]), true)['refused'] . ", see $refused[0]" : '';
    exit(report($waits ? glob(outbox('*.json')) : [], 'waiting', $waits) | report($refused, 'awaiting review', $why) | report_unmatched());
}

/** @return array the reasons, by field, for which the visitor has to correct the enquiry; found without the service */
function problems(array $enquiry): array
{
    $text = array_map(fn ($value) => is_string($value) ? trim($value) : '', $enquiry + ['name' => '', 'phone' => '']);
    $isNamed = $text['name'] !== '' && mb_strlen($text['name']) <= 200;
    $hasCode = COUNTRY === '+91' || preg_match('/^\D*(\+|00)/', $text['phone']); // without one, the service reads an Indian number
    $isPhone = $hasCode && preg_match('/^(?=(\P{Nd}*\p{Nd}){6}).{6,32}$/u', $text['phone']);
    return ($isNamed ? [] : ['name' => 'invalid']) + ($isPhone ? [] : ['phone' => $text['phone'] === '' ? 'required' : 'invalid']);
}

function answer(array $reasons): never
{
    $shown = array_filter(array_map(fn ($field, $why) => SENTENCES["$field.$why"] ?? SENTENCES[$field] ?? '', array_keys($reasons), $reasons));
    http_response_code($shown ? 422 : 200);
    header('Content-Type: text/plain; charset=utf-8');
    exit(implode("\n", $shown) ?: THANKS);
}

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    exit;
}
$sent = array_filter($_POST, fn ($value) => $value !== ''); // an empty input is no value
if (isset($sent['leave_empty'])) answer([]); // no person sees that input: a robot
$enquiry = array_intersect_key($sent, array_flip(['name', 'phone', 'email', 'notes']));
if (is_string($sent['phone'] ?? null)) $enquiry['phone'] = preg_replace('/^\s*\(?0(?!0)/', COUNTRY, $sent['phone']);
if ($wrong = problems($enquiry)) answer($wrong);
$source = $sent['source'] ?? '';
if (is_string($source)) $source = mb_substr(trim($source) ?: SOURCE, 0, 60); // the service refuses more
if ($source !== '') $enquiry['source'] = $source;
foreach (array_diff_key($sent, $enquiry, ['view' => '', 'source' => '']) as $name => $value) {
    if (isset(ATTRIBUTION[$name])) $enquiry['attribution'][ATTRIBUTION[$name]] = $value;
    else $enquiry['fields'][$name] = $value;
}
ksort($enquiry);
$text = json_encode($enquiry, JSON_INVALID_UTF8_SUBSTITUTE);
$file = outbox(hash('sha256', ($sent['view'] ?? '') . $text) . '.json');
if (!file_exists($file)) keep($file, $enquiry); // a double click is the same file

[$status, $why, $reasons] = send($file);
if ($status === 401 || $status === 403) log_refusal($why);
if (array_intersect(['name', 'phone'], array_keys($reasons))) @unlink($file); // the visitor is told, and corrects it
else refuse($file, $status, $why);
answer($reasons);
