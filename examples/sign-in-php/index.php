<?php

// A site where players sign in with Steam and Discord. Let the web server send every address of the
// site to this file. To try it out:
//
//     SITE_URL=http://localhost:8000 STEWARD_URL=http://127.0.0.1:8080 STEWARD_KEY=stw_... \
//         php -S localhost:8000 index.php
//
// The key needs admin.sessions and admin.users, and Steward the option
// --sign-in-return-to "$SITE_URL/signed-in". With CREATE_USERS=off, a profile that no user has signs
// nobody in. Browsers keep the cookies on HTTPS and, to try it out, on localhost.

declare(strict_types=1);

require_once __DIR__ . '/pages.php';
require_once __DIR__ . '/steward.php';

// With the prefix, browsers accept these cookies from this host and over HTTPS alone. Another host of
// the same domain cannot put its own in their place.
const SESSION = '__Host-session';
const SIGN_IN = '__Host-sign-in';
const FORM_TOKEN = '__Host-form-token';

// Steward expires a sign-in that was begun after 10 minutes, and a session as it is configured.
const SIGN_IN_SECONDS = 600;
const SESSION_SECONDS = 365 * 86400;

/** The value of a cookie, or nothing if it cannot be one that this site has set. */
function cookie(string $name): string
{
    $value = $_COOKIE[$name] ?? '';
    return is_string($value) && preg_match('/^[\w.]{1,255}$/D', $value) === 1 ? $value : '';
}

/** Sets a cookie that no script can read. Without a value, deletes it. */
function set_cookie(string $name, string $value, int $seconds): void
{
    setcookie($name, $value, [
        'expires' => $seconds === 0 ? 0 : time() + $seconds,
        'path' => '/',
        'secure' => true,
        'httponly' => true,
        // Strict does not work: the browser comes back from another site.
        'samesite' => 'Lax',
    ]);
}

function redirect(string $url): void
{
    header("Location: $url", true, 303);
}

/** A field of the form that was sent. */
function field(string $name): string
{
    $value = $_POST[$name] ?? '';
    return is_string($value) ? $value : '';
}

/** The token in the forms of this browser. Another site can send a form, but without the token. */
function form_token(): string
{
    $token = cookie(FORM_TOKEN);
    if ($token === '') {
        $token = bin2hex(random_bytes(16));
        set_cookie(FORM_TOKEN, $token, 0);
    }
    return $token;
}

function is_own_form(): bool
{
    $token = cookie(FORM_TOKEN);
    return $token !== '' && hash_equals($token, field('form_token'));
}

/** The player who is signed in, with roles. */
function signed_in_player(Steward $steward): ?array
{
    $token = cookie(SESSION);
    if ($token === '') {
        return null;
    }
    return $steward->call('POST', '/api/sessions/verify?include=roles', ['token' => $token])['user'];
}

function home(Steward $steward): void
{
    $player = signed_in_player($steward);
    $profiles = [];
    if ($player !== null) {
        $profiles = $steward->call('GET', "/api/users/{$player['id']}/identities")['identities'];
    }
    show_home($player, $profiles, form_token());
}

/** Sends the visitor to Steam or Discord, to sign in, or to link the profile to a session. */
function begin(Steward $steward, bool $link): void
{
    $provider = field('provider');
    if (!isset(PROVIDERS[$provider])) {
        throw new StewardError(404, 'not_found', 'There is no such provider.');
    }
    $start = [
        // Never from the request: a visitor could name another host in it.
        'return_to' => getenv('SITE_URL') . '/signed-in',
        // The limit of sign-ins counts the visitor's network, not that of the site. Behind a proxy,
        // let the web server put the visitor's address here, from proxies of yours only.
        'client_ip' => $_SERVER['REMOTE_ADDR'],
    ];
    if ($link) {
        $start['session_token'] = cookie(SESSION);
        if ($start['session_token'] === '') {
            throw new StewardError(422, 'session_invalid', 'Nobody is signed in.');
        }
    }
    $begun = $steward->call('POST', "/api/sign-in/$provider/start", $start);
    // The token is in this cookie alone, so an answer works only in the browser that began.
    set_cookie(SIGN_IN, "$provider.{$begun['browser_token']}", SIGN_IN_SECONDS);
    redirect($begun['url']);
}

/** Signs the visitor in who comes back from Steam or Discord. */
function finish(Steward $steward, string $query): void
{
    [$provider, $browserToken] = explode('.', cookie(SIGN_IN), 2) + ['', ''];
    if (!isset(PROVIDERS[$provider]) || $query === '') {
        throw new StewardError(422, 'sign_in_failed', 'This browser has not begun to sign in.');
    }
    $finished = $steward->call('POST', "/api/sign-in/$provider/finish", [
        // As it came. PHP's $_GET has other names: it replaces dots.
        'query' => $query,
        'browser_token' => $browserToken,
        'device_name' => 'Website',
        'user_agent' => substr($_SERVER['HTTP_USER_AGENT'] ?? '', 0, 500) ?: 'unknown',
        'client_ip' => $_SERVER['REMOTE_ADDR'],
        'create' => getenv('CREATE_USERS') !== 'off',
    ]);
    set_cookie(SIGN_IN, '', 0);
    // Linking has no new session.
    if (isset($finished['session_token'])) {
        set_cookie(SESSION, $finished['session_token'], SESSION_SECONDS);
    }
    // The answer works once, so nobody should reload this page.
    redirect('/');
}

function unlink_profile(Steward $steward): void
{
    $identity = field('identity');
    $player = signed_in_player($steward);
    // It becomes part of a path.
    if ($player === null || preg_match('/^[0-9]{1,18}$/D', $identity) !== 1) {
        throw new StewardError(404, 'not_found', 'There is no such profile.');
    }
    // Steward unlinks it only if it is this player's.
    $steward->call('DELETE', "/api/users/{$player['id']}/identities/$identity");
    redirect('/');
}

function sign_out(Steward $steward): void
{
    if (cookie(SESSION) !== '') {
        $steward->call('DELETE', '/api/sessions', ['token' => cookie(SESSION)]);
    }
    set_cookie(SESSION, '', 0);
    redirect('/');
}

/** Shows what went wrong, with a way to begin again. */
function fail(StewardError $error): void
{
    if ($error->error === 'session_invalid') {
        set_cookie(SESSION, '', 0);
        redirect('/');
        return;
    }
    if (!isset(ERRORS[$error->error])) {
        error_log("sign-in: $error->status $error->error: {$error->getMessage()}");
    }
    show_error($error, cookie(SESSION) === '' ? null : form_token());
}

[$path, $query] = explode('?', $_SERVER['REQUEST_URI'], 2) + ['', ''];
$steward = new Steward((string) getenv('STEWARD_URL'), (string) getenv('STEWARD_KEY'));
try {
    if ($_SERVER['REQUEST_METHOD'] === 'POST' && !is_own_form()) {
        throw new StewardError(403, 'forged_form', 'The form is not from this site.');
    }
    match ("{$_SERVER['REQUEST_METHOD']} $path") {
        'GET /' => home($steward),
        'GET /signed-in' => finish($steward, $query),
        'POST /sign-in' => begin($steward, link: false),
        'POST /link' => begin($steward, link: true),
        'POST /unlink' => unlink_profile($steward),
        'POST /sign-out' => sign_out($steward),
        default => throw new StewardError(404, 'not_found', 'There is no such page.'),
    };
} catch (StewardError $error) {
    fail($error);
}
