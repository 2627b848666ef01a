use std::io::Write;

use dump::Reader;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{END, Slow, read_all};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("compressed")
}

#[test]
fn gzip_and_zstd_are_recognised_and_may_have_several_parts() {
    let rows = format!("INSERT INTO t (a) VALUES (1){};", ",(1)".repeat(99_999));
    for compress in [gzip, zstd] {
        let mut packed = compress(rows.as_bytes());
        packed.extend(compress(END.as_bytes()));
        assert_eq!(
            read_all(Reader::new(&*packed).expect("a dump"))
                .expect("rows")
                .len(),
            100_000
        );
        assert_eq!(
            read_all(Reader::new(Slow(&packed)).expect("a dump"))
                .expect("rows")
                .len(),
            100_000
        );
        let mut reader = Reader::new(&*packed).expect("a dump");
        while reader.next().expect("an item").is_some() {}
        // The progress is that of the file.
        assert_eq!(reader.bytes_read(), packed.len() as u64);
    }
}

#[test]
fn a_compressed_dump_cut_off_anywhere_is_an_error() {
    let text = format!("INSERT INTO t (a) VALUES (1),(2),(3);{END}");
    for packed in [gzip(text.as_bytes()), zstd(text.as_bytes())] {
        for length in 0..packed.len() {
            let result = Reader::new(&packed[..length]).and_then(read_all);
            assert!(result.is_err(), "{length} of {}", packed.len());
        }
    }
}

#[test]
fn a_bomb_is_read_in_little_memory_and_refused() {
    let bomb = format!(
        "INSERT INTO t (a) VALUES ('{}",
        "x".repeat(dump::MAX_VALUE + 1)
    );
    for packed in [gzip(bomb.as_bytes()), zstd(bomb.as_bytes())] {
        let message = Reader::new(&*packed)
            .and_then(read_all)
            .expect_err("too large");
        assert!(
            message
                .to_string()
                .ends_with("a string has more than 16 MiB.")
        );
    }
}
