<?php

// The task list of ../README.md, with the PHP client of openapi-generator.

declare(strict_types=1);

use GuzzleHttp\Client;
use Steward\Api;
use Steward\ApiException;
use Steward\Configuration;
use Steward\Model;

require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(static function (string $class): void {
    $file = getenv('GENERATED') . '/' . strtr(substr($class, strlen('Steward\\')), '\\', '/') . '.php';
    if (str_starts_with($class, 'Steward\\') && is_file($file)) {
        require_once $file;
    }
});
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

// The whole client must load, not only what the tasks use.
foreach (glob(getenv('GENERATED') . '/{Api,Model}/*.php', GLOB_BRACE) as $file) {
    require_once $file;
}

function same(mixed $expected, mixed $found): void
{
    if ($expected !== $found) {
        throw new LogicException('expected ' . var_export($expected, true) . ', found ' . var_export($found, true));
    }
}

function config(string $key): Configuration
{
    return (new Configuration())->setHost((string) getenv('STEWARD_URL'))->setApiKey('X-API-Key', $key);
}

/** Checks that a call fails in this way, and returns the body of the error. */
function refused(callable $call, int $status, string $code): Model\ApiError
{
    try {
        $call();
    } catch (ApiException $error) {
        same($status, $error->getCode());
        $body = $error->getResponseObject();
        same($code, $body->getCode());
        return $body;
    }
    throw new LogicException("expected $status $code");
}

function header_of(array $headers, string $name): ?string
{
    return array_change_key_case($headers)[strtolower($name)][0] ?? null;
}

/** The cursor of the next page, from the headers of a reply. */
function next_cursor(array $headers): ?string
{
    if (preg_match('/<([^>]+)>; rel="next"/', header_of($headers, 'Link') ?? '', $link) !== 1) {
        return null;
    }
    parse_str((string) parse_url($link[1], PHP_URL_QUERY), $query);
    return $query['after'];
}

$http = new Client();

// A key
$admin = config((string) getenv('STEWARD_KEY'));
$wanted = ['roles', 'pages', 'users', 'navigation', 'currencies', 'payments'];
$permissionIds = [];
foreach ((new Api\BaseApi($http, $admin))->listPermissions()->getPermissions() as $permission) {
    if (in_array(substr($permission->getName(), strlen('admin.')), $wanted, true)) {
        $permissionIds[] = $permission->getId();
    }
}
$keys = new Api\APIKeysApi($http, $admin);
$bot = $keys->createApiKey(new Model\NewApiKey(['name' => 'bot']))->getApiKey();
$keys->setApiKeyPermissions($bot->getId(), new Model\ApiKeyPermissions(['permission_ids' => $permissionIds]));
$config = config($bot->getKey());
refused(fn () => (new Api\APIKeysApi($http, $config))->listApiKeys(), 403, 'missing_permission');

// Roles, and 412
$roles = new Api\RolesApi($http, $config);
$member = $roles->createRole(new Model\NewRole(['name' => 'Member']))->getRole();
// Setters check the rules of the document.
$guard = $roles->createRole((new Model\NewRole())->setName('Guard')->setDescription('Keeps the peace'))->getRole();
[$read, , $headers] = $roles->getRoleWithHttpInfo($guard->getId());
same([], $read->getRole()->getPermissions());
$tag = header_of($headers, 'ETag');
$rename = fn () => $roles->updateRole($guard->getId(), new Model\RoleChanges(['name' => 'Moderator']), if_match: $tag);
same('Moderator', $rename()->getRole()->getName());
refused($rename, 412, 'precondition_failed');

// Users, and 422
$users = new Api\UsersApi($http, $config);
foreach (['anna', 'ben', 'carla', 'dora', 'emil'] as $name) {
    $user = $users->createUser(new Model\NewUser([
        'username' => $name,
        'email' => "$name@example.com",
        'password' => 'correct horse',
        'role_ids' => [$member->getId()],
    ]))->getUser();
    same('active', $user->getStatus());
}
$taken = refused(fn () => $users->createUser(new Model\NewUser([
    'username' => 'ANNA',
    'email' => 'anna@example.com',
    'password' => 'correct horse',
])), 422, 'validation_failed');
$fields = array_keys($taken->getErrors());
sort($fields);
same(['email', 'username'], $fields);

// A block
$until = new DateTime('2099-01-01T00:00:00Z');
$users->blockUser(1, user_block_terms: new Model\UserBlockTerms(['reason' => 'Cooling off', 'until' => $until]));
[$block] = $users->listUserBlocks(1)->getBlocks();
same($until->getTimestamp(), $block->getUntil()->getTimestamp());
same(null, $block->getLiftedAt());
$users->unblockUser(1);
$anna = $users->getUser(1)->getUser();
same('active', $anna->getStatus());
same(['Member'], array_map(fn ($role) => $role->getName(), $anna->getRoles()));
same(true, $anna->getCreatedAt() <= new DateTime());

// A page with blocks
$pages = new Api\PagesApi($http, $config);
$page = $pages->createPage(
    new Model\NewPage(['title' => 'Welcome', 'slug' => 'welcome', 'content' => '<h1>Welcome</h1>'])
)->getPage();
$image = ['url' => '/banner.png', 'alt' => 'Our banner', 'width' => 960, 'height' => 240];
$pages->addPageBlock($page->getId(), new Model\NewPageBlock(['type' => 'text', 'content' => '<p>Hello</p>']));
$pages->addPageBlock($page->getId(), new Model\NewPageBlock(['type' => 'image', 'content' => $image]));
$contents = array_map(
    fn ($block) => is_object($block->getContent()) ? (array) $block->getContent() : $block->getContent(),
    $pages->listPageBlocks($page->getId())->getBlocks(),
);
same(['<p>Hello</p>', $image], $contents);

// A menu, and DELETE with a body
$menu = new Api\NavigationItemsApi($http, $config);
$community = $menu->createNavbarItem(new Model\NewNavbarItem([
    'title' => 'Community',
    'position' => 1,
    'roles' => [$member->getId(), $guard->getId()],
]))->getNavbarItem();
$menu->createNavbarItem(
    new Model\NewNavbarItem(['title' => 'Rules', 'url' => '/rules', 'parent_id' => $community->getId()])
);
$menu->removeNavbarItemRoles($community->getId(), new Model\NavbarItemRoles(['roles' => [$guard->getId()]]));
$item = $menu->getNavbarItem($community->getId())->getNavbarItem();
same(['Member'], array_map(fn ($role) => $role->getName(), $item->getRoles()));
same(['Rules'], array_map(fn ($child) => $child->getTitle(), $item->getChildren()));
refused(fn () => $menu->deleteNavbarItem($community->getId()), 422, 'has_children');

// Invoices, and a payment that is reported twice
$currencies = new Api\CurrenciesApi($http, $config);
$currency = $currencies->createCurrency(
    new Model\NewCurrency(['code' => 'EUR', 'minimum_value' => 1, 'exchange_rate' => 1])
)->getCurrency();
$invoices = new Api\PaymentInvoicesApi($http, $config);
foreach ([19.99, 5.0, 7.07] as $amount) {
    $invoice = $invoices->createPaymentInvoice(new Model\NewInvoice([
        'user_id' => $anna->getId(),
        'gateway' => 'card',
        'amount' => $amount,
        'currency_id' => $currency->getId(),
    ]))->getPaymentInvoice();
    same($amount, (float) $invoice->getAmount());
    same(null, $invoice->getPaidAt());
}
$pay = fn () => $invoices->setPaymentInvoiceStatusWithHttpInfo(
    1,
    new Model\InvoiceStatusChange(['is_paid' => true, 'transaction_id' => 'T-1001']),
    idempotency_key: 'callback-T-1001',
);
[$first, , $firstHeaders] = $pay();
[$second, , $secondHeaders] = $pay();
same(null, header_of($firstHeaders, 'Idempotent-Replayed'));
same('true', header_of($secondHeaders, 'Idempotent-Replayed'));
same((string) $first, (string) $second);
same(true, $first->getPaymentInvoice()->getPaidAt() instanceof DateTime);

// A list, by cursor
$names = [];
$after = null;
do {
    [$list, , $headers] = $users->listUsersWithHttpInfo(per_page: 2, after: $after);
    same('5', header_of($headers, 'X-Total-Count'));
    foreach ($list->getUsers() as $user) {
        $names[] = $user->getUsername();
    }
    $after = next_cursor($headers);
} while ($after !== null);
same(['anna', 'ben', 'carla', 'dora', 'emil'], $names);

// 409, DELETE, 404
refused(fn () => $currencies->deleteCurrency($currency->getId()), 409, 'currency_in_use');
$invoices->deletePaymentInvoice(3);
refused(fn () => $invoices->getPaymentInvoice(3), 404, 'not_found');

// An export
$csv = $invoices->exportPaymentInvoices(format: 'csv', sort: 'id');
[$head, $row1, $row2] = explode("\n", trim($csv));
same(true, str_starts_with($head, 'id,user_id,gateway,'));
same(['19.99', '5'], [explode(',', $row1)[4], explode(',', $row2)[4]]);
