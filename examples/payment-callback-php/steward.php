<?php

declare(strict_types=1);

/** An error reply of Steward, or none at all (status 0). `code` is for programs and never changes. */
final class StewardError extends RuntimeException
{
    public function __construct(public readonly int $status, public readonly string $error, string $message)
    {
        parent::__construct($message);
    }
}

final class Steward
{
    public function __construct(private readonly string $url, private readonly string $key)
    {
    }

    /** Sends a request and returns the body of the reply. Decimal numbers in it are strings, such as "19.99". */
    public function call(string $method, string $path, ?array $body = null, ?string $idempotencyKey = null): array
    {
        $headers = ['X-API-Key: ' . $this->key];
        $options = [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 10,
        ];
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            $options[CURLOPT_POSTFIELDS] = json_encode($body, JSON_THROW_ON_ERROR);
        }
        if ($idempotencyKey !== null) {
            $headers[] = 'Idempotency-Key: ' . $idempotencyKey;
        }
        $request = curl_init($this->url . $path);
        curl_setopt_array($request, $options + [CURLOPT_HTTPHEADER => $headers]);
        $reply = curl_exec($request);
        if ($reply === false) {
            throw new StewardError(0, 'unreachable', curl_error($request));
        }
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        $found = decode_exactly($reply);
        if (!is_array($found)) {
            // A proxy in front of Steward has error pages of its own.
            throw new StewardError($status, 'unknown', "Steward replied with $status.");
        }
        if ($status >= 400) {
            throw new StewardError($status, $found['code'], $found['message']);
        }
        return $found;
    }
}

/**
 * Decodes JSON with decimal numbers as strings of the same digits. PHP reads them as binary floating
 * point, which cannot hold every amount.
 */
function decode_exactly(string $json): mixed
{
    // A string, which stays as it is, or a decimal number outside of strings.
    $token = '/"(?:[^"\\\\]++|\\\\.)*+"|-?\d+\.\d+/s';
    $quote = fn (array $found) => $found[0][0] === '"' ? $found[0] : '"' . $found[0] . '"';
    return json_decode(preg_replace_callback($token, $quote, $json), true);
}
