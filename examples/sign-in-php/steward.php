<?php

declare(strict_types=1);

/** An error reply of Steward, or none at all (status 0). `error` is for programs and never changes. */
final class StewardError extends RuntimeException
{
    /** `reply` has the reason and the end of a block. */
    public function __construct(
        public readonly int $status,
        public readonly string $error,
        string $message,
        public readonly array $reply = [],
    ) {
        parent::__construct($message);
    }
}

final class Steward
{
    public function __construct(private readonly string $url, private readonly string $key)
    {
    }

    /** Sends a request and returns the body of the reply. */
    public function call(string $method, string $path, ?array $body = null): array
    {
        $headers = ['X-API-Key: ' . $this->key];
        $options = [
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_RETURNTRANSFER => true,
            // Steward asks Discord three times at the end of a sign-in, for up to 5 seconds each.
            CURLOPT_TIMEOUT => 20,
        ];
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
            // A browser can send what is not UTF-8.
            $options[CURLOPT_POSTFIELDS] = json_encode($body, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
        }
        $request = curl_init($this->url . $path);
        curl_setopt_array($request, $options + [CURLOPT_HTTPHEADER => $headers]);
        $reply = curl_exec($request);
        if ($reply === false) {
            throw new StewardError(0, 'unreachable', curl_error($request));
        }
        $status = curl_getinfo($request, CURLINFO_RESPONSE_CODE);
        $found = json_decode($reply, true);
        if (!is_array($found)) {
            // A proxy in front of Steward has error pages of its own.
            throw new StewardError($status, 'unknown', "Steward replied with $status.");
        }
        if ($status >= 400) {
            throw new StewardError($status, $found['code'], $found['message'], $found);
        }
        return $found;
    }
}
