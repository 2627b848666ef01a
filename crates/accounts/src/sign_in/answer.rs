//! The query string with which a visitor comes back. Anybody can write it.

use super::refusal::Refusal;

/// The parameters of a query string, decoded.
pub struct Answer(Vec<(String, String)>);

impl Answer {
    /// Parses a query string, with or without its question mark. Only UTF-8 is accepted: two readers
    /// could replace other bytes in different ways.
    pub fn parse(query: &str) -> Result<Self, Refusal> {
        let query = query.strip_prefix('?').unwrap_or(query);
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        });
        let pairs: Option<Vec<(String, String)>> = pairs.collect();
        let pairs = pairs.ok_or_else(|| Refusal::failed("the query string is malformed"))?;
        Ok(Self(pairs))
    }

    /// A parameter, which must not be there twice: two readers could take different ones.
    pub fn find(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut found = self.0.iter().filter(|(other, _)| other == name);
        match (found.next(), found.next()) {
            (found, None) => Ok(found.map(|(_, value)| value.as_str())),
            (_, Some(_)) => Err(Refusal::failed(format!("{name} is there twice"))),
        }
    }

    /// The same, for a parameter that is needed.
    pub fn one(&self, name: &str) -> Result<&str, Refusal> {
        let found = self.find(name)?;
        found.ok_or_else(|| Refusal::failed(format!("{name} is missing")))
    }

    /// The parameters whose names begin with this, in order.
    pub fn beginning_with(&self, prefix: &str) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        let pairs = pairs.filter(move |(name, _)| name.starts_with(prefix));
        pairs.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// Decodes percent signs and pluses. `None` if that is not possible or does not give UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => 16 * digit(rest.next()?)? + digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The value of a hexadecimal digit.
fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::Answer;

    fn parse(query: &str) -> Option<Vec<(String, String)>> {
        Answer::parse(query).ok().map(|answer| answer.0)
    }

    #[test]
    fn names_and_values_are_decoded() {
        let expected = [
            ("a", "b c"),
            ("openid.mode", "id_res"),
            ("é", "="),
            ("x", ""),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let query = "a=b+c&openid%2Emode=id_res&&%C3%a9=%3d&x";
        assert_eq!(parse(query), Some(expected.to_vec()));
        assert_eq!(parse(&format!("?{query}")), Some(expected.to_vec()));
    }

    #[test]
    fn what_cannot_be_decoded_is_refused() {
        for wrong in [
            "a=%", "a=%4", "a=%zz", "a=%+1", "%ff=a", "a=%c3%28", "a=%C3",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_parameter_that_is_there_twice_is_refused() {
        let answer = Answer::parse("a=1&b=2&%61=1").expect("well-formed");
        assert!(answer.find("a").is_err());
        assert_eq!(answer.one("b").ok(), Some("2"));
        assert!(matches!(answer.find("c"), Ok(None)));
        assert!(answer.one("c").is_err());
    }
}
