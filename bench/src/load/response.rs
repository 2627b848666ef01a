//! Parses just enough of HTTP/1.1 to find the end of a response.

#[derive(Debug, PartialEq)]
pub struct Response {
    pub status: u16,
    /// The size of the body without chunk headers.
    pub body_bytes: usize,
    /// The size of the whole response.
    pub bytes: usize,
    pub last_on_connection: bool,
}

/// Parses the response at the start of `read`; `None` if it is incomplete.
pub fn parse(read: &[u8]) -> Result<Option<Response>, &'static str> {
    let Some(end) = find(read, b"\r\n\r\n") else {
        return Ok(None);
    };
    let (head, body) = (&read[..end], &read[end + 4..]);
    let mut lines = head.split(|byte| *byte == b'\n');
    let status = lines
        .next()
        .and_then(|line| line.strip_prefix(b"HTTP/1.1 "))
        .and_then(|line| number(line.get(..3)?, 10))
        .ok_or("no HTTP/1.1 status")?;
    let (mut length, mut chunked, mut last_on_connection) = (None, false, false);
    for line in lines {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Err("a header without a colon");
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            length = Some(number(value, 10).ok_or("Content-Length is not a number")?);
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            chunked = value.eq_ignore_ascii_case(b"chunked");
        } else if name.eq_ignore_ascii_case(b"connection") {
            last_on_connection = value.eq_ignore_ascii_case(b"close");
        }
    }
    let sizes = match (chunked, length) {
        (true, _) => chunks(body)?,
        (false, Some(length)) => (body.len() >= length).then_some((length, length)),
        (false, None) => return Err("neither Content-Length nor Transfer-Encoding: chunked"),
    };
    Ok(sizes.map(|(body_bytes, framed)| Response {
        status: status as u16,
        body_bytes,
        bytes: end + 4 + framed,
        last_on_connection,
    }))
}

/// The size of a chunked body, without and with its chunk headers.
fn chunks(read: &[u8]) -> Result<Option<(usize, usize)>, &'static str> {
    let (mut bytes, mut at) = (0, 0);
    loop {
        let Some(line) = find(&read[at..], b"\r\n") else {
            return Ok(None);
        };
        let size = number(&read[at..at + line], 16).ok_or("a chunk without a size")?;
        at += line + 2;
        let end = at.saturating_add(size);
        let Some(after) = read.get(end..end.saturating_add(2)) else {
            return Ok(None);
        };
        if after != b"\r\n" {
            return Err("a chunk is longer than its size");
        }
        (bytes, at) = (bytes + size, end + 2);
        if size == 0 {
            return Ok(Some((bytes, at)));
        }
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

fn number(digits: &[u8], radix: u32) -> Option<usize> {
    usize::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::{Response, parse};

    fn response(status: u16, body_bytes: usize, bytes: usize) -> Response {
        Response {
            status,
            body_bytes,
            bytes,
            last_on_connection: false,
        }
    }

    #[test]
    fn a_response_ends_after_its_content_length() {
        let whole = b"HTTP/1.1 201 Created\r\nx: y\r\ncontent-length: 5\r\n\r\nhello";
        for cut in 0..whole.len() {
            assert_eq!(parse(&whole[..cut]), Ok(None), "at {cut}");
        }
        let expected = Ok(Some(response(201, 5, whole.len())));
        assert_eq!(parse(whole), expected);
        let more = [whole.as_slice(), b"HTTP/1.1"].concat();
        assert_eq!(parse(&more), expected);
    }

    #[test]
    fn a_chunked_response_ends_with_its_last_chunk() {
        let whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n\
                      3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n";
        for cut in 0..whole.len() {
            assert_eq!(parse(&whole[..cut]), Ok(None), "at {cut}");
        }
        assert_eq!(parse(whole), Ok(Some(response(200, 19, whole.len()))));
    }

    #[test]
    fn connection_close_marks_the_last_response() {
        let parsed = parse(b"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        assert!(matches!(
            parsed,
            Ok(Some(Response {
                status: 503,
                last_on_connection: true,
                ..
            }))
        ));
    }

    #[test]
    fn a_malformed_response_is_an_error() {
        for text in [
            "SSH-2.0\r\n\r\n",
            "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
