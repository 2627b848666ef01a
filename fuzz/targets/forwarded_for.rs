//! Checks that, for any `X-Forwarded-For`, the client is the peer or an address in the header, and
//! that an untrusted peer is the client.
#![cfg_attr(fuzzing, no_main)]

use std::net::IpAddr;

use http::{HeaderMap, HeaderValue};
use kernel::http::client_ip::resolve;
use kernel::types::IpNetworks;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(line) = HeaderValue::from_bytes(line) {
            headers.append("x-forwarded-for", line);
        }
    }
    let trusted = IpNetworks::from_stored("10.0.0.0/8,::1");
    let outside: IpAddr = [192, 0, 2, 1].into();
    assert_eq!(resolve(outside, &headers, &trusted), outside);
    let proxy: IpAddr = [10, 0, 0, 1].into();
    let client = resolve(proxy, &headers, &trusted);
    assert_eq!(client, client.to_canonical());
    let everyone = IpNetworks::from_stored("0.0.0.0/0,::/0");
    let first = resolve(proxy, &headers, &everyone);
    // With more trusted proxies the search goes at least as far; at a trusted address, both stop.
    if trusted.contains(client) {
        assert_eq!(first, client);
    }
});
