<?php
/**
 * A stub of the WordPress functions that the plugin uses. Options are files of the folder OUTBOX. As a router of `php -S` it serves the
 * REST route; `php wordpress-host.php send` runs the cron event.
 */
define('LEADS_URL', getenv('LEADS_URL'));
define('LEADS_API_KEY', getenv('LEADS_API_KEY'));
const HOUR_IN_SECONDS = 3600;

$hooks = [];
$routes = [];
$events = [];
function add_action($hook, $run) { $GLOBALS['hooks'][$hook][] = $run; }
function add_filter($hook, $run) { add_action($hook, $run); }
function do_action($hook) { foreach ($GLOBALS['hooks'][$hook] ?? [] as $run) $run(); }
function register_rest_route($space, $route, $options) { $GLOBALS['routes']["$space$route"] = $options; }
function wp_next_scheduled($hook) { return $GLOBALS['events'][$hook] ?? false; }
function wp_schedule_event($at, $recurrence, $hook) { return $GLOBALS['events'][$hook] = $at; }
function wp_json_encode($value) { return json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE); }

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
    function __construct(public $data, public $status) {}
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
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    exit;
}
$request = new class {
    function get_body_params() { return $_POST; }
};
$response = $routes['leads/v1/enquiry']['callback']($request);
http_response_code($response->status);
echo $response->data['message'];
