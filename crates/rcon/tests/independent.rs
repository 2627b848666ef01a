//! The server that the client is tested against is tested by clients which others wrote: one
//! made for Valve's servers, one for Minecraft.

use std::path::Path;

use rcon::testing::{Manners, Server};

async fn judge(client: &str, manners: Manners) {
    let server = Server::start("hunter2", manners).await.expect("a port");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("../../target/python/bin/python");
    assert!(python.exists(), "run scripts/setup test first");
    let port = server.address().port().to_string();
    let judged = tokio::process::Command::new(python)
        .arg(root.join("tests/independent.py"))
        .args([client, &port])
        .output();
    let judged = judged.await.expect("python runs");
    let said = String::from_utf8_lossy(&judged.stderr);
    assert!(judged.status.success(), "{manners:?}: {said}");
    let heard = ["echo hello", "fill 20000", "nothing"];
    assert_eq!(server.heard(), heard, "{manners:?}");
}

#[tokio::test]
async fn a_client_for_valves_servers_takes_ours_for_one() {
    judge("valve", Manners::Valve).await;
}

#[tokio::test]
async fn a_client_for_minecraft_takes_ours_for_one() {
    judge("minecraft", Manners::Minecraft).await;
}
