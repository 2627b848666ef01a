//! The client against well-behaved and misbehaving servers.

use std::net::SocketAddr;
use std::time::Duration;

use rcon::testing::{Behaviour, Server};
use rcon::{Answer, Error, Failed, Limits, run};

const LIMITS: Limits = Limits {
    time: Duration::from_secs(10),
    answer: 64 << 10,
};

async fn run_command(behaviour: Behaviour, command: &str) -> Result<Answer, Failed> {
    let server = Server::start("hunter2", behaviour).await.expect("a port");
    run(server.address(), b"hunter2", command, LIMITS).await
}

fn text(answer: Result<Answer, Failed>) -> String {
    let Answer { text, truncated } = answer.expect("an answer");
    assert!(!truncated);
    String::from_utf8(text).expect("text")
}

#[tokio::test]
async fn a_command_is_answered() {
    for behaviour in [
        Behaviour::Valve,
        Behaviour::Minecraft,
        Behaviour::NoEndMarker,
        Behaviour::NoEmptyAnswer,
        Behaviour::ByteByByte,
    ] {
        let answer = text(run_command(behaviour, "echo hello wörld").await);
        assert_eq!(answer, "hello wörld", "{behaviour:?}");
        let none = text(run_command(behaviour, "say_nothing").await);
        assert_eq!(none, "", "{behaviour:?}");
    }
}

#[tokio::test]
async fn an_answer_of_many_packets_is_reassembled() {
    for behaviour in [
        Behaviour::Valve,
        Behaviour::Minecraft,
        Behaviour::NoEndMarker,
    ] {
        for size in [4080, 4096, 8176, 65536] {
            let answer = text(run_command(behaviour, &format!("fill {size}")).await);
            let expected = "0123456789abcdef".repeat(size / 16);
            assert!(answer == expected, "{behaviour:?} {size}: {}", answer.len());
        }
    }
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_truncated() {
    for (behaviour, command) in [
        (Behaviour::Valve, "fill 65552"),
        (Behaviour::OnePacket, "fill 1000000"),
        (Behaviour::Endless, "status"),
    ] {
        let answer = run_command(behaviour, command).await.expect("an answer");
        assert!(answer.truncated, "{behaviour:?}");
        assert_eq!(answer.text.len(), LIMITS.answer, "{behaviour:?}");
    }
}

/// Returns the error, and whether the command may have been carried out.
async fn failure(address: SocketAddr, password: &[u8], limits: Limits) -> (Error, bool) {
    let failed = run(address, password, "echo a long enough answer", limits).await;
    let Failed { error, sent } = failed.expect_err("no answer");
    (error, sent)
}

#[tokio::test]
async fn a_wrong_password_and_a_closed_port_are_different_errors() {
    let server = Server::start("hunter2", Behaviour::Valve)
        .await
        .expect("a port");
    let wrong = failure(server.address(), b"hunter3", LIMITS).await;
    assert!(matches!(wrong, (Error::WrongPassword, false)), "{wrong:?}");
    assert_eq!(server.commands(), Vec::<String>::new());

    let closed_port: SocketAddr = "127.0.0.1:1".parse().expect("an address");
    let none = failure(closed_port, b"hunter2", LIMITS).await;
    assert!(matches!(none, (Error::NoConnection(_), false)), "{none:?}");
}

#[tokio::test]
async fn a_server_that_breaks_the_protocol_is_an_error() {
    for behaviour in [
        Behaviour::NotRcon,
        Behaviour::ClosesAtOnce,
        Behaviour::ClosesMidAnswer,
        Behaviour::ClosesAfterCommand,
    ] {
        let server = Server::start("hunter2", behaviour).await.expect("a port");
        let failed = failure(server.address(), b"hunter2", LIMITS).await;
        let as_expected = match behaviour {
            Behaviour::NotRcon => matches!(failed, (Error::NotRcon(_), false)),
            Behaviour::ClosesAtOnce => matches!(failed, (Error::Closed, false)),
            // The command was sent, and an answer that is missing or incomplete is an error.
            _ => matches!(failed, (Error::Closed, true)),
        };
        assert!(as_expected, "{behaviour:?} {failed:?}");
    }
}

#[tokio::test]
async fn a_server_that_was_down_can_come_back() {
    let server = Server::start("hunter2", Behaviour::Refuses)
        .await
        .expect("a port");
    let refused = async || loop {
        // The port is closed a moment after the behaviour is changed.
        let failed = run(server.address(), b"hunter2", "echo hello", LIMITS).await;
        if let Err(Failed { error, sent }) = failed {
            assert!(matches!(error, Error::NoConnection(_) | Error::Closed));
            assert!(!sent);
            return;
        }
    };
    refused().await;
    server.behave(Behaviour::Valve);
    while run(server.address(), b"hunter2", "echo hello", LIMITS)
        .await
        .is_err()
    {}
    assert_eq!(server.commands(), ["echo hello"]);
    server.behave(Behaviour::Refuses);
    refused().await;
}

#[tokio::test]
async fn a_server_that_does_not_answer_in_time_is_an_error() {
    for (behaviour, is_sent) in [
        (Behaviour::Silent, false),
        (Behaviour::SilentAfterLogin, true),
        (Behaviour::Slow, false),
    ] {
        let server = Server::start("hunter2", behaviour).await.expect("a port");
        let limits = Limits {
            time: Duration::from_secs(2),
            ..LIMITS
        };
        let late = failure(server.address(), b"hunter2", limits).await;
        assert!(matches!(late.0, Error::TimedOut), "{behaviour:?} {late:?}");
        assert_eq!(late.1, is_sent, "{behaviour:?}");
    }
}
