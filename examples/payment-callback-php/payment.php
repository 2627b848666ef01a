<?php

declare(strict_types=1);

require_once __DIR__ . '/steward.php';

const SIGNATURE_LIFETIME_SECONDS = 300;

/**
 * Whether the payment gateway sent this body. Its header has the form "t=<Unix time>,v1=<hex>", and
 * the signature is HMAC-SHA256 of "<Unix time>.<body>". The time prevents an old callback from being
 * sent again later.
 */
function is_signed(string $header, string $body, string $secret, int $now): bool
{
    if (preg_match('/^t=(\d{1,12}),v1=([0-9a-f]{64})$/D', $header, $parts) !== 1) {
        return false;
    }
    [, $time, $signature] = $parts;
    $expected = hash_hmac('sha256', "$time.$body", $secret);
    return hash_equals($expected, $signature) && abs($now - (int) $time) <= SIGNATURE_LIFETIME_SECONDS;
}

/** An amount with all four decimal places, so that equal amounts are equal strings; null if it is none. */
function exact_amount(mixed $text): ?string
{
    if (!is_string($text) || preg_match('/^(\d{1,12}|1000000000000)(?:\.(\d{1,4}))?$/D', $text, $parts) !== 1) {
        return null;
    }
    return (ltrim($parts[1], '0') ?: '0') . '.' . str_pad($parts[2] ?? '', 4, '0');
}

/**
 * Orders a product for a user, and returns the invoice to pay: `id`, `amount`, `currency`. Its price
 * is that of the product. `$order` is the number of the order in the shop: ordered twice, it is one
 * invoice.
 */
function order_product(Steward $steward, int $userId, int $productId, int $currencyId, string $order): array
{
    return $steward->call(
        'POST',
        '/api/payment-invoices',
        [
            'user_id' => $userId,
            'product_id' => $productId,
            'currency_id' => $currencyId,
            'gateway' => 'bank',
        ],
        'order-' . hash('sha256', $order),
    )['payment_invoice'];
}

/**
 * Sets the invoice of a callback paid, and returns the HTTP status for the gateway: 200 is done, 422
 * will never work, and after 503 the gateway sends the callback again.
 */
function accept_payment(Steward $steward, array $payment): int
{
    ['invoice' => $invoiceId, 'transaction' => $transaction, 'currency' => $currency] =
        $payment + ['invoice' => null, 'transaction' => null, 'currency' => null];
    $amount = exact_amount($payment['amount'] ?? null);
    if (!is_int($invoiceId) || !is_string($transaction) || $amount === null) {
        return 422;
    }
    try {
        $invoice = $steward->call('GET', "/api/payment-invoices/$invoiceId")['payment_invoice'];
        if (exact_amount((string) $invoice['amount']) !== $amount || $invoice['currency']['code'] !== $currency) {
            error_log("payment $transaction does not match invoice $invoiceId");
            return 422;
        }
        // However often the gateway reports this payment, Steward carries this request out once.
        $steward->call(
            'PUT',
            "/api/payment-invoices/$invoiceId/status",
            ['is_paid' => true, 'transaction_id' => $transaction],
            'payment-' . hash('sha256', $transaction),
        );
        return 200;
    } catch (StewardError $error) {
        error_log("payment $transaction: {$error->getMessage()}");
        // A request that is wrong stays wrong. All else can work later, also after a new API key.
        return in_array($error->status, [404, 422], true) ? 422 : 503;
    }
}
