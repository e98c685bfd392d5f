<?php
/**
 * A stand-in for the functions of WordPress and of Contact Form 7 that the plugin uses. Options are files of the folder OUTBOX. As a router of
 * `php -S` it serves the REST route at /, a form of Contact Form 7 at /cf7, the shortcode at /form, the notices at /notices and the button at
 * /again; `php wordpress-host.php send` runs the cron event.
 */
define('LEADS_URL', getenv('LEADS_URL'));
define('LEADS_API_KEY', getenv('LEADS_API_KEY'));
const HOUR_IN_SECONDS = 3600;
const DAY_IN_SECONDS = 86400;

$hooks = [];
$routes = [];
$events = [];
function add_action($hook, $run, $priority = 10, $arguments = 1) { $GLOBALS['hooks'][$hook][] = $run; }
function add_filter($hook, $run, $priority = 10, $arguments = 1) { add_action($hook, $run); }
function do_action_ref_array($hook, $arguments) { foreach ($GLOBALS['hooks'][$hook] ?? [] as $run) $run(...$arguments); }
function do_action($hook) { do_action_ref_array($hook, []); }
function add_shortcode($tag, $run) { add_action("shortcode $tag", fn () => print $run()); }
function register_rest_route($space, $route, $options) { $GLOBALS['routes']["$space$route"] = $options; }
function wp_next_scheduled($hook) { return $GLOBALS['events'][$hook] ?? false; }
function wp_schedule_event($at, $recurrence, $hook) { return $GLOBALS['events'][$hook] = $at; }
function wp_json_encode($value) { return json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE); }
function wp_date($format, $time) { return date($format, $time); }
function rest_url($path) { return "/wp-json/$path"; }
function admin_url($path = '') { return "/wp-admin/$path"; }
function wp_nonce_url($url, $action) { return $url; }
function esc_url($url) { return $url; }
function esc_html($text) { return htmlspecialchars($text); }
function current_user_can($capability) { return true; }
function check_admin_referer($action) { return 1; }
function wp_safe_redirect($url) {}
function get_transient($name) { return unserialize((string) @file_get_contents(getenv('OUTBOX') . "/$name")); }
function set_transient($name, $value, $seconds) { file_put_contents(getenv('OUTBOX') . "/$name", serialize($value)); }
function wp_mail($to, $subject, $text) { fwrite(STDERR, "mail: $text\n"); }

function option_file($name) { return getenv('OUTBOX') . "/$name.option"; }
function get_option($name) {
    $text = @file_get_contents(option_file($name));
    return $text === false ? false : unserialize($text);
}
function update_option($name, $value, $autoload = null) {
    $part = option_file($name) . bin2hex(random_bytes(4)) . '.part';
    return file_put_contents($part, serialize($value)) !== false && rename($part, option_file($name));
}
function add_option($name, $value, $deprecated = '', $autoload = null) {
    return get_option($name) === false && update_option($name, $value);
}
function delete_option($name) { return @unlink(option_file($name)); }

$wpdb = new class {
    public $options = 'wp_options';
    function esc_like($text) { return addcslashes($text, '_%\\'); }
    function prepare($query, $like) { return $like; } // get_col reads only the pattern
    function get_col($like) {
        $start = stripslashes(rtrim($like, '%'));
        $names = array_map(fn ($file) => basename($file, '.option'), glob(getenv('OUTBOX') . '/*.option'));
        return array_values(array_filter($names, fn ($name) => str_starts_with($name, $start)));
    }
};

class WP_Error {}
function is_wp_error($value) { return $value instanceof WP_Error; }
function wp_remote_post($url, $options) {
    $curl = curl_init($url);
    $headers = array_map(fn ($name, $value) => "$name: $value", array_keys($options['headers']), $options['headers']);
    curl_setopt_array($curl, [CURLOPT_POSTFIELDS => $options['body'], CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => $options['timeout'], CURLOPT_HTTPHEADER => $headers]);
    $body = curl_exec($curl);
    return is_string($body) ? ['code' => curl_getinfo($curl, CURLINFO_RESPONSE_CODE), 'body' => $body] : new WP_Error();
}
function wp_remote_retrieve_response_code($response) { return is_wp_error($response) ? '' : $response['code'] ?? ''; }
function wp_remote_retrieve_body($response) { return is_wp_error($response) ? '' : $response['body'] ?? ''; }

class WP_REST_Response {
    function __construct(public $data, public $status, public $headers = []) {}
    function get_data() { return $this->data; }
}
/** Contact Form 7 passes it to the hook wpcf7_before_send_mail: the inputs without a leading underscore, and the page. */
class WPCF7_Submission {
    public $response = 'Thank you for your message.';
    function get_posted_data() { return array_filter($_POST, fn ($name) => $name[0] !== '_', ARRAY_FILTER_USE_KEY); }
    function get_meta($name) { return ['url' => 'https://www.example.com/contact/?utm_source=letter'][$name]; }
    function set_response($text) { $this->response = $text; }
}

is_dir(getenv('OUTBOX')) || mkdir(getenv('OUTBOX'), 0700, true);
require getenv('PLUGIN');
do_action('init');
do_action('rest_api_init');
if (PHP_SAPI === 'cli') {
    if (!wp_next_scheduled('leads_send')) exit(1);
    do_action('leads_send');
    exit(0);
}
$page = ['/form' => 'shortcode enquiry_form', '/notices' => 'admin_notices', '/again' => 'admin_post_leads_again'][$_SERVER['REQUEST_URI']] ?? '';
if ($page !== '') {
    do_action($page);
} elseif ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
} elseif ($_SERVER['REQUEST_URI'] === '/cf7') {
    $abort = false;
    $submission = new WPCF7_Submission();
    do_action_ref_array('wpcf7_before_send_mail', [null, &$abort, $submission]);
    echo wp_json_encode(['status' => $abort ? 'aborted' : 'mail_sent', 'message' => $submission->response]);
} else {
    $request = new class {
        function get_body_params() { return $_POST; }
        function get_route() { return '/leads/v1/enquiry'; }
    };
    $response = $routes['leads/v1/enquiry']['callback']($request);
    http_response_code($response->status);
    foreach ($response->headers as $name => $value) header("$name: $value");
    do_action_ref_array('rest_pre_serve_request', [false, $response, $request]);
}
