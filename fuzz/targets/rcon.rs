//! RCON packets, however a stream cuts them: no panic, nothing kept that was not announced, and
//! the same packets whether they come whole or in pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rcon::{Decoder, Malformed, Packet};

fn decoded<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Packet>, Option<Malformed>) {
    let mut decoder = Decoder::default();
    let mut packets = Vec::new();
    for piece in pieces {
        decoder.buffer().extend_from_slice(piece);
        loop {
            match decoder.packet() {
                Ok(Some(packet)) => packets.push(packet),
                Ok(None) => break,
                Err(malformed) => return (packets, Some(malformed)),
            }
        }
    }
    (packets, None)
}

fuzz_target!(|input: (u8, &[u8])| {
    let (piece, bytes) = input;
    let whole = decoded([bytes].into_iter());
    let pieces = decoded(bytes.chunks(usize::from(piece) + 1));
    assert_eq!(whole, pieces);
    for packet in whole.0 {
        let again = decoded([&packet.encode()[..]].into_iter()).0;
        let same = again.first().map(|again| (again.id, again.kind));
        assert_eq!(same, Some((packet.id, packet.kind)));
    }
});
