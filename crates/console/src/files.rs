//! The files of the console, each with its compressed forms.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest, Sha256};

use crate::encoding::Encoding;

/// The page is changed for each request, so it is not served as a file.
const INDEX: &str = "index.html";

pub struct Files {
    /// A hash of all files. It is part of their URLs, so that a file with a stable name can be
    /// cached forever.
    pub version: String,
    /// The text of `index.html`, if there is one.
    pub index: Option<String>,
    by_name: BTreeMap<String, File>,
}

pub struct File {
    pub media_type: &'static str,
    plain: Content,
    compressed: BTreeMap<Encoding, Content>,
}

/// A plain or compressed form of a file.
#[derive(Clone)]
pub struct Content {
    pub bytes: Bytes,
    /// The entity tag in quotes. Each form has its own.
    pub etag: String,
}

impl Files {
    pub fn load<E: RustEmbed>() -> Self {
        // A fixed order, so that all instances agree on the version.
        let mut contents: BTreeMap<String, EmbeddedFile> = E::iter()
            .filter_map(|name| Some((name.to_string(), E::get(&name)?)))
            .collect();
        let mut hash = Sha256::new();
        for (name, file) in &contents {
            hash.update(name);
            hash.update([0]);
            hash.update(file.metadata.sha256_hash());
        }
        let version = short_hex(&hash.finalize());
        let index = contents.remove(INDEX);
        let index = index.map(|index| String::from_utf8_lossy(&index.data).into_owned());
        let mut files = Self {
            version,
            index,
            by_name: BTreeMap::new(),
        };
        for (name, file) in &contents {
            if Encoding::of_name(name).is_none() {
                let file = File::new(name, file, &contents);
                files.by_name.insert(name.clone(), file);
            }
        }
        files
    }

    pub fn get(&self, name: &str) -> Option<&File> {
        self.by_name.get(name)
    }
}

impl File {
    fn new(name: &str, file: &EmbeddedFile, all: &BTreeMap<String, EmbeddedFile>) -> Self {
        let compressed = Encoding::ALL.into_iter().filter_map(|encoding| {
            let file = all.get(&format!("{name}{}", encoding.suffix()))?;
            Some((encoding, Content::new(file)))
        });
        Self {
            media_type: media_type(name),
            plain: Content::new(file),
            compressed: compressed.collect(),
        }
    }

    /// The compressed forms that exist.
    pub fn encodings(&self) -> impl Iterator<Item = Encoding> {
        self.compressed.keys().copied()
    }

    /// The content in this encoding, or the plain content if there is none.
    pub fn content(&self, encoding: Option<Encoding>) -> &Content {
        let compressed = encoding.and_then(|encoding| self.compressed.get(&encoding));
        compressed.unwrap_or(&self.plain)
    }
}

impl Content {
    fn new(file: &EmbeddedFile) -> Self {
        Self {
            bytes: match &file.data {
                Cow::Borrowed(bytes) => Bytes::from_static(bytes),
                Cow::Owned(bytes) => Bytes::from(bytes.clone()),
            },
            etag: format!("\"{}\"", short_hex(&file.metadata.sha256_hash())),
        }
    }
}

/// Half of a SHA-256 is long enough that no two versions collide.
fn short_hex(hash: &[u8]) -> String {
    HEXLOWER.encode(&hash[..16])
}

/// The media type, for the kinds of files that the console's build can contain.
fn media_type(name: &str) -> &'static str {
    let (_, ending) = name.rsplit_once('.').unwrap_or_default();
    match ending {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
