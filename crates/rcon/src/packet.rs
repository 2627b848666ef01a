//! Encodes and decodes packets: a size, an id, a kind, text and two zero bytes, little-endian.

use bytes::{Buf, BufMut, BytesMut};

pub const AUTH: i32 = 3;
pub const AUTH_ANSWER: i32 = 2;
pub const COMMAND: i32 = 2;
pub const ANSWER: i32 = 0;

/// The size of id and kind.
const HEAD: usize = 8;
/// The zero bytes that end the text and the packet.
const TAIL: usize = 2;
/// Valve's own servers split at 4 KiB, but some games send the whole answer in one packet.
const MAX_SIZE: usize = HEAD + (1 << 20) + TAIL;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub id: i32,
    pub kind: i32,
    pub text: Vec<u8>,
}

impl Packet {
    pub fn new(id: i32, kind: i32, text: &[u8]) -> Self {
        let text = text.to_vec();
        Self { id, kind, text }
    }

    pub fn encode(&self) -> Vec<u8> {
        let size = HEAD + self.text.len() + TAIL;
        let mut bytes = Vec::with_capacity(4 + size);
        bytes.put_i32_le(i32::try_from(size).unwrap_or(i32::MAX));
        bytes.put_i32_le(self.id);
        bytes.put_i32_le(self.kind);
        bytes.put_slice(&self.text);
        bytes.put_bytes(0, TAIL);
        bytes
    }
}

/// The input is not RCON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a packet has an impossible size")]
pub struct Malformed;

/// Reassembles packets from the pieces in which a stream delivers them.
#[derive(Debug, Default)]
pub struct Decoder(BytesMut);

impl Decoder {
    /// The buffer to append received bytes to.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.0
    }

    /// Returns `true` if no part of an incomplete packet is buffered.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the next packet, or `None` until all of it has been received.
    pub fn next_packet(&mut self) -> Result<Option<Packet>, Malformed> {
        let Some(mut head) = self.0.get(..4) else {
            return Ok(None);
        };
        let size = usize::try_from(head.get_i32_le()).map_err(|_| Malformed)?;
        if !(HEAD + TAIL..=MAX_SIZE).contains(&size) {
            return Err(Malformed);
        }
        if self.0.len() < 4 + size {
            return Ok(None);
        }
        self.0.advance(4);
        let mut packet = self.0.split_to(size);
        let (id, kind) = (packet.get_i32_le(), packet.get_i32_le());
        // Some games omit one of the two zero bytes.
        let zeros = packet
            .iter()
            .rev()
            .take(TAIL)
            .take_while(|byte| **byte == 0);
        let end = packet.len() - zeros.count();
        Ok(Some(Packet::new(id, kind, &packet[..end])))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(bytes: &[u8], piece: usize) -> Result<Vec<Packet>, Malformed> {
        let mut decoder = Decoder::default();
        let mut packets = Vec::new();
        for piece in bytes.chunks(piece) {
            decoder.buffer().extend_from_slice(piece);
            while let Some(packet) = decoder.next_packet()? {
                packets.push(packet);
            }
        }
        Ok(packets)
    }

    #[test]
    fn a_packet_is_encoded_as_in_valves_documentation() {
        let packet = Packet::new(1, AUTH, b"passwrd");
        let mut wire = vec![17, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0];
        wire.extend_from_slice(b"passwrd\0\0");
        assert_eq!(packet.encode(), wire);
        assert_eq!(decode(&wire, 1), Ok(vec![packet]));
    }

    #[test]
    fn an_impossible_size_is_rejected_before_the_packet_is_buffered() {
        for size in [i32::MIN, -1, 0, 9, MAX_SIZE as i32 + 1, i32::MAX] {
            assert_eq!(decode(&size.to_le_bytes(), 4), Err(Malformed), "{size}");
        }
    }

    #[test]
    fn the_largest_packet_and_a_packet_without_its_last_zero_are_accepted() {
        let large = Packet::new(2, ANSWER, &vec![b'x'; 1 << 20]);
        assert_eq!(decode(&large.encode(), 1000), Ok(vec![large]));
        let mut wire = Packet::new(2, ANSWER, b"abc").encode();
        wire[4 + 8 + 3] = b'd';
        assert_eq!(decode(&wire, 99), Ok(vec![Packet::new(2, ANSWER, b"abcd")]));
    }

    proptest! {
        #[test]
        fn packets_are_decoded_however_the_stream_is_split(
            packets in prop::collection::vec((any::<i32>(), any::<i32>(), "[^\0]{0,99}"), 0..9),
            piece in 1_usize..200,
        ) {
            let packets: Vec<Packet> = packets
                .iter()
                .map(|(id, kind, text)| Packet::new(*id, *kind, text.as_bytes()))
                .collect();
            let wire: Vec<u8> = packets.iter().flat_map(Packet::encode).collect();
            prop_assert_eq!(decode(&wire, piece), Ok(packets));
        }
    }
}
