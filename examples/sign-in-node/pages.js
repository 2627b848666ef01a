// The pages of the site.

export const PROVIDERS = { steam: 'Steam', discord: 'Discord' };

/** What a visitor reads, by the code of the error: a title and a text. */
export const ERRORS = new Map([
  [
    'sign_in_cancelled',
    ['You were not signed in', 'You declined at Steam or Discord. Nothing has changed.'],
  ],
  [
    'sign_in_failed',
    [
      'The sign-in did not work',
      'It took too long, was finished before, or began in another browser.',
    ],
  ],
  [
    'unknown_identity',
    [
      'We do not know this profile',
      'Only members can sign in here. If you are one, sign in as usual and link this profile.',
    ],
  ],
  ['user_blocked', ['You are blocked', '']],
  [
    'identity_taken',
    [
      'This profile belongs to another member',
      'If that is you as well, sign in with this profile and unlink it there first.',
    ],
  ],
  ['too_many_identities', ['You have too many profiles', 'Unlink one before you link another.']],
  [
    'last_sign_in_method',
    ['This is your only way to sign in', 'Link another profile before you unlink this one.'],
  ],
  ['too_many_attempts', ['Too many attempts', 'Wait a minute, please.']],
  [
    'provider_unavailable',
    [
      'Steam or Discord does not answer',
      'That is not your fault. Reload this page in a moment, or begin again.',
    ],
  ],
  ['forged_form', ['This form has expired', 'Nothing has changed.']],
  ['not_found', ['There is nothing here', 'What you looked for does not exist, or no longer.']],
]);

/** Text that is HTML already. */
class Html {
  constructor(text) {
    this.text = text;
  }
}

function escaped(value) {
  if (value instanceof Html) {
    return value.text;
  }
  if (Array.isArray(value)) {
    return value.map(escaped).join('');
  }
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Escapes all values of a template. Names, roles and reasons are written by people. */
function html(parts, ...values) {
  return new Html(String.raw({ raw: parts }, ...values.map(escaped)));
}

/** A form with one button. `fields` are sent with it. */
function button(path, label, formToken, fields = {}) {
  const hidden = Object.entries({ ...fields, form_token: formToken }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${path}">${hidden}<button>${label}</button></form>`;
}

function page(title, body) {
  return html`<!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>${title}</title>
    <h1>${title}</h1>
    ${body}
    </html>`.text;
}

/** The name of a role, and the day on which it ends. */
function describeRole({ name, expires_at: end }) {
  return end === null ? name : `${name} until ${end.slice(0, 10)}`;
}

/** The home page: buttons to sign in, or who is signed in. */
export function homePage(player, profiles, formToken) {
  const choices = Object.entries(PROVIDERS);
  if (player === undefined) {
    const buttons = choices.map(([provider, name]) =>
      button('/sign-in', `Sign in with ${name}`, formToken, { provider }),
    );
    return page('Our community', html`<p>You are not signed in.</p>${buttons}`);
  }
  const roles = player.roles.map(describeRole).join(', ') || 'none';
  const items = profiles.map(({ id, provider, subject }) => {
    const name = PROVIDERS[provider] ?? provider;
    const unlink = button('/unlink', `Unlink ${name}`, formToken, { identity: id });
    return html`<li>${name} ${subject}${unlink}</li>`;
  });
  const others = choices
    .filter(([provider]) => profiles.every((profile) => profile.provider !== provider))
    .map(([provider, name]) => button('/link', `Link ${name}`, formToken, { provider }));
  return page(
    'Our community',
    html`<p>You are signed in as <strong>${player.username}</strong>.</p>
      <p>Your roles: ${roles}.</p>
      <h2>Your profiles</h2>
      <p>Unlinking one ends the sessions that were begun with it.</p>
      <ul>${items}</ul>
      ${others}
      ${button('/sign-out', 'Sign out', formToken)}`,
  );
}

function describeBlock({ reason, until }) {
  const end =
    until === null ? 'For ever.' : `Until ${until.slice(0, 10)}, ${until.slice(11, 16)} UTC.`;
  return reason === '' ? end : `${end} Reason: ${reason}`;
}

/** A page for an error. `formToken` is for who has a session, and may end it. */
export function errorPage(error, formToken) {
  const [title, usual] = ERRORS.get(error.code) ?? [
    'Signing in does not work right now',
    'Try again later.',
  ];
  const text = error.code === 'user_blocked' ? describeBlock(error.reply) : usual;
  const signOut = formToken === undefined ? '' : button('/sign-out', 'Sign out', formToken);
  return page(title, html`<p>${text}</p><p><a href="/">Begin again</a></p>${signOut}`);
}
