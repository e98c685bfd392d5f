<?php
/**
 * Plugin Name: Lead service enquiries
 * Description: Sends the enquiries of a form at /wp-json/leads/v1/enquiry to the lead service.
 *
 * In wp-config.php: define('LEADS_URL', 'https://leads.example.com'); define('LEADS_API_KEY', 'leads_live_…');
 * Let the system's cron call wp-cron.php every minute. Refused enquiries are the options that begin with enquiry_refused_.
 */
const LEADS_SENTENCES = [ // what a visitor may read
    'name' => 'Please enter your name, in at most 200 characters.',
    'phone' => 'Please check your phone number. Begin with the country code, such as +91.',
];
add_action('rest_api_init', fn () => register_rest_route('leads/v1', '/enquiry', [
    'methods' => 'POST', 'permission_callback' => '__return_true', 'callback' => 'leads_take',
]));
add_filter('cron_schedules', fn ($all) => $all + ['leads' => ['interval' => 60, 'display' => 'Every minute']]);
add_action('init', fn () => wp_next_scheduled('leads_send') || wp_schedule_event(time(), 'leads', 'leads_send'));
add_action('leads_send', function () {
    global $wpdb;
    $like = $wpdb->prepare("SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like('enquiry_waits_') . '%');
    foreach ($wpdb->get_col($like) as $name) if (leads_send($name) === false) break; // at the limit: the next run goes on
});

/** Stores an enquiry, sends it at once, and thanks the visitor unless the name or the phone was refused. */
function leads_take($request) {
    $sent = array_filter($request->get_body_params(), fn ($value) => $value !== '');
    $name = 'enquiry_waits_' . hash('sha256', wp_json_encode($sent)); // this view and this content: a double click is the same option
    add_option($name, ['at' => time(), 'enquiry' => array_diff_key($sent, ['view' => ''])], '', false);
    if (get_option($name) === false) return new WP_REST_Response(['message' => 'Please try again.'], 500); // not stored: no thanks
    $shown = array_intersect_key(LEADS_SENTENCES, leads_send($name) ?: []);
    return new WP_REST_Response(['message' => implode(' ', $shown) ?: 'Thank you. We will call you.'], $shown ? 422 : 200);
}

/** Sends what an option keeps, and deletes it once the service has it. @return array|false the reasons of a refusal by field; false at the limit */
function leads_send($name) {
    if (!is_array($kept = get_option($name))) return [];
    $known = array_flip(['name', 'phone', 'email', 'notes']); // the others are fields; an empty PHP array would be sent as []
    $fields = array_filter(['fields' => array_diff_key($kept['enquiry'], $known)]);
    $text = wp_json_encode(array_intersect_key($kept['enquiry'], $known) + $fields);
    $isLate = time() - $kept['at'] > 23 * HOUR_IN_SECONDS; // the service knows an idempotency key for 24 hours
    $response = $isLate ? null : wp_remote_post(LEADS_URL . '/api/v1/leads/capture', [
        'timeout' => 15, // WordPress gives up after 5 s by itself
        'headers' => ['Authorization' => 'Bearer ' . LEADS_API_KEY, 'Content-Type' => 'application/json', 'Idempotency-Key' => hash('sha256', $name . $text)],
        'body' => $text,
    ]);
    $status = $isLate ? 410 : (int) wp_remote_retrieve_response_code($response); // 0 for no response
    if ($status === 429) return false;
    if ($status >= 500 || in_array($status, [0, 401, 403, 404, 408, 409], true)) return []; // cron sends it again
    $details = json_decode(wp_remote_retrieve_body($response), true)['error']['details'] ?? [];
    if ($status === 422 && $reduced = leads_without($kept['enquiry'], array_keys($details['fields'] ?? []))) {
        update_option($name, ['at' => time(), 'enquiry' => $reduced], false);
        return leads_send($name);
    }
    if ($status >= 300) add_option(str_replace('waits', 'refused', $name), $kept, '', false);
    delete_option($name);
    return $details['reasons'] ?? [];
}

/** The enquiry without refused optional values, whose texts go to its notes; null if nothing can be taken out. */
function leads_without($enquiry, $refused) {
    $removed = array_intersect_key($enquiry, array_flip($refused));
    if (!$removed || array_intersect(['name', 'phone'], $refused)) return null;
    $text = fn ($value) => str_replace("\0", '', is_string($value) ? $value : wp_json_encode($value));
    $tail = '';
    foreach (array_diff_key($removed, ['notes' => '']) as $field => $value) $tail .= "\n$field: " . mb_substr($text($value), 0, 500);
    $notes = mb_substr($text($enquiry['notes'] ?? ''), 0, max(0, 4999 - mb_strlen($tail)));
    return ['notes' => trim("$notes\n$tail")] + array_diff_key($enquiry, $removed);
}
