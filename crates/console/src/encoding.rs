//! `Accept-Encoding`: the encoding in which a client gets a file (RFC 9110, section 12.5.3).

/// A compressed form of a file, the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    pub const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// The name in `Accept-Encoding` and `Content-Encoding`.
    pub fn token(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The suffix of the names of files in this form.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|encoding| name.ends_with(encoding.suffix()))
    }

    /// The encoding with the highest weight, and of several the smallest; `None` for the plain
    /// file, which a client that accepts nothing also gets.
    pub fn choose(available: impl Iterator<Item = Self>, accepted: &[&str]) -> Option<Self> {
        let plain = weight(accepted, "identity").unwrap_or(0);
        let any = weight(accepted, "*").unwrap_or(0);
        let weighted = available.map(|encoding| {
            let weight = weight(accepted, encoding.token()).unwrap_or(any);
            (weight, encoding)
        });
        let acceptable = weighted.filter(|(weight, _)| *weight > 0 && *weight >= plain);
        // Of several with the same weight, the first wins.
        acceptable
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, encoding)| encoding)
    }
}

/// The weight in thousandths; `None` if the header does not name this coding.
fn weight(accepted: &[&str], coding: &str) -> Option<u32> {
    let mut entries = accepted.iter().flat_map(|line| line.split(','));
    entries.find_map(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let is_named = parts.next()?.eq_ignore_ascii_case(coding);
        is_named.then(|| parts.find_map(quality).unwrap_or(1000))
    })
}

/// Reads `q=0.5`. An invalid weight counts as 1.
fn quality(parameter: &str) -> Option<u32> {
    let (name, value) = parameter.split_once('=')?;
    if !name.trim().eq_ignore_ascii_case("q") {
        return None;
    }
    let weight: Option<f32> = value.trim().parse().ok();
    let weight = weight.filter(|weight| (0.0..=1.0).contains(weight));
    Some(weight.map_or(1000, |weight| (weight * 1000.0) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_encoding_decides_by_weight_and_then_by_size() {
        let (brotli, gzip) = (Some(Encoding::Brotli), Some(Encoding::Gzip));
        for (lines, expected) in [
            (&["gzip, deflate, br, zstd"][..], brotli),
            (&["gzip", "br"], brotli),
            (&["BR"], brotli),
            (&["*"], brotli),
            (&["br;q=0.5, gzip;q=0.8"], gzip),
            (&["br;q=0.8 , gzip;q=0.8"], brotli),
            (&["br;q=0, gzip"], gzip),
            (&["br; q=0.000, *;q=0.1"], gzip),
            (&["gzip;q=0.5"], gzip),
            (&["gzip;q=x"], gzip),
            (&["gzip;q=0.5, identity;q=0.6"], None),
            (&["gzip;q=0.5, identity;q=0.5"], gzip),
            (&["br;q=0, gzip;q=0"], None),
            (&["*;q=0"], None),
            (&["identity;q=0"], None),
            (&["brotli, gzipped"], None),
            (&["deflate"], None),
            (&[""], None),
            (&[], None),
        ] {
            let all = Encoding::ALL.into_iter();
            assert_eq!(Encoding::choose(all, lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn only_an_available_encoding_is_chosen() {
        let gzip = || [Encoding::Gzip].into_iter();
        let chosen = Encoding::choose(gzip(), &["gzip, br"]);
        assert_eq!(chosen, Some(Encoding::Gzip));
        assert_eq!(Encoding::choose(gzip(), &["br"]), None);
    }
}
