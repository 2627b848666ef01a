//! Compresses a body that is in memory as a whole. All at once, it takes less time and memory than in
//! parts.

use std::io::{Result, Write};

use brotli::BrotliCompress;
use brotli::enc::BrotliEncoderParams;
use flate2::write::GzEncoder;
use parking_lot::Mutex;

use super::encoding::Encoding;

/// How often the same body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// With each response. None of these takes longer than gzip does by default.
    EachTime,
    /// Once in the life of the program, outside of the tasks that answer requests. More effort would
    /// take seconds and save little.
    Once,
}

pub fn compress(plain: &[u8], encoding: Encoding, effort: Effort) -> Result<Vec<u8>> {
    match encoding {
        Encoding::Zstd => zstd::bulk::compress(plain, zstd_level(effort)),
        Encoding::Brotli => brotli(plain, effort),
        Encoding::Gzip => gzip(plain, effort),
    }
}

fn zstd_level(effort: Effort) -> i32 {
    match effort {
        Effort::EachTime => zstd::DEFAULT_COMPRESSION_LEVEL,
        Effort::Once => 15,
    }
}

/// The encoder for a file takes about 40 MiB, so files are compressed one after the other.
static FILE_ENCODER: Mutex<()> = Mutex::new(());

/// The encoder's memory depends on these parameters: it takes about 2 MiB for a response. Without a
/// hint of the size, a large response gets the same small table as others. A file is hardly smaller
/// than with gzip at qualities below 9.
fn brotli(plain: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let (quality, window_bits, _alone) = match effort {
        Effort::EachTime => (4, 18, None),
        Effort::Once => (9, 19, Some(FILE_ENCODER.lock())),
    };
    let parameters = BrotliEncoderParams {
        quality,
        lgwin: window_bits,
        ..BrotliEncoderParams::default()
    };
    let mut compressed = Vec::new();
    BrotliCompress(&mut &plain[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

fn gzip(plain: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let level = match effort {
        Effort::EachTime => flate2::Compression::default(),
        Effort::Once => flate2::Compression::best(),
    };
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(plain)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    fn decompress(packed: &[u8], encoding: Encoding) -> Vec<u8> {
        let mut plain = Vec::new();
        match encoding {
            Encoding::Zstd => plain = zstd::decode_all(packed).expect("zstd"),
            Encoding::Brotli => {
                brotli::BrotliDecompress(&mut &packed[..], &mut plain).expect("brotli");
            }
            Encoding::Gzip => {
                let read = GzDecoder::new(packed).read_to_end(&mut plain);
                read.expect("gzip");
            }
        }
        plain
    }

    /// Rows like those of a list, with numbers that do not repeat.
    fn rows(count: u64) -> Vec<u8> {
        let numbers = (0..count).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rows = numbers.map(|number| format!("{{\"id\":{number},\"status\":\"active\"}},"));
        rows.collect::<String>().into_bytes()
    }

    #[test]
    fn what_is_compressed_is_smaller_and_decompresses_to_the_same() {
        for plain in [rows(40), rows(4_000)] {
            for encoding in Encoding::ALL {
                for effort in [Effort::EachTime, Effort::Once] {
                    let packed = compress(&plain, encoding, effort).expect("compressed");
                    let case = format!("{encoding:?} {effort:?}: {}", packed.len());
                    assert!(packed.len() < plain.len() * 3 / 4, "{case}");
                    assert!(decompress(&packed, encoding) == plain, "{case}");
                }
            }
        }
    }

    #[test]
    fn an_empty_body_can_be_compressed() {
        for encoding in Encoding::ALL {
            let packed = compress(b"", encoding, Effort::EachTime).expect("compressed");
            assert!(decompress(&packed, encoding).is_empty(), "{encoding:?}");
        }
    }

    #[test]
    fn brotli_is_smaller_than_gzip() {
        let plain = rows(1000);
        for effort in [Effort::EachTime, Effort::Once] {
            let size = |encoding| {
                compress(&plain, encoding, effort)
                    .expect("compressed")
                    .len()
            };
            assert!(size(Encoding::Brotli) < size(Encoding::Gzip), "{effort:?}");
        }
    }
}
