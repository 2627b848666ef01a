use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use crate::error::Problem;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// Other files that users pick by mistake, by their first bytes.
const OTHERS: [(&[u8], &str); 5] = [
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ", "compressed with xz; unpack it first"),
    (
        b"\xff\xfe",
        "UTF-16, as PowerShell's > writes it; make it again with --result-file",
    ),
    (b"SQLite format 3", "an SQLite database, and not a dump"),
];
/// `zstd` itself decompresses larger windows only when asked to.
const MAX_ZSTD_WINDOW: u32 = 27;

/// Decompresses the input, if its first bytes say that it is compressed.
pub fn open<'a>(mut input: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>, Problem> {
    let mut magic = Vec::new();
    Read::by_ref(&mut input)
        .take(16)
        .read_to_end(&mut magic)
        .map_err(Problem::Read)?;
    if let Some((_, what)) = OTHERS.iter().find(|(first, _)| magic.starts_with(first)) {
        return Err(Problem::NotADump(what));
    }
    if magic.starts_with(BYTE_ORDER_MARK) {
        magic.drain(..BYTE_ORDER_MARK.len());
    }
    let is_gzip = magic.starts_with(GZIP);
    let is_zstd = magic.starts_with(ZSTD);
    let whole = io::Cursor::new(magic).chain(input);
    if is_gzip {
        return Ok(Box::new(MultiGzDecoder::new(whole)));
    }
    if is_zstd {
        let mut decoder = zstd::Decoder::new(whole).map_err(Problem::Read)?;
        decoder
            .window_log_max(MAX_ZSTD_WINDOW)
            .map_err(Problem::Read)?;
        return Ok(Box::new(decoder));
    }
    Ok(Box::new(whole))
}
