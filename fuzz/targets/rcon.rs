//! Checks that decoding any bytes does not panic, and gives the same RCON packets whether the bytes
//! arrive at once or in pieces.
#![cfg_attr(fuzzing, no_main)]

use libfuzzer_sys::fuzz_target;
use rcon::{Decoder, Malformed, Packet};

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Packet>, Option<Malformed>) {
    let mut decoder = Decoder::default();
    let mut packets = Vec::new();
    for piece in pieces {
        decoder.buffer().extend_from_slice(piece);
        loop {
            match decoder.next_packet() {
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
    let whole = decode([bytes].into_iter());
    let pieces = decode(bytes.chunks(usize::from(piece) + 1));
    assert_eq!(whole, pieces);
    for packet in whole.0 {
        let again = decode([&packet.encode()[..]].into_iter()).0;
        let same = again.first().map(|again| (again.id, again.kind));
        assert_eq!(same, Some((packet.id, packet.kind)));
    }
});
