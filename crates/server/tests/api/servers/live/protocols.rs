//! The other protocols of game servers, with recorded answers.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

use super::{create, query, start};

/// Beginnings of requests, each with the packets that answer it. Other requests get no answer.
type Script = Vec<(&'static [u8], Vec<Vec<u8>>)>;

/// Answers by a script until the test ends. Returns its port.
async fn answer_by_script(script: Script) -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a free port");
    let port = socket.local_addr().expect("an address").port();
    let script = Arc::new(script);
    tokio::spawn(async move {
        let mut question = [0; 2048];
        while let Ok((size, peer)) = socket.recv_from(&mut question).await {
            let fits = |(head, _): &&(&[u8], _)| question[..size].starts_with(head);
            for packet in script
                .iter()
                .find(fits)
                .into_iter()
                .flat_map(|(_, all)| all)
            {
                let _ = socket.send_to(packet, peer).await;
            }
        }
    });
    port
}

async fn query_once(game: &str, port: u16) -> Value {
    let app = start().await;
    let body = json!({
        "name": "x", "ip": "127.0.0.1", "port": port, "game": game, "rcon_password": "x",
    });
    let id = create(&app.admin(), body).await;
    query(&app.admin(), id).await
}

#[track_caller]
fn assert_live(live: &Value, name: &str, map: &str, players: (i64, i64), listed: Value) {
    assert_eq!(live["error"], Value::Null, "{live}");
    assert_eq!(live["name"], name, "{live}");
    assert_eq!(live["map"], map, "{live}");
    let counted = (&live["players_online"], &live["max_players"]);
    assert_eq!(counted, (&json!(players.0), &json!(players.1)), "{live}");
    assert_eq!(live["players"], listed, "{live}");
}

fn player(name: &str, score: Option<i64>) -> Value {
    json!({ "name": name, "score": score, "seconds": null })
}

#[service_test]
async fn gamespy_1_is_understood() {
    // The second packet first.
    let answer = vec![
        b"\\player_1\\Bob\\frags_1\\-2\\final\\\\queryid\\7.2".to_vec(),
        b"\\hostname\\Facing\\mapname\\DM-Morpheus\\numplayers\\2\\maxplayers\\16\\gamever\\436\
          \\player_0\\Ann\\frags_0\\9\\queryid\\7.1"
            .to_vec(),
    ];
    let live = query_once(
        "ut99",
        answer_by_script(vec![(b"\\status\\", answer)]).await,
    )
    .await;
    let listed = json!([player("Ann", Some(9)), player("Bob", Some(-2))]);
    assert_live(&live, "Facing", "DM-Morpheus", (2, 16), listed);
    assert_eq!(live["version"], "436");
}

#[service_test]
async fn gamespy_2_is_understood() {
    let answer =
        b"\0\0\0\0\x01hostname\0Halo\0mapname\0bloodgulch\0numplayers\x001\0maxplayers\x0016\0\0\
                   \0\x01player_\0score_\0ping_\0team_\0\0Chief\x0012\x0050\x001\0\0\0\0"
            .to_vec();
    let script = vec![(&b"\xfe\xfd\x00\0\0\0\x01"[..], vec![answer])];
    let live = query_once("hce", answer_by_script(script).await).await;
    assert_live(
        &live,
        "Halo",
        "bloodgulch",
        (1, 16),
        json!([player("Chief", Some(12))]),
    );
}

#[service_test]
async fn gamespy_3_is_understood() {
    let handshake = b"\x09\0\0\0\x019513307\0".to_vec();
    let head = b"\0\0\0\0\x01splitnum\0";
    let first = [
        &head[..],
        b"\x00\0hostname\0Wars\0mapname\0mesa\0numplayers\x002\0maxplayers\x0032\0gamever\x001.1\0\0",
        b"\x01player_\0\0Ann\0\0",
    ];
    let last = [
        &head[..],
        b"\x81\0\x01player_\0\x01Bob\0\0score_\0\x005\x007\0\0",
    ];
    let script: Script = vec![
        (b"\xfe\xfd\x09", vec![handshake]),
        // The challenge comes back as four bytes.
        (
            b"\xfe\xfd\x00\0\0\0\x01\x00\x91\x29\x5b\xff\xff\xff\x01",
            vec![last.concat(), first.concat()],
        ),
    ];
    let live = query_once("crysiswars", answer_by_script(script).await).await;
    let listed = json!([player("Ann", Some(5)), player("Bob", Some(7))]);
    assert_live(&live, "Wars", "mesa", (2, 32), listed);
}

#[service_test]
async fn unreal_2_is_understood() {
    let mut info = b"\x80\0\0\0\0\x01\0\0\0\x01\0\x61\x1e\0\0\x62\x1e\0\0".to_vec();
    info.extend(b"\x07Tower!\0\x0bDM-Rankin!\0\x03DM\0");
    info.extend(b"\x01\0\0\0\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let players = b"\x80\0\0\0\x02\x05\0\0\0\x04Ann\0\x20\0\0\0\xfd\xff\xff\xff\0\0\0\0".to_vec();
    let script: Script = vec![
        (b"\x79\0\0\0\0", vec![info]),
        (b"\x79\0\0\0\x02", vec![players]),
    ];
    let live = query_once("ut2004", answer_by_script(script).await).await;
    assert_live(
        &live,
        "Tower!",
        "DM-Rankin!",
        (1, 10),
        json!([player("Ann", Some(-3))]),
    );
}

#[service_test]
async fn minecraft_bedrock_and_java_are_queried_by_either_name_or_a_common_one() {
    let text = "MCPE;§aDedicated;786;1.21.70;3;10;123;Bedrock level;Survival;1;19132;19133;";
    let magic = b"\0\xff\xff\0\xfe\xfe\xfe\xfe\xfd\xfd\xfd\xfd\x124\x56\x78";
    let length = (text.len() as u16).to_be_bytes();
    let pong = [&b"\x1c"[..], &[0; 16], magic, &length, text.as_bytes()].concat();
    let port = answer_by_script(vec![(b"\x01", vec![pong])]).await;
    for game in ["bedrock", "minecraft"] {
        let live = query_once(game, port).await;
        assert_live(&live, "Dedicated", "Bedrock level", (3, 10), json!([]));
        assert_eq!(live["version"], "1.21.70");
    }

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let status = r#"{"version":{"name":"1.21.4","protocol":769},"players":{"max":20,"online":1,
            "sample":[{"name":"Alex","id":"x"}]},"description":{"text":"A §lserver"}}"#;
        let length = status.len() as u8;
        assert!(length > 0x7f && status.len() < 256, "two bytes of length");
        let text = [&[0, length | 0x80, 1][..], status.as_bytes()].concat();
        let packet = [
            &[text.len() as u8 | 0x80, (text.len() >> 7) as u8][..],
            &text,
        ]
        .concat();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut question = [0; 256];
            let _ = stream.read(&mut question).await;
            // In two parts, as TCP may deliver it.
            let (one, two) = packet.split_at(50);
            let _ = stream.write_all(one).await;
            let _ = stream.flush().await;
            tokio::task::yield_now().await;
            let _ = stream.write_all(two).await;
        }
    });
    for game in ["minecraftjava", "minecraft"] {
        let live = query_once(game, port).await;
        assert_live(
            &live,
            "A server",
            "",
            (1, 20),
            json!([player("Alex", None)]),
        );
        assert_eq!(live["version"], "1.21.4");
    }
}
