//! Signs a message and posts it to addresses that may be contacted.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_client::{Answer, Post, Resolve, Url, literal_address};
use tokio::time::Instant;

use crate::{Failure, Message, Networks, SigningSecret};

/// The time limit of a request, from resolving the name to the end of the answer.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Sends requests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Client {
    networks: Networks,
    http: http_client::Client,
}

impl Client {
    pub fn new(networks: Networks, resolver: Arc<dyn Resolve>) -> Self {
        Self {
            networks,
            http: http_client::Client::new(resolver),
        }
    }

    /// Returns `true` if the host of a URL is a literal address that must not be contacted.
    pub fn refuses(&self, url: &Url) -> bool {
        literal_address(url).is_some_and(|address| !self.networks.allow(address))
    }

    /// Posts a message, signed with each of the secrets. Redirects are not followed.
    pub async fn send(
        &self,
        url: &Url,
        secrets: &[SigningSecret],
        message: Message<'_>,
    ) -> Result<Answer, Failure> {
        let end = Instant::now() + TIME_LIMIT;
        let resolving = tokio::time::timeout_at(end, self.addresses(url)).await;
        let addresses = resolving.map_err(|_| http_client::Failure::Timeout)??;
        let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(message)).collect();
        let post = Post {
            url,
            headers: &[
                ("webhook-id", message.id.to_owned()),
                ("webhook-timestamp", message.timestamp.to_string()),
                ("webhook-signature", signatures.join(" ")),
            ],
            body: Bytes::copy_from_slice(message.body),
        };
        Ok(self.http.post(post, &addresses, end).await?)
    }

    /// The addresses to try. A name is resolved once, so only checked addresses are contacted.
    async fn addresses(&self, url: &Url) -> Result<Vec<IpAddr>, Failure> {
        let found = self.http.resolve(url).await?;
        let first = *found.first().ok_or(http_client::Failure::NoAddress)?;
        let mut allowed = found;
        allowed.retain(|address| self.networks.allow(*address));
        match allowed.is_empty() {
            true => Err(Failure::Forbidden(first)),
            false => Ok(allowed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use http_client::Resolving;
    use http_client::testing::{OK, answer, listener};

    use super::*;

    /// Gives its answers in turn, then repeats the last one.
    #[derive(Debug)]
    struct Names {
        answers: Vec<Vec<IpAddr>>,
        asked: AtomicUsize,
    }

    impl Resolve for Names {
        fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
            let asked = self.asked.fetch_add(1, Ordering::SeqCst);
            let answer = self.answers[asked.min(self.answers.len() - 1)].clone();
            Box::pin(async move { Ok(answer) })
        }
    }

    fn names(answers: &[&[&str]]) -> Arc<Names> {
        let parse = |text: &&str| text.parse().expect(text);
        let answers = answers.iter();
        Arc::new(Names {
            answers: answers
                .map(|answer| answer.iter().map(parse).collect())
                .collect(),
            asked: AtomicUsize::new(0),
        })
    }

    fn client(named: &[&str], names: &Arc<Names>) -> Client {
        let named = named.iter().map(|text| text.parse().expect(text));
        Client::new(Networks::new(named), Arc::clone(names) as Arc<dyn Resolve>)
    }

    fn url(text: &str) -> Url {
        text.parse().expect(text)
    }

    async fn post(client: &Client, url: &Url) -> Result<Answer, Failure> {
        let secrets = [SigningSecret::new([1; 32]), SigningSecret::new([2; 32])];
        client.send(url, &secrets, MESSAGE).await
    }

    const MESSAGE: Message<'_> = Message {
        id: "msg_1",
        timestamp: 1_772_366_400,
        body: b"{}",
    };

    fn signature(secret: u8) -> String {
        SigningSecret::new([secret; 32])
            .sign(MESSAGE)
            .to_lowercase()
    }

    fn is_refused(failure: &Failure) -> bool {
        matches!(failure, Failure::Http(http_client::Failure::Connection(_)))
    }

    #[tokio::test]
    async fn a_request_arrives_with_its_headers_and_its_answer_comes_back() {
        let (listener, port) = listener("127.0.0.1").await;
        let receiving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            answer(stream, OK).await
        });
        let client = client(&["127.0.0.0/8"], &names(&[&["127.0.0.1"]]));
        let url = url(&format!("http://example.test:{port}/hook?a=b#part"));
        let got = post(&client, &url).await;
        let got = got.expect("an answer");
        assert_eq!((got.status, &got.body[..]), (200, &b"fine"[..]));
        let request = receiving.await.expect("a request").to_lowercase();
        for line in [
            "post /hook?a=b http/1.1\r\n".to_owned(),
            format!("\r\nhost: example.test:{port}\r\n"),
            "\r\ncontent-type: application/json\r\n".to_owned(),
            "\r\nwebhook-id: msg_1\r\n".to_owned(),
            "\r\nwebhook-timestamp: 1772366400\r\n".to_owned(),
            format!(
                "\r\nwebhook-signature: {} {}\r\n",
                signature(1),
                signature(2)
            ),
            "\r\n\r\n{}".to_owned(),
        ] {
            assert!(request.contains(&line), "{line:?} in {request:?}");
        }
    }

    #[tokio::test]
    async fn an_address_that_is_not_public_is_refused_before_anything_is_sent() {
        for (target, found) in [
            ("http://127.0.0.1/", "9.9.9.9"),
            ("http://2130706433/", "9.9.9.9"),
            ("http://0x7f.1/", "9.9.9.9"),
            ("http://[::ffff:127.0.0.1]/", "9.9.9.9"),
            ("http://[::1]/", "9.9.9.9"),
            ("http://receiver.test/", "127.0.0.1"),
            ("http://receiver.test/", "169.254.169.254"),
            ("http://receiver.test/", "::ffff:10.0.0.1"),
            ("https://receiver.test/", "192.168.0.1"),
        ] {
            let client = client(&[], &names(&[&[found]]));
            let refused = post(&client, &url(target)).await;
            let failure = refused.expect_err(target);
            assert!(matches!(failure, Failure::Forbidden(_)), "{failure:?}");
            assert!(failure.to_string().contains("--webhook-networks"));
            let is_literal = !target.contains("receiver");
            assert_eq!(client.refuses(&url(target)), is_literal, "{target}");
        }
    }

    /// The name resolves to a public address when it is checked, and to another one afterwards.
    #[tokio::test]
    async fn a_name_is_resolved_once_and_only_checked_addresses_are_connected_to() {
        let (forbidden, port) = listener("127.0.0.1").await;
        let names = names(&[&["127.0.0.2"], &["127.0.0.1"]]);
        let client = client(&["127.0.0.2/32"], &names);
        let url = url(&format!("http://receiver.test:{port}/"));
        let failure = post(&client, &url).await;
        let failure = failure.expect_err("nothing listens there");
        assert!(is_refused(&failure), "{failure:?}");
        assert_eq!(names.asked.load(Ordering::SeqCst), 1);

        let mixed = self::names(&[&["127.0.0.1", "127.0.0.2"]]);
        let client = self::client(&["127.0.0.2/32"], &mixed);
        let failure = post(&client, &url).await;
        let failure = failure.expect_err("only the second may be contacted");
        assert!(is_refused(&failure), "{failure:?}");
        let accepting = tokio::time::timeout(Duration::from_millis(50), forbidden.accept());
        assert!(accepting.await.is_err(), "nothing was sent to 127.0.0.1");
    }
}
