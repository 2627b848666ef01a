//! The program and Discord, which a server of the test on loopback plays: no secret that passes
//! between them reaches the log.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::support::{Ended, Home};

const BOT_TOKEN: &str = "the-token-of-the-bot-of-the-program-test";
const CLIENT_SECRET: &str = "the-client-secret-of-the-program-test";
const ACCESS_TOKEN: &str = "the-access-token-of-the-program-test";
const CODE: &str = "the-code-of-the-program-test";
const PAGE: &str = "http://127.0.0.1:9/signed-in";

/// Answers as Discord does to whoever signs in, and quotes every request of a bot in an error. Runs
/// until it is aborted; returns the address of its API as well.
async fn discord() -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let serving = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = vec![0; 8192];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..read]).into_owned();
                let (status, body) = answer(&text);
                let length = body.len();
                let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\n\r\n");
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            });
        }
    });
    (format!("http://127.0.0.1:{port}/api/v10"), serving)
}

fn answer(request: &str) -> (u16, String) {
    let body = match request.split(' ').nth(1).unwrap_or_default() {
        "/api/v10/oauth2/token" => {
            json!({ "access_token": ACCESS_TOKEN, "token_type": "Bearer" })
        }
        "/api/v10/oauth2/token/revoke" => json!({}),
        "/api/v10/users/@me" if request.contains("Bearer ") => {
            json!({ "id": "80351110224678912" })
        }
        _ => return (500, json!({ "code": 0, "message": request }).to_string()),
    };
    (200, body.to_string())
}

/// Asserts that the output has this line of the log and none of the secrets.
fn assert_unseen(ended: &Ended, line: &str, secrets: &[&str]) {
    for secret in secrets {
        for output in [&ended.stdout, &ended.stderr] {
            assert!(!output.contains(secret), "{secret} is in {output}");
        }
    }
    assert!(ended.stderr.contains(line), "{line} in {}", ended.stderr);
}

#[tokio::test]
async fn the_token_of_the_bot_is_in_no_log_and_the_visits_are_counted() {
    let home = Home::new().await;
    let (url, serving) = discord().await;
    let service = home
        .start_with(&["--log-level", "trace", "--discord-url", &url])
        .await;
    let admin = service.admin();
    let body = json!({ "guild_id": "613425648685547541", "bot_token": BOT_TOKEN });
    admin.put("/api/discord", body).await.created();
    let refused = admin.post("/api/discord/check", json!({})).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(!refused.text.contains(BOT_TOKEN));
    let metrics = admin.get("/metrics").await.text;
    assert!(metrics.contains("steward_discord_visits_total{outcome=\"done\"} 0"));
    let ended = service.stop().await;
    ended.ok();
    serving.abort();
    assert_unseen(&ended, "Discord gave no usable answer", &[BOT_TOKEN]);
}

#[tokio::test]
async fn no_secret_of_a_sign_in_is_in_the_log() {
    let home = Home::new().await;
    let (url, serving) = discord().await;
    let file = home.folder().join("client-secret");
    std::fs::write(&file, CLIENT_SECRET).expect("written");
    let file = file.to_str().expect("a path of text");
    let service = home
        .start_with(&[
            "--log-level",
            "trace",
            "--discord-url",
            &url,
            "--discord-client-id",
            "1234567890",
            "--discord-client-secret-file",
            file,
            "--sign-in-return-to",
            PAGE,
        ])
        .await;
    let admin = service.admin();
    let begin = json!({ "return_to": PAGE });
    let begun = admin
        .post("/api/sign-in/discord/start", begin)
        .await
        .created();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let page: reqwest::Url = text(&begun["url"]).parse().expect("a URL");
    let (_, state) = page
        .query_pairs()
        .find(|(name, _)| name == "state")
        .expect("a state");
    let browser_token = text(&begun["browser_token"]);
    let finish = json!({
        "query": format!("code={CODE}&state={state}"), "browser_token": browser_token,
        "device_name": "Phone", "user_agent": "Mozilla/5.0",
    });
    let path = "/api/sign-in/discord/finish";
    let made = admin.post(path, finish.clone()).await.created();
    // The same answer again is refused, with its reason in the log.
    let refused = admin.post(path, finish).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let session_token = text(&made["session_token"]);
    let ended = service.stop().await;
    ended.ok();
    serving.abort();
    let secrets = [
        CLIENT_SECRET,
        ACCESS_TOKEN,
        CODE,
        &browser_token,
        &session_token,
        &*state,
    ];
    assert_unseen(&ended, "an answer signed nobody in", &secrets);
}
