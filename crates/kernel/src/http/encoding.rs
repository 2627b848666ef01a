//! Content encodings, and the choice of one by `Accept-Encoding` (RFC 9110, section 12.5.3).

use std::io::{Result, Write};

use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::accept::quality;

/// Encodings in order of preference: zstd is faster and smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Zstd,
    Gzip,
}

impl Encoding {
    pub const ALL: [Self; 2] = [Self::Zstd, Self::Gzip];

    /// The name in `Accept-Encoding` and `Content-Encoding`.
    pub fn token(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// Compresses a whole body at once.
    pub fn compress(self, plain: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Zstd => zstd::bulk::compress(plain, zstd::DEFAULT_COMPRESSION_LEVEL),
            Self::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(plain)?;
                encoder.finish()
            }
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        // `x-gzip` is an old name of gzip.
        let name = match name.get(..2) {
            Some(prefix) if prefix.eq_ignore_ascii_case("x-") => &name[2..],
            _ => name,
        };
        let mut all = Self::ALL.into_iter();
        all.find(|encoding| name.eq_ignore_ascii_case(encoding.token()))
    }
}

/// The weights of a client's encodings, in thousandths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accepted {
    named: [Option<u32>; Encoding::ALL.len()],
    identity: Option<u32>,
    any: Option<u32>,
}

impl Accepted {
    pub fn read(headers: &HeaderMap) -> Self {
        let mut accepted = Self::default();
        let lines = headers.get_all(ACCEPT_ENCODING).iter();
        let codings = lines.filter_map(|line| line.to_str().ok());
        for coding in codings.flat_map(|line| line.split(',')) {
            let mut parts = coding.split(';').map(str::trim);
            let weight = match parts.next().unwrap_or_default() {
                "*" => &mut accepted.any,
                name if name.eq_ignore_ascii_case("identity") => &mut accepted.identity,
                name => match Encoding::of_name(name) {
                    Some(encoding) => &mut accepted.named[encoding as usize],
                    None => continue,
                },
            };
            *weight = Some(parts.find_map(quality).unwrap_or(1000));
        }
        accepted
    }

    /// The encoding with the highest weight, the first of several; `None` if the client prefers
    /// `identity` or accepts none.
    pub fn choose(&self, available: &[Encoding]) -> Option<Encoding> {
        let weight = |encoding: Encoding| self.named[encoding as usize].or(self.any).unwrap_or(0);
        let least = self.identity.unwrap_or(0).max(1);
        let available = available.iter().copied();
        let acceptable = available.filter(|encoding| weight(*encoding) >= least);
        acceptable.reduce(|best, next| match weight(next) > weight(best) {
            true => next,
            false => best,
        })
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn accept_encoding_decides_by_weight_and_then_by_cost() {
        let [zstd, gzip] = Encoding::ALL.map(Some);
        for (lines, expected) in [
            (&["gzip"][..], gzip),
            (&["zstd"], zstd),
            (&["gzip, deflate, br, zstd"], zstd),
            (&["gzip, deflate, br"], gzip),
            (&["gzip", "ZSTD"], zstd),
            (&["zstd;q=0.5, gzip;q=0.8"], gzip),
            (&["zstd;q=0.8 , gzip;q=0.8"], zstd),
            (&["zstd;q=0, gzip"], gzip),
            (&["zstd;q=0, *;q=0.1"], gzip),
            (&["GZIP;q=0.1"], gzip),
            (&["deflate, x-gzip"], gzip),
            (&["deflate", "gzip"], gzip),
            (&["*"], zstd),
            (&["gzip, *;q=0"], gzip),
            (&["zstd;q=0.5, identity;q=0.6"], None),
            (&["gzip, identity"], gzip),
            (&["gzip, identity;q=0"], gzip),
            (&["gzip;q=0.5, identity;q=0.6"], None),
            (&["gzip;q=0.5, identity;q=0.6, zstd;q=0.6"], zstd),
            (&["gzip;q=0"], None),
            (&["gzip;q=0, zstd;q=0, *"], None),
            (&["*;q=0"], None),
            (&["identity;q=0"], None),
            (&["br, deflate"], None),
            (&["gzipped"], None),
            (&["é, x-"], None),
            (&[""], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                let line = HeaderValue::from_bytes(line.as_bytes());
                headers.append(ACCEPT_ENCODING, line.expect("a value"));
            }
            let accepted = Accepted::read(&headers);
            assert_eq!(accepted.choose(&Encoding::ALL), expected, "{lines:?}");
            let of_stream = accepted.choose(&[Encoding::Gzip]);
            assert!(of_stream.is_none() || of_stream == gzip, "{lines:?}");
            assert!(expected != gzip || of_stream == gzip, "{lines:?}");
        }
    }
}
