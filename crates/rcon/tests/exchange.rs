//! The client against servers of every kind.

use std::net::SocketAddr;
use std::time::Duration;

use rcon::testing::{Manners, Server};
use rcon::{Answer, Error, Failed, Limits, run};

const LIMITS: Limits = Limits {
    time: Duration::from_secs(10),
    answer: 64 << 10,
};

async fn ask(manners: Manners, command: &str) -> Result<Answer, Failed> {
    let server = Server::start("hunter2", manners).await.expect("a port");
    run(server.address(), b"hunter2", command, LIMITS).await
}

fn text(answer: Result<Answer, Failed>) -> String {
    let Answer { text, truncated } = answer.expect("an answer");
    assert!(!truncated);
    String::from_utf8(text).expect("text")
}

#[tokio::test]
async fn a_command_is_answered() {
    for manners in [
        Manners::Valve,
        Manners::Minecraft,
        Manners::NoEnd,
        Manners::Quiet,
        Manners::Pieces,
    ] {
        let answer = text(ask(manners, "echo hello wörld").await);
        assert_eq!(answer, "hello wörld", "{manners:?}");
        let none = text(ask(manners, "say_nothing").await);
        assert_eq!(none, "", "{manners:?}");
    }
}

#[tokio::test]
async fn an_answer_of_many_packets_is_put_together() {
    for manners in [Manners::Valve, Manners::Minecraft, Manners::NoEnd] {
        for size in [4080, 4096, 8176, 65536] {
            let answer = text(ask(manners, &format!("fill {size}")).await);
            let expected = "0123456789abcdef".repeat(size / 16);
            assert!(answer == expected, "{manners:?} {size}: {}", answer.len());
        }
    }
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_cut_there() {
    for (manners, command) in [
        (Manners::Valve, "fill 65552"),
        (Manners::OnePacket, "fill 1000000"),
        (Manners::Endless, "status"),
    ] {
        let answer = ask(manners, command).await.expect("an answer");
        assert!(answer.truncated, "{manners:?}");
        assert_eq!(answer.text.len(), LIMITS.answer, "{manners:?}");
    }
}

/// Why it failed, and whether the command may have been carried out.
async fn failure(address: SocketAddr, password: &[u8], limits: Limits) -> (Error, bool) {
    let failed = run(address, password, "echo a long enough answer", limits).await;
    let Failed { error, sent } = failed.expect_err("no answer");
    (error, sent)
}

#[tokio::test]
async fn a_wrong_password_is_told_from_no_connection() {
    let server = Server::start("hunter2", Manners::Valve)
        .await
        .expect("a port");
    let wrong = failure(server.address(), b"hunter3", LIMITS).await;
    assert!(matches!(wrong, (Error::WrongPassword, false)), "{wrong:?}");
    assert_eq!(server.heard(), Vec::<String>::new());

    let nobody: SocketAddr = "127.0.0.1:1".parse().expect("an address");
    let none = failure(nobody, b"hunter2", LIMITS).await;
    assert!(matches!(none, (Error::NoConnection(_), false)), "{none:?}");
}

#[tokio::test]
async fn whoever_does_not_speak_rcon_is_found_out() {
    for manners in [Manners::Garbage, Manners::HangsUp, Manners::Truncates] {
        let server = Server::start("hunter2", manners).await.expect("a port");
        let failed = failure(server.address(), b"hunter2", LIMITS).await;
        let as_expected = match manners {
            Manners::Garbage => matches!(failed, (Error::NotRcon(_), false)),
            Manners::HangsUp => matches!(failed, (Error::Closed, false)),
            // The command was carried out, and half of its answer is no answer.
            _ => matches!(failed, (Error::Closed, true)),
        };
        assert!(as_expected, "{manners:?} {failed:?}");
    }
}

#[tokio::test]
async fn nobody_is_waited_for_beyond_the_limit() {
    for (manners, is_sent) in [
        (Manners::Silent, false),
        (Manners::SilentLater, true),
        (Manners::Drips, false),
    ] {
        let server = Server::start("hunter2", manners).await.expect("a port");
        let limits = Limits {
            time: Duration::from_millis(300),
            ..LIMITS
        };
        let late = failure(server.address(), b"hunter2", limits).await;
        assert!(matches!(late.0, Error::TimedOut), "{manners:?} {late:?}");
        assert_eq!(late.1, is_sent, "{manners:?}");
    }
}
