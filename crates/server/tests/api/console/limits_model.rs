//! Random attempts to sign in, by several people, from several networks and on two instances, get the
//! same answers as from a small model of the limits.

use std::collections::BTreeMap;

use kernel::Limits;
use kernel::types::IpNetworks;
use serde_json::{Value, json};
use server::app::App;
use server::routes::{PublicPaths, router};

use super::two_factor::{code, enrol};
use crate::support::{
    self, Answer, Client, NOON, Rng, SESSION, TestApp, console_sign_in, cookie, sign_in,
};

const NETWORKS: [&str; 4] = [
    "192.0.2.1",
    "192.0.2.2",
    "2001:db8:1:1::1",
    "2001:db8:1:2::1",
];
/// Seconds that a session is certainly valid.
const SESSION_VALID: i64 = 6 * 3600;

/// The expected state of the limits.
#[derive(Default)]
struct Model {
    now: i64,
    /// The times of the attempts that count, by what they are counted by.
    attempts: BTreeMap<String, Vec<i64>>,
    /// Wrong codes of anna in a row and the time of the last one, by their source.
    codes: BTreeMap<String, (u32, i64)>,
    /// Wrong passwords and codes since the last sign-in.
    failures: BTreeMap<&'static str, (i64, i64)>,
}

/// The counters of an attempt, each with its limit. Signing in resets the first one.
type Subjects = Vec<(String, usize)>;

fn subjects(account: &str, origin: &Origin) -> Subjects {
    let own = |origin: &str| (format!("{account} from {origin}"), 5);
    let person = |ip: &str| {
        let mut subjects = vec![
            own(ip),
            (account.to_owned(), 100),
            (format!("network {ip}"), 50),
        ];
        if ip.starts_with("2001:db8:1:") {
            subjects.push(("network 2001:db8:1::/48".into(), 200));
        }
        subjects
    };
    match origin {
        Origin::Person(ip) => person(ip),
        Origin::Program => vec![own("127.0.0.1"), (account.to_owned(), 100)],
        Origin::Browser(id) => vec![own(&format!("browser {id}"))],
        Origin::Session(id, ip) => {
            // Attempts of others do not count against a session, but its own count everywhere.
            let others = person(ip)
                .into_iter()
                .map(|(subject, _)| (subject, usize::MAX));
            [own(&format!("session {id}"))]
                .into_iter()
                .chain(others)
                .collect()
        }
    }
}

enum Origin {
    Person(&'static str),
    Program,
    Browser(usize),
    Session(usize, &'static str),
}

impl Model {
    /// Counts an attempt, or returns the seconds to wait.
    fn attempt(&mut self, subjects: &Subjects) -> Result<(), i64> {
        let now = self.now;
        let mut wait = None;
        for (subject, limit) in subjects {
            let attempts = self.attempts.entry(subject.clone()).or_default();
            attempts.retain(|at| at + 60 > now);
            if attempts.len() >= *limit {
                wait = wait.max(Some(attempts[attempts.len() - limit] + 60 - now));
            }
        }
        match wait {
            Some(wait) => Err(wait),
            None => {
                for (subject, _) in subjects {
                    self.attempts.entry(subject.clone()).or_default().push(now);
                }
                Ok(())
            }
        }
    }

    fn take_back(&mut self, subjects: &Subjects) {
        for (subject, _) in subjects {
            self.attempts.entry(subject.clone()).or_default().pop();
        }
    }

    /// Examines a code, or returns the seconds to wait.
    fn examine(&mut self, source: &str, is_right: bool) -> Result<(), i64> {
        let (wrong, latest) = self.codes.get(source).copied().unwrap_or_default();
        if wrong >= 10 {
            let wait = (60_i64 << (wrong - 10).min(6)).min(3600);
            if latest + wait > self.now {
                return Err(latest + wait - self.now);
            }
        }
        if is_right {
            self.codes.remove(source);
            self.codes.remove("anyone");
        } else {
            self.codes.insert(source.into(), (wrong + 1, self.now));
        }
        Ok(())
    }

    fn fail(&mut self, account: &'static str, is_code: bool) {
        let (passwords, codes) = self.failures.entry(account).or_default();
        *(if is_code { codes } else { passwords }) += 1;
    }
}

/// A person: the browser and the session of the last sign-in, with their numbers in the model.
#[derive(Default)]
struct Known {
    browser: Option<(usize, String)>,
    session: Option<(usize, String, i64)>,
}

struct Run {
    app: TestApp,
    second: App,
    addresses: [String; 2],
    rng: Rng,
    secret: String,
    model: Model,
    known: BTreeMap<&'static str, Known>,
    sign_ins: usize,
    /// How often each answer was seen, to check that the sequence exercised it.
    seen: BTreeMap<String, usize>,
}

impl Run {
    async fn start(seed: u64) -> Self {
        let limits = || Limits {
            trusted_proxies: IpNetworks::from_stored("127.0.0.1"),
            ..Limits::default()
        };
        let app = TestApp::start_with(|set| *set = limits()).await;
        let second = support::open(&app.scratch, limits()).await;
        let address = support::listen(&second, router(&second, PublicPaths::ALL)).await;
        for name in ["anna", "berta"] {
            app.operator(name, &[]).await;
        }
        let anna = app.signed_in("anna").await;
        let (secret, _) = enrol(&app, &anna).await;
        Self {
            addresses: [app.address.clone(), address],
            app,
            second,
            rng: Rng::new(seed),
            secret,
            model: Model {
                now: NOON,
                ..Model::default()
            },
            known: BTreeMap::new(),
            sign_ins: 0,
            seen: BTreeMap::new(),
        }
    }

    async fn step(&mut self) {
        match self.rng.below(40) {
            0..20 => self.sign_in().await,
            20..27 => self.sign_in_at_a_site().await,
            27..35 => self.confirm().await,
            35 | 36 => self.spray().await,
            37 | 38 => self.wait(20, 1),
            _ => self.wait(20, 60),
        }
    }

    /// Waits for up to `most` units of so many seconds.
    fn wait(&mut self, most: u64, unit: i64) {
        let seconds = unit * (1 + self.rng.below(most) as i64);
        self.app.advance(seconds);
        self.second.kernel.core.clock.advance(seconds);
        self.model.now += seconds;
    }

    /// A client of either instance.
    fn client(&mut self, key: Option<&str>) -> Client {
        Client::new(&self.addresses[self.rng.below(2) as usize].clone(), key)
    }

    fn person(&mut self) -> (&'static str, &'static str) {
        // An account, and a spelling of its login.
        self.rng.one_of(&[
            ("anna", "anna"),
            ("anna", "ANNA@example.com"),
            ("anna", "anna@example.com"),
            ("berta", "berta"),
            ("nobody", "nobody"),
        ])
    }

    async fn sign_in(&mut self) {
        let (account, login) = self.person();
        let network = self.rng.one_of(&NETWORKS);
        let is_right = self.rng.below(3) > 0;
        // 0: no code, 1: a right one, 2: a wrong one.
        let with_code = self.rng.one_of(&[0, 0, 1, 2, 2, 2, 2, 2, 2, 2]);
        let mut client = self.client(None).with("X-Forwarded-For", network);
        let browser = self
            .known
            .get(account)
            .and_then(|known| known.browser.clone());
        let browser = browser.filter(|_| self.rng.below(3) == 0);
        if let Some((_, proof)) = &browser {
            client = client.with("Cookie", &format!("steward-browser={proof}"));
        }
        let browser = browser.map(|(number, _)| number);
        let mut body = console_sign_in(login);
        if !is_right {
            body["password"] = json!("a wrong one");
        }
        if with_code > 0 {
            body["code"] = json!(self.code(with_code == 1).await);
        }
        let answer = client.post(SESSION, body).await;

        let origin = browser.map_or(Origin::Person(network), Origin::Browser);
        let subjects = subjects(account, &origin);
        if let Err(wait) = self.model.attempt(&subjects) {
            return self.expect_429(&answer, wait);
        }
        if !is_right || account == "nobody" {
            self.model.fail(account, false);
            return self.expect(&answer, 422, "invalid_credentials");
        }
        if account == "anna" && with_code == 0 {
            return self.expect(&answer, 422, "two_factor_required");
        }
        if account == "anna" {
            let source = browser.map_or("anyone".into(), |number| format!("browser {number}"));
            if let Err(wait) = self.model.examine(&source, with_code == 1) {
                return self.expect_429(&answer, wait);
            }
            if with_code > 1 {
                self.model.fail(account, true);
                return self.expect(&answer, 422, "invalid_code");
            }
        }
        *self.seen.entry("signed in".into()).or_default() += 1;
        answer.created();
        self.model.take_back(&subjects);
        self.model.attempts.remove(&subjects[0].0);
        self.signed_in(account, &answer).await;
    }

    /// Compares the failures that are shown, and keeps the browser and the session.
    async fn signed_in(&mut self, account: &'static str, answer: &Answer) {
        let (passwords, codes) = self.model.failures.remove(account).unwrap_or_default();
        let shown = self.app.with_session(answer).get(SESSION).await.ok();
        let expected = json!({ "passwords": passwords, "codes": codes });
        assert_eq!(shown["failures"], expected);
        self.sign_ins += 1;
        let proof = cookie(answer, "steward-browser").expect("a proof");
        let session = cookie(answer, "steward").expect("a session");
        let known = Known {
            browser: Some((self.sign_ins, proof)),
            session: Some((self.sign_ins, session, self.model.now)),
        };
        self.known.insert(account, known);
    }

    async fn sign_in_at_a_site(&mut self) {
        let (account, login) = self.person();
        let network = self.rng.one_of(&NETWORKS);
        let origin = match self.rng.below(3) {
            0 => Origin::Program,
            _ => Origin::Person(network),
        };
        let is_right = self.rng.below(2) == 0;
        let mut body = sign_in(login);
        if !is_right {
            body["password"] = json!("a wrong one");
        }
        if let Origin::Person(network) = origin {
            body["client_ip"] = json!(network);
        }
        let key = self.app.admin_key().to_owned();
        let answer = self.client(Some(&key)).post("/api/sessions", body).await;

        let subjects = subjects(account, &origin);
        if let Err(wait) = self.model.attempt(&subjects) {
            return self.expect_429(&answer, wait);
        }
        if !is_right || account == "nobody" {
            self.model.fail(account, false);
            return self.expect(&answer, 422, "invalid_credentials");
        }
        answer.created();
        self.model.take_back(&subjects);
    }

    async fn confirm(&mut self) {
        let account = self.rng.one_of(&["anna", "anna", "berta"]);
        let network = self.rng.one_of(&NETWORKS);
        let session = self
            .known
            .get(account)
            .and_then(|known| known.session.clone());
        let Some((number, token, begun)) = session else {
            return;
        };
        if begun + SESSION_VALID < self.model.now {
            return;
        }
        let is_right = self.rng.below(3) == 0;
        let by_code = account == "anna" && self.rng.below(2) == 0;
        let body: Value = match (by_code, is_right) {
            (true, _) => json!({ "code": self.code(is_right).await }),
            (false, true) => json!({ "password": "battery staple" }),
            (false, false) => json!({ "password": "a wrong one" }),
        };
        let client = self.client(None).with("X-Forwarded-For", network);
        let client = client.with("Cookie", &format!("steward={token}"));
        let client = client.with("Sec-Fetch-Site", "same-origin");
        let answer = client.post("/api/console/confirm", body).await;

        if by_code {
            if let Err(wait) = self.model.examine(&format!("session {number}"), is_right) {
                return self.expect_429(&answer, wait);
            }
            if !is_right {
                self.model.fail(account, true);
                return self.expect(&answer, 422, "invalid_code");
            }
        } else {
            let subjects = subjects(account, &Origin::Session(number, network));
            if let Err(wait) = self.model.attempt(&subjects) {
                return self.expect_429(&answer, wait);
            }
            if !is_right {
                self.model.fail(account, false);
                return self.expect(&answer, 422, "invalid_credentials");
            }
            self.model.take_back(&subjects);
        }
        *self.seen.entry("confirmed".into()).or_default() += 1;
        answer.ok();
    }

    /// Attempts with many logins from one network.
    async fn spray(&mut self) {
        let network = self.rng.one_of(&NETWORKS);
        for _ in 0..12 {
            let login = format!("nobody{}", self.rng.below(1000));
            let client = self.client(None).with("X-Forwarded-For", network);
            let answer = client.post(SESSION, console_sign_in(&login)).await;
            let subjects = subjects(&login, &Origin::Person(network));
            match self.model.attempt(&subjects) {
                Err(wait) => self.expect_429(&answer, wait),
                Ok(()) => self.expect(&answer, 422, "invalid_credentials"),
            }
        }
    }

    /// A code of anna. A right one was not used before.
    async fn code(&mut self, is_right: bool) -> String {
        if !is_right {
            return "wrong".into();
        }
        let unused = "UPDATE operators SET totp_step = 0";
        let done = self.app.core().db.run_sql(unused).await;
        done.expect("no code was used");
        code(&self.app, &self.secret, 0)
    }

    #[track_caller]
    fn expect(&mut self, answer: &Answer, status: u16, code: &str) {
        *self.seen.entry(code.into()).or_default() += 1;
        answer.error(status, code);
    }

    #[track_caller]
    fn expect_429(&mut self, answer: &Answer, wait: i64) {
        self.expect(answer, 429, "too_many_attempts");
        assert_eq!(answer.header("retry-after"), wait.max(1).to_string());
    }
}

#[service_test]
async fn random_sign_ins_agree_with_the_model_of_their_limits() {
    for seed in 1..=2 {
        println!("seed {seed}");
        let mut run = Run::start(seed).await;
        for _ in 0..300 {
            run.step().await;
        }
        for answer in [
            "signed in",
            "confirmed",
            "invalid_credentials",
            "invalid_code",
            "two_factor_required",
            "too_many_attempts",
        ] {
            let times = run.seen.get(answer).copied().unwrap_or_default();
            assert!(
                times >= 5,
                "{answer} was seen {times} times: {:?}",
                run.seen
            );
        }
    }
}
