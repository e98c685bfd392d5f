<?php
/**
 * Plugin Name: Lead service enquiries
 * Description: Sends enquiries to the lead service: of the form of the shortcode [enquiry_form], and of Contact Form 7.
 *
 * Copy this file and form.html into a folder of wp-content/plugins. In wp-config.php:
 *   define('LEADS_URL', 'https://leads.example.com'); define('LEADS_API_KEY', 'leads_live_…');
 * Let the system's cron call wp-cron.php every minute. While enquiries wait or were refused, and for a day after an input matched no field,
 * administrators see a notice with a button, and get a mail a day. Refused enquiries are the options that begin with enquiry_refused_.
 *
 * Contact Form 7: name the inputs your-name, your-phone, your-email, your-message, your-source, and your-KEY for a field of the organization.
 * Write skip_mail: on into its additional settings, unless it is to send its mail too.
 */
const LEADS_COUNTRY = '+91'; // your country's code, put before a number that begins with one 0
const LEADS_SOURCE = ''; // the source of this website's leads, such as 'MBA site', unless the form has an input source; '' is Website
const LEADS_SENTENCES = [ // what a visitor may read
    'name' => 'Please enter your name, in at most 200 characters.',
    'phone' => 'Please check your phone number. Begin with the country code, such as ' . LEADS_COUNTRY . '.',
];
const LEADS_ATTRIBUTION = [
    'pageUrl' => 'pageUrl', 'referrer' => 'referrer', 'utm_source' => 'utmSource', 'utm_medium' => 'utmMedium',
    'utm_campaign' => 'utmCampaign', 'utm_term' => 'utmTerm', 'utm_content' => 'utmContent',
];
add_action('rest_api_init', fn () => register_rest_route('leads/v1', '/enquiry', [
    'methods' => 'POST', 'permission_callback' => '__return_true', 'callback' => function ($request) {
        [$status, $text] = leads_take($request->get_body_params());
        return new WP_REST_Response($text, $status, ['Content-Type' => 'text/plain; charset=utf-8']);
    },
]));
add_filter('rest_pre_serve_request', function ($isServed, $response, $request) { // text for the visitor, where WordPress writes JSON
    if ($request->get_route() !== '/leads/v1/enquiry' || !is_string($response->get_data())) return $isServed;
    echo $response->get_data();
    return true;
}, 10, 3);
add_shortcode('enquiry_form', fn () => str_replace('"/enquiry"', '"' . esc_url(rest_url('leads/v1/enquiry')) . '"', file_get_contents(__DIR__ . '/form.html')));
add_action('wpcf7_before_send_mail', function ($form, &$abort, $submission) { // Contact Form 7 has checked its own rules and spam
    $url = (string) $submission->get_meta('url');
    parse_str((string) parse_url($url, PHP_URL_QUERY), $query);
    $posted = ['pageUrl' => $url] + array_intersect_key($query, LEADS_ATTRIBUTION);
    foreach ($submission->get_posted_data() as $name => $value) {
        $name = preg_replace(['/^your-message$/', '/^your-/'], ['notes', ''], $name);
        $posted[$name] = is_array($value) && count($value) === 1 ? reset($value) : $value; // a menu's choice is an array
    }
    [$status, $text] = leads_take($posted);
    $abort = $status !== 200;
    if ($abort) $submission->set_response($text);
}, 10, 3);
add_filter('cron_schedules', fn ($all) => $all + ['leads' => ['interval' => 60, 'display' => 'Every minute']]);
add_action('init', fn () => wp_next_scheduled('leads_send') || wp_schedule_event(time(), 'leads', 'leads_send'));
add_action('leads_send', function () {
    $names = leads_options('waits');
    shuffle($names); // one that never gets an answer does not always hold up the same others
    foreach ($names as $name) if (leads_send($name) === false) break; // at the limit, or without an answer: the next run goes on
    if (!($text = leads_report()) || get_transient('leads_mailed')) return;
    set_transient('leads_mailed', 1, DAY_IN_SECONDS);
    wp_mail(get_option('admin_email'), 'Enquiries for the lead service', $text);
});
add_action('admin_notices', function () {
    if (!current_user_can('manage_options') || !($text = leads_report())) return;
    $url = wp_nonce_url(admin_url('admin-post.php?action=leads_again'), 'leads_again');
    echo '<div class="notice notice-error"><p>' . esc_html($text) . ' <a class="button" href="' . esc_url($url) . '">Send refused ones again</a></p></div>';
});
add_action('admin_post_leads_again', function () {
    if (!current_user_can('manage_options') || !check_admin_referer('leads_again')) return;
    foreach (leads_options('refused') as $name) {
        add_option(str_replace('refused', 'waits', $name), ['at' => time()] + get_option($name), '', false);
        delete_option($name);
    }
    do_action('leads_send');
    wp_safe_redirect(admin_url());
});

function leads_options($state) {
    global $wpdb;
    $like = $wpdb->prepare("SELECT option_name FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like("enquiry_{$state}_") . '%');
    return $wpdb->get_col($like);
}

/** Such as "3 enquiries waiting since 15:14: 401 UNAUTHORIZED.", what needs a person, and inputs that match no field; '' for nothing to do. */
function leads_report() {
    $lines = [];
    foreach (['waits' => 'waiting', 'refused' => 'awaiting review'] as $name => $state) {
        $kept = array_filter(array_map('get_option', leads_options($name)), fn ($option) => isset($option['why']));
        if (!$kept) continue;
        $what = count($kept) === 1 ? '1 enquiry' : count($kept) . ' enquiries';
        $lines[] = "$what $state since " . wp_date('Y-m-d H:i', min(array_column($kept, 'at'))) . ': ' . reset($kept)['why'] . '.';
    }
    foreach (leads_unmatched() as $name => $at) {
        $lines[] = "$name is not a field that a form can fill: correct the form, or add the field.";
    }
    return implode(' ', $lines);
}

/** The latest inputs of a day that match no field: names, and when an enquiry had one. */
function leads_unmatched() {
    return array_filter(get_transient('leads_unmatched') ?: [], fn ($at) => $at > time() - DAY_IN_SECONDS);
}

/** Stores an enquiry and sends it at once. @return array the status for the visitor, and a sentence */
function leads_take($posted) {
    $sent = array_filter($posted, fn ($value) => $value !== '' && $value !== []);
    $thanks = [200, 'Thank you. We will call you.'];
    if (isset($sent['leave_empty'])) return $thanks; // no person sees that input: a robot
    if (is_string($sent['phone'] ?? null)) $sent['phone'] = preg_replace('/^\s*\(?0(?!0)/', LEADS_COUNTRY, $sent['phone']);
    $source = $sent['source'] ?? '';
    if (is_string($source)) $sent['source'] = mb_substr(trim($source) ?: LEADS_SOURCE, 0, 60); // the service refuses more
    if ($sent['source'] === '') unset($sent['source']);
    $wrong = leads_problems($sent);
    if (!$wrong) {
        $name = 'enquiry_waits_' . hash('sha256', wp_json_encode($sent)); // this view and this content: a double click is the same option
        add_option($name, ['at' => time(), 'enquiry' => array_diff_key($sent, ['view' => ''])], '', false);
        if (get_option($name) === false) return [500, 'Please try again.']; // not stored: no thanks
        $wrong = array_intersect_key(leads_send($name) ?: [], LEADS_SENTENCES);
        if ($wrong) delete_option(str_replace('waits', 'refused', $name)); // the visitor is told, and corrects it
    }
    return $wrong ? [422, implode(' ', array_intersect_key(LEADS_SENTENCES, $wrong))] : $thanks;
}

/** What the visitor has to correct, by field; found without the service. */
function leads_problems($sent) {
    $text = array_map(fn ($value) => is_string($value) ? trim($value) : '', $sent + ['name' => '', 'phone' => '']);
    $isNamed = $text['name'] !== '' && mb_strlen($text['name']) <= 200;
    $hasCode = LEADS_COUNTRY === '+91' || preg_match('/^\D*(\+|00)/', $text['phone']); // without one, the service reads an Indian number
    $isPhone = $hasCode && preg_match('/^(?=(\P{Nd}*\p{Nd}){6}).{6,32}$/u', $text['phone']);
    return ($isNamed ? [] : ['name' => true]) + ($isPhone ? [] : ['phone' => true]);
}

/** Sends what an option keeps, and deletes it once the service has it. @return array|false the reasons of a refusal by field; false at the limit */
function leads_send($name) {
    if (!is_array($kept = get_option($name))) return [];
    $text = leads_body($kept['enquiry']);
    $isLate = time() - $kept['at'] > 23 * HOUR_IN_SECONDS; // the service knows an idempotency key for 24 hours
    $response = $isLate ? null : wp_remote_post(rtrim(LEADS_URL, '/') . '/api/v1/leads/capture', [
        'timeout' => 15, // WordPress gives up after 5 s by itself
        'headers' => ['Authorization' => 'Bearer ' . LEADS_API_KEY, 'Content-Type' => 'application/json', 'Idempotency-Key' => hash('sha256', $name . $text)],
        'body' => $text,
    ]);
    $status = $isLate ? 410 : (int) wp_remote_retrieve_response_code($response); // 0 for no response
    $error = json_decode(wp_remote_retrieve_body($response), true)['error'] ?? [];
    $reasons = $error['details']['reasons'] ?? [];
    $unmatched = array_intersect($reasons, ['unknown_field', 'not_accepted']);
    $latest = array_fill_keys(array_keys($unmatched), time()) + leads_unmatched();
    if ($unmatched) set_transient('leads_unmatched', array_slice($latest, 0, 5, true), DAY_IN_SECONDS);
    $why = $isLate ? 'not delivered within 23 hours' : ($status ? "$status " . ($error['code'] ?? '') : 'no response');
    foreach ($reasons as $field => $reason) $why .= " $field: $reason";
    if ($status >= 500 || in_array($status, [0, 401, 403, 404, 408, 409, 429], true)) { // cron sends it again
        update_option($name, ['why' => $why] + $kept, false);
        return in_array($status, [0, 429], true) ? false : [];
    }
    if ($status === 422 && $reduced = leads_without($kept['enquiry'], array_keys($error['details']['fields'] ?? []))) {
        update_option($name, ['at' => time(), 'enquiry' => $reduced], false);
        return leads_send($name);
    }
    if ($status >= 300) add_option(str_replace('waits', 'refused', $name), ['why' => $why] + $kept, '', false);
    delete_option($name);
    return $reasons;
}

/** The request's body; an empty PHP array would be sent as [], so there is none. */
function leads_body($sent) {
    $enquiry = array_intersect_key($sent, array_flip(['name', 'phone', 'email', 'notes', 'source']));
    foreach (array_diff_key($sent, $enquiry) as $name => $value) {
        if (isset(LEADS_ATTRIBUTION[$name])) $enquiry['attribution'][LEADS_ATTRIBUTION[$name]] = $value;
        else $enquiry['fields'][$name] = $value;
    }
    return wp_json_encode($enquiry);
}

/** The enquiry without refused optional values, whose texts go to its notes; null if nothing can be taken out. */
function leads_without($enquiry, $refused) {
    $inputs = array_flip(LEADS_ATTRIBUTION);
    $refused = array_map(fn ($field) => $inputs[str_replace('attribution.', '', $field)] ?? $field, $refused);
    $removed = array_intersect_key($enquiry, array_flip($refused));
    if (!$removed || array_intersect(['name', 'phone'], $refused)) return null;
    $text = fn ($value) => str_replace("\0", '', is_string($value) ? $value : wp_json_encode($value));
    $tail = '';
    foreach (array_diff_key($removed, ['notes' => '']) as $field => $value) $tail .= "\n$field: " . mb_substr($text($value), 0, 500);
    $notes = mb_substr($text($enquiry['notes'] ?? ''), 0, max(0, 4999 - mb_strlen($tail)));
    return ['notes' => trim("$notes\n$tail")] + array_diff_key($enquiry, $removed);
}
