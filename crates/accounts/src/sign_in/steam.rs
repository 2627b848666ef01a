//! Steam, by OpenID 2.0. Nothing in an answer is believed until Steam itself confirms it, at an
//! address that is no part of the answer.

use http_client::{Action, Fetch, MAX_ANSWER, Url};

use super::answer::Answer;
use super::provider::{Nonce, Providers, Verified};
use super::refusal::Refusal;
use super::settings::{Address, Steam};
use super::state::Open;
use kernel::types::time::MINUTE;
use kernel::types::{SteamId, Timestamp};

/// The endpoint, in answers also if another one is configured for tests.
const ENDPOINT: &str = "https://steamcommunity.com/openid/login";
const NAMESPACE: &str = "http://specs.openid.net/auth/2.0";
/// Lets Steam choose the profile.
const ANY_PROFILE: &str = "http://specs.openid.net/auth/2.0/identifier_select";
/// The beginning of every profile's id.
const PROFILE: &str = "https://steamcommunity.com/openid/id/";
/// The parameters that a signature must cover, without their prefix.
const SIGNED: [&str; 6] = [
    "op_endpoint",
    "claimed_id",
    "identity",
    "return_to",
    "response_nonce",
    "assoc_handle",
];
/// How far the time in a nonce may be from now, in seconds.
const NONCE_AGE: i64 = 5 * MINUTE;
/// The length of the time that a nonce begins with.
const NONCE_TIME: usize = "2026-03-01T12:00:00Z".len();
const LONGEST_NONCE: usize = 255;

impl Default for Steam {
    fn default() -> Self {
        Self {
            endpoint: Address::constant(ENDPOINT),
        }
    }
}

pub fn page(steam: &Steam, return_to: &str, state: &str) -> Url {
    let mut url = steam.endpoint.url().clone();
    let return_to = with_state(return_to, state);
    let realm = match return_to.parse::<Url>() {
        Ok(url) => url.origin().ascii_serialization(),
        Err(_) => return_to.clone(),
    };
    url.query_pairs_mut().extend_pairs([
        ("openid.ns", NAMESPACE),
        ("openid.mode", "checkid_setup"),
        ("openid.return_to", return_to.as_str()),
        ("openid.realm", realm.as_str()),
        ("openid.identity", ANY_PROFILE),
        ("openid.claimed_id", ANY_PROFILE),
    ]);
    url
}

/// The page to return to, with the state as a parameter.
fn with_state(return_to: &str, state: &str) -> String {
    let separator = if return_to.contains('?') { '&' } else { '?' };
    format!("{return_to}{separator}state={state}")
}

pub async fn verify(
    providers: &Providers,
    steam: &Steam,
    answer: &Answer,
    open: &Open,
    now: Timestamp,
) -> Result<Verified, Refusal> {
    let return_to = with_state(&open.return_to, &open.value);
    let verified = check(answer, &return_to, now)?;
    confirm(providers, steam, answer).await?;
    Ok(verified)
}

/// Checks everything that can be seen in the answer. Steam confirms it only afterwards.
pub fn check(answer: &Answer, return_to: &str, now: Timestamp) -> Result<Verified, Refusal> {
    for (name, _) in answer.beginning_with("openid.") {
        answer.one(name)?;
    }
    if answer.one("openid.ns")? != NAMESPACE {
        return Err(Refusal::failed("openid.ns is not that of OpenID 2.0"));
    }
    match answer.one("openid.mode")? {
        "id_res" => {}
        "cancel" => return Err(Refusal::Cancelled),
        _ => return Err(Refusal::failed("openid.mode is not id_res")),
    }
    if answer.one("openid.op_endpoint")? != ENDPOINT {
        return Err(Refusal::failed("openid.op_endpoint is not Steam's"));
    }
    let claimed_id = answer.one("openid.claimed_id")?;
    if answer.one("openid.identity")? != claimed_id {
        return Err(Refusal::failed("openid.identity is not openid.claimed_id"));
    }
    let subject = subject(claimed_id);
    let subject = subject.ok_or_else(|| Refusal::failed("openid.claimed_id is not a person's"))?;
    if answer.one("openid.return_to")? != return_to {
        return Err(Refusal::failed(
            "openid.return_to is not the one that was sent",
        ));
    }
    let signed: Vec<&str> = answer.one("openid.signed")?.split(',').collect();
    for name in SIGNED {
        answer.one(&format!("openid.{name}"))?;
        if !signed.contains(&name) {
            return Err(Refusal::failed(format!("{name} is not signed")));
        }
    }
    let nonce = answer.one("openid.response_nonce")?;
    let made_at = nonce_time(nonce).ok_or_else(|| Refusal::failed("the nonce is malformed"))?;
    if made_at.unix().abs_diff(now.unix()) > NONCE_AGE.unsigned_abs() {
        return Err(Refusal::failed("the nonce is not of the last 5 minutes"));
    }
    Ok(Verified {
        subject,
        nonce: Some(Nonce::new(nonce)),
    })
}

/// The SteamID64 in the id of a profile, if it is that of a person.
fn subject(claimed_id: &str) -> Option<String> {
    let digits = claimed_id.strip_prefix(PROFILE)?;
    let id = SteamId::parse(digits)?.id64().to_string();
    // Other spellings of a SteamID are no part of such an id.
    (id == digits).then_some(id)
}

fn nonce_time(nonce: &str) -> Option<Timestamp> {
    let time = nonce.get(..NONCE_TIME)?;
    let made_at: Timestamp = time.parse().ok()?;
    let is_plain = nonce.bytes().all(|byte| byte.is_ascii_graphic());
    let is_exact = made_at.to_string() == time && nonce.len() <= LONGEST_NONCE;
    (is_plain && is_exact).then_some(made_at)
}

/// Asks Steam whether it has made this answer.
async fn confirm(providers: &Providers, steam: &Steam, answer: &Answer) -> Result<(), Refusal> {
    let fields: Vec<(&str, &str)> = answer
        .beginning_with("openid.")
        .map(|(name, value)| match name {
            "openid.mode" => (name, "check_authentication"),
            _ => (name, value),
        })
        .collect();
    let fetch = Fetch {
        action: Action::Post(fields.as_slice()),
        url: steam.endpoint.url(),
        headers: &[],
        max_answer: MAX_ANSWER,
    };
    let fetched = providers.fetch(fetch).await?;
    if fetched.status != 200 {
        let reason = format!("Steam answered with {}", fetched.status);
        return Err(Refusal::failed(reason));
    }
    match is_valid(&fetched.body) {
        true => Ok(()),
        false => Err(Refusal::failed("Steam does not confirm the answer")),
    }
}

/// Whether Steam's reply says that an answer is valid. A reply that says two things says nothing.
pub fn is_valid(reply: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(reply) else {
        return false;
    };
    let lines = text.split('\n');
    let mut said = lines.filter_map(|line| line.strip_prefix("is_valid:"));
    said.next() == Some("true") && said.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_id_of_a_person_is_a_profile() {
        let expected = Some("76561197969249708".to_owned());
        assert_eq!(subject(&format!("{PROFILE}76561197969249708")), expected);
        for wrong in [
            "76561197969249708",
            "http://steamcommunity.com/openid/id/76561197969249708",
            "https://steamcommunity.com.example/openid/id/76561197969249708",
            "https://steamcommunity.com/openid/id/76561197969249708/",
            "https://steamcommunity.com/openid/id/76561197969249708?a",
            "https://steamcommunity.com/openid/id/076561197969249708",
            "https://steamcommunity.com/openid/id/STEAM_0:0:4491990",
            "https://steamcommunity.com/openid/id/[U:1:8983980]",
            "https://steamcommunity.com/openid/id/",
            // A group, and the number after the last person.
            "https://steamcommunity.com/openid/id/103582791429521408",
            "https://steamcommunity.com/openid/id/76561202255233024",
        ] {
            assert_eq!(subject(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_nonce_begins_with_a_time_in_one_form() {
        let time = |nonce: &str| nonce_time(nonce).map(Timestamp::unix);
        assert_eq!(time("2026-03-01T12:00:00ZAbc+/="), Some(1_772_366_400));
        assert_eq!(time("2026-03-01T12:00:00Z"), Some(1_772_366_400));
        for wrong in [
            "",
            "2026-03-01T12:00:00",
            "2026-03-01 12:00:00Zabc",
            "2026-03-01t12:00:00zabc",
            "2026-03-01T12:00:00+00:00",
            "2026-13-01T12:00:00Zabc",
            "2026-03-01T12:00:00Za b",
            "2026-03-01T12:00:00Z\u{e9}",
            &format!("2026-03-01T12:00:00Z{}", "a".repeat(300)),
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    /// A change that no other check notices names nobody else.
    #[test]
    fn no_changed_byte_of_an_answer_names_another_person() {
        let return_to = "https://site.example/?state=a";
        let fields = [
            ("openid.ns", NAMESPACE),
            ("openid.mode", "id_res"),
            ("openid.op_endpoint", ENDPOINT),
            (
                "openid.claimed_id",
                "https://steamcommunity.com/openid/id/76561197969249708",
            ),
            (
                "openid.identity",
                "https://steamcommunity.com/openid/id/76561197969249708",
            ),
            ("openid.return_to", return_to),
            ("openid.response_nonce", "2026-03-01T12:00:00Zabc"),
            ("openid.assoc_handle", "1234567890"),
            ("openid.signed", &SIGNED.join(",")),
            ("openid.sig", "abc"),
        ];
        let mut url: Url = return_to.parse().expect("a URL");
        url.query_pairs_mut().extend_pairs(fields);
        let query = url.query().unwrap_or_default().to_owned();
        let now = Timestamp::from_unix(1_772_366_400);
        let subject = |query: &str| {
            let answer = Answer::parse(query).ok()?;
            check(&answer, return_to, now)
                .ok()
                .map(|verified| verified.subject)
        };
        assert_eq!(subject(&query).as_deref(), Some("76561197969249708"));
        let (mut accepted, mut refused) = (0, 0);
        for i in 0..query.len() {
            for changed in [
                "",
                "0",
                "9",
                "&",
                "=",
                "%",
                "+",
                "%00",
                "%ff",
                "&openid.identity=",
            ] {
                let changed = format!("{}{changed}{}", &query[..i], &query[i + 1..]);
                match subject(&changed) {
                    Some(subject) => {
                        assert_eq!(subject, "76561197969249708", "{changed}");
                        accepted += 1;
                    }
                    None => refused += 1,
                }
            }
        }
        // The signature may change here: Steam checks it.
        assert!(
            accepted > 0 && refused > 10 * accepted,
            "{accepted} {refused}"
        );
    }

    #[test]
    fn a_reply_says_exactly_once_that_an_answer_is_valid() {
        let ns = "ns:http://specs.openid.net/auth/2.0\n";
        assert!(is_valid(format!("{ns}is_valid:true\n").as_bytes()));
        assert!(is_valid(b"is_valid:true"));
        for wrong in [
            "",
            "is_valid:false\n",
            "is_valid:true\nis_valid:false\n",
            "is_valid:true\nis_valid:true\n",
            "is_valid:false\nis_valid:true\n",
            "xis_valid:true\n",
            " is_valid:true\n",
            "is_valid: true\n",
            "is_valid:truely\n",
            "IS_VALID:TRUE\n",
            "error:is_valid:true\n",
        ] {
            assert!(!is_valid(wrong.as_bytes()), "{wrong}");
        }
        assert!(!is_valid(b"is_valid:true\n\xff"));
    }

    #[test]
    fn the_state_is_added_to_the_page_to_return_to() {
        let plain = with_state("https://site.example/", "abc");
        assert_eq!(plain, "https://site.example/?state=abc");
        let with_query = with_state("https://site.example/?a=b", "abc");
        assert_eq!(with_query, "https://site.example/?a=b&state=abc");
    }
}
