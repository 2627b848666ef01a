//! Checks the test server with two independent RCON clients: one made for Valve's servers, one
//! for Minecraft.

use std::path::Path;

use rcon::testing::{Behaviour, Server};

async fn check_with(client: &str, behaviour: Behaviour) {
    let server = Server::start("hunter2", behaviour).await.expect("a port");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("../../target/python/bin/python");
    assert!(python.exists(), "run scripts/setup test first");
    let port = server.address().port().to_string();
    let output = tokio::process::Command::new(python)
        .arg(root.join("tests/independent.py"))
        .args([client, &port])
        .output();
    let output = output.await.expect("python runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{behaviour:?}: {stderr}");
    let commands = ["echo hello", "fill 20000", "nothing"];
    assert_eq!(server.commands(), commands, "{behaviour:?}");
}

#[tokio::test]
async fn an_independent_client_for_valves_servers_understands_the_test_server() {
    check_with("valve", Behaviour::Valve).await;
}

#[tokio::test]
async fn an_independent_client_for_minecraft_understands_the_test_server() {
    check_with("minecraft", Behaviour::Minecraft).await;
}
