<?php

// The address that the payment gateway calls when a player has paid. Set STEWARD_URL, STEWARD_KEY
// (a key with admin.payments) and GATEWAY_SECRET in the environment of PHP.

declare(strict_types=1);

require_once __DIR__ . '/payment.php';

$body = (string) file_get_contents('php://input', length: 65536);
$signature = $_SERVER['HTTP_GATEWAY_SIGNATURE'] ?? '';
if (!is_signed($signature, $body, (string) getenv('GATEWAY_SECRET'), time())) {
    http_response_code(401);
    exit;
}
$payment = json_decode($body, true);
$steward = new Steward((string) getenv('STEWARD_URL'), (string) getenv('STEWARD_KEY'));
http_response_code(is_array($payment) ? accept_payment($steward, $payment) : 422);
