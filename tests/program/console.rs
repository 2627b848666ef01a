//! The console as the program serves it: the files that it was built with, behind the middleware of
//! every request. The rules of its addresses are tested in `crates/console`.

use std::collections::HashSet;

use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;

use crate::support::{Home, Program};

struct Browser {
    http: reqwest::Client,
    origin: String,
}

impl Browser {
    /// Without a key. It neither follows redirects nor decompresses.
    fn of(service: &Program) -> Self {
        let http = reqwest::Client::builder().no_proxy();
        let http = http.redirect(Policy::none()).build();
        Self {
            http: http.expect("a client"),
            origin: format!("http://{}", service.address),
        }
    }

    async fn get(&self, path: &str, accepted: &str) -> (u16, HeaderMap, Vec<u8>) {
        let call = self.http.get(format!("{}{path}", self.origin));
        let response = call.header("Accept-Encoding", accepted).send().await;
        let response = response.expect("a response");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.expect("a body");
        (status, headers, body.to_vec())
    }

    async fn page(&self, path: &str) -> (HeaderMap, String) {
        let (status, headers, body) = self.get(path, "gzip, deflate, br").await;
        assert_eq!(status, 200, "{path}");
        (headers, String::from_utf8(body).expect("not compressed"))
    }
}

/// The addresses that a page loads.
fn addresses(page: &str) -> Vec<&str> {
    let quoted = page.split('"').skip(1).step_by(2);
    quoted.filter(|text| text.starts_with('/')).collect()
}

const SECURITY: [(&str, &str); 3] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
];

#[tokio::test]
async fn the_root_leads_to_a_page_whose_files_are_all_there() {
    let home = Home::new().await;
    let service = home.start().await;
    let browser = Browser::of(&service);
    let (status, headers, _) = browser.get("/", "").await;
    assert_eq!(
        (status, &headers["location"]),
        (307, &"/console/".parse().expect("ASCII"))
    );
    assert_eq!(headers["cache-control"], "no-store");

    let (headers, page) = browser.page("/console/users/5").await;
    assert_eq!(headers["cache-control"], "no-store");
    let found = addresses(&page);
    assert!(found.len() >= 3, "{page}");
    assert!(!page.contains("=\"."), "{page}");
    let mut tags = HashSet::new();
    for address in found {
        assert!(address.starts_with("/console/files/"), "{address}");
        let mut plain_size = 0;
        for (accepted, encoding) in [
            ("identity", None),
            ("gzip, deflate", Some("gzip")),
            ("gzip, deflate, br, zstd", Some("br")),
            ("gzip;q=0.5, br;q=1", Some("br")),
        ] {
            let (status, headers, body) = browser.get(address, accepted).await;
            assert_eq!(status, 200, "{address}");
            let sent = headers.get("content-encoding").map(|sent| sent.as_bytes());
            assert_eq!(sent, encoding.map(str::as_bytes), "{accepted}");
            let expected = "public, max-age=31536000, immutable";
            assert_eq!(headers["cache-control"], expected);
            assert_eq!(
                headers["vary"].to_str().expect("text").to_lowercase(),
                "accept-encoding"
            );
            assert_eq!(headers["content-length"], body.len().to_string());
            for (name, value) in SECURITY {
                assert_eq!(headers[name], value);
            }
            // No request changes the form that is stored, or its tag.
            let tag = headers["etag"]
                .to_str()
                .expect("text")
                .trim_matches('"')
                .to_owned();
            assert!(tag.bytes().all(|byte| byte.is_ascii_hexdigit()), "{tag}");
            tags.insert((address, tag));
            match encoding {
                None => plain_size = body.len(),
                Some("gzip") => {
                    let length = (plain_size as u32).to_le_bytes();
                    assert!(body.ends_with(&length), "of {address}");
                }
                Some(_) => {}
            }
        }
    }
    let named: HashSet<_> = tags.iter().map(|(address, _)| address).collect();
    assert_eq!(tags.len(), 3 * named.len(), "one tag for each form");
    let metrics = service.anonymous().get("/metrics").await.text;
    for route in ["/", "/console/{*route}", "/console/files/{*file}"] {
        let label = format!("route=\"{route}\"");
        assert!(metrics.contains(&label), "{label} is not counted");
    }
    service.stop().await.ok();
}

#[tokio::test]
async fn every_page_of_the_console_has_its_own_nonce() {
    let home = Home::new().await;
    let service = home.start().await;
    let browser = Browser::of(&service);
    let mut nonces = HashSet::new();
    for _ in 0..3 {
        let (headers, page) = browser.page("/console/").await;
        for (name, value) in SECURITY {
            assert_eq!(headers[name], value);
        }
        let policies: Vec<_> = headers.get_all("content-security-policy").iter().collect();
        let [policy] = policies[..] else {
            panic!("{policies:?}");
        };
        let policy = policy.to_str().expect("text");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; "),
            "{policy}"
        );
        let (_, nonce) = policy.split_once("'nonce-").expect("a nonce");
        let (nonce, _) = nonce.split_once('\'').expect("its end");
        assert!(page.contains(&format!("content=\"{nonce}\"")), "{page}");
        nonces.insert(nonce.to_owned());
    }
    assert_eq!(nonces.len(), 3);
    service.stop().await.ok();
}

#[tokio::test]
async fn a_file_of_another_version_is_404_and_a_write_to_the_console_is_405() {
    let home = Home::new().await;
    let service = home.start().await;
    let browser = Browser::of(&service);
    let older = format!("/console/files/{}/assets/index.js", "0".repeat(32));
    let (status, headers, _) = browser.get(&older, "br").await;
    assert_eq!(
        (status, &headers["cache-control"]),
        (404, &"no-store".parse().expect("ASCII"))
    );
    let refused = service
        .anonymous()
        .post("/console/", serde_json::json!({}))
        .await;
    assert_eq!(refused.expect(405)["code"], "method_not_allowed");
    service.stop().await.ok();
}

#[tokio::test]
async fn with_the_console_off_it_is_404_and_no_link_to_it_is_printed() {
    let home = Home::new().await;
    let service = home.start_with(&["--console", "off"]).await;
    for path in ["/console", "/console/", "/console/setup"] {
        assert_eq!(
            service.anonymous().get(path).await.expect(404)["code"],
            "not_found"
        );
    }
    for path in ["/docs", "/", "/api"] {
        let page = service.anonymous().get(path).await;
        assert!(page.status == 200 && page.text.contains("<html"), "{path}");
    }
    let ended = service.stop().await;
    assert!(!ended.stderr.contains("/console/setup"), "{}", ended.stderr);
    let invited = home.run(&["operator", "invite", "--console", "off"]).await;
    invited.failed("the console is off, so the link would lead nowhere; set --console on");

    // The link of a later start with the console works.
    let mut service = home.start().await;
    let written = |line: &serde_json::Value| {
        line["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("setup-link"))
    };
    service.logged(written).await;
    let ended = service.stop().await;
    assert!(!ended.stderr.contains("token="), "{}", ended.stderr);
}
