<?php

declare(strict_types=1);

const PROVIDERS = ['steam' => 'Steam', 'discord' => 'Discord'];

/** What a visitor reads, by the code of the error: a title and a text. */
const ERRORS = [
    'sign_in_cancelled' => ['You were not signed in', 'You declined at Steam or Discord. Nothing has changed.'],
    'sign_in_failed' => [
        'The sign-in did not work',
        'It took too long, was finished before, or began in another browser.',
    ],
    'unknown_identity' => [
        'We do not know this profile',
        'Only members can sign in here. If you are one, sign in as usual and link this profile.',
    ],
    'user_blocked' => ['You are blocked', ''],
    'identity_taken' => [
        'This profile belongs to another member',
        'If that is you as well, sign in with this profile and unlink it there first.',
    ],
    'too_many_identities' => ['You have too many profiles', 'Unlink one before you link another.'],
    'last_sign_in_method' => [
        'This is your only way to sign in',
        'Link another profile before you unlink this one.',
    ],
    'too_many_attempts' => ['Too many attempts', 'Wait a minute, please.'],
    'provider_unavailable' => [
        'Steam or Discord does not answer',
        'That is not your fault. Reload this page in a moment, or begin again.',
    ],
    'forged_form' => ['This form has expired', 'Nothing has changed.'],
    'not_found' => ['There is nothing here', 'What you looked for does not exist, or no longer.'],
];

/** Escapes text for HTML. Names, roles and reasons are written by people. */
function html(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5);
}

/** The name of a role, and the day on which it ends. */
function describe_role(array $role): string
{
    $end = $role['expires_at'] === null ? '' : ' until ' . substr($role['expires_at'], 0, 10);
    return html($role['name'] . $end);
}

/** A form with one button. `$fields` are sent with it. */
function button(string $path, string $label, string $formToken, array $fields = []): string
{
    $hidden = '';
    foreach ($fields + ['form_token' => $formToken] as $name => $value) {
        $hidden .= '<input type="hidden" name="' . html($name) . '" value="' . html((string) $value) . '">';
    }
    $button = '<button>' . html($label) . '</button>';
    return '<form method="post" action="' . html($path) . "\">$hidden$button</form>";
}

/** Sends a page. `$body` is HTML. */
function show(int $status, string $title, string $body): void
{
    http_response_code($status);
    header('Content-Type: text/html; charset=utf-8');
    header('Cache-Control: no-store');
    // No scripts, and no frame around the buttons. Without form-action, which would also forbid the
    // redirect from a button to Steam.
    header("Content-Security-Policy: default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
    header('Referrer-Policy: no-referrer');
    header('X-Content-Type-Options: nosniff');
    $title = html($title);
    echo <<<HTML
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>$title</title>
        <h1>$title</h1>
        $body
        </html>
        HTML;
}

/** The home page: buttons to sign in, or who is signed in. */
function show_home(?array $player, array $profiles, string $formToken): void
{
    if ($player === null) {
        $body = '<p>You are not signed in.</p>';
        foreach (PROVIDERS as $provider => $name) {
            $body .= button('/sign-in', "Sign in with $name", $formToken, ['provider' => $provider]);
        }
        show(200, 'Our community', $body);
        return;
    }
    $roles = $player['roles'] === [] ? 'none' : implode(', ', array_map(describe_role(...), $player['roles']));
    $body = '<p>You are signed in as <strong>' . html($player['username']) . '</strong>.</p>';
    $body .= "<p>Your roles: $roles.</p>";
    $body .= '<h2>Your profiles</h2><p>Unlinking one ends the sessions that were begun with it.</p><ul>';
    foreach ($profiles as $profile) {
        $name = PROVIDERS[$profile['provider']] ?? $profile['provider'];
        $unlink = button('/unlink', "Unlink $name", $formToken, ['identity' => $profile['id']]);
        $body .= '<li>' . html("$name {$profile['subject']}") . "$unlink</li>";
    }
    $body .= '</ul>';
    foreach (array_diff_key(PROVIDERS, array_flip(array_column($profiles, 'provider'))) as $provider => $name) {
        $body .= button('/link', "Link $name", $formToken, ['provider' => $provider]);
    }
    show(200, 'Our community', $body . button('/sign-out', 'Sign out', $formToken));
}

/** A page for an error. `$formToken` is for who has a session, and may end it. */
function show_error(StewardError $error, ?string $formToken): void
{
    [$title, $text] = ERRORS[$error->error] ?? ['Signing in does not work right now', 'Try again later.'];
    if ($error->error === 'user_blocked') {
        ['reason' => $reason, 'until' => $until] = $error->reply;
        $end = substr((string) $until, 0, 10) . ', ' . substr((string) $until, 11, 5);
        $text = $until === null ? 'For ever.' : "Until $end UTC.";
        $text .= $reason === '' ? '' : " Reason: $reason";
    }
    $body = '<p>' . html($text) . '</p><p><a href="/">Begin again</a></p>';
    if ($formToken !== null) {
        $body .= button('/sign-out', 'Sign out', $formToken);
    }
    show(isset(ERRORS[$error->error]) ? $error->status : 503, $title, $body);
}
