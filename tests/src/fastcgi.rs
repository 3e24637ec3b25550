//! The principal type is [`Params`]: a request of FastCGI 1.0 as its program reads it; and records, as it writes them.

use std::io::Read;

/// A request on a connection of its own.
#[derive(Debug, Default)]
pub struct Params {
    /// Names and values, as they came.
    pub all: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// The end of a request: all is well.
pub const END: [u8; 8] = [0; 8];

impl Params {
    /// Reads a request to the end of its body. None: the connection has ended.
    pub fn read(from: &mut impl Read) -> Option<Self> {
        let (mut params, mut body) = (Vec::new(), Vec::new());
        loop {
            let mut header = [0; 8];
            from.read_exact(&mut header).ok()?;
            let [_, kind, _, _, high, low, padding, _] = header;
            let length = usize::from(u16::from_be_bytes([high, low]));
            let mut content = vec![0; length + usize::from(padding)];
            from.read_exact(&mut content).ok()?;
            content.truncate(length);
            match kind {
                4 => params.extend_from_slice(&content),
                5 if content.is_empty() => break,
                5 => body.extend_from_slice(&content),
                _ => (),
            }
        }
        let mut all = Vec::new();
        let mut rest = &params[..];
        while !rest.is_empty() {
            let lengths = [length(&mut rest)?, length(&mut rest)?];
            let [name, value] = lengths.map(|length| {
                let (text, more) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                rest = more;
                String::from_utf8_lossy(text).into_owned()
            });
            all.push((name, value));
        }
        Some(Self { all, body })
    }

    /// The value of one, which must not be there twice.
    #[track_caller]
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.all.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} is there twice: {self:?}");
        value
    }
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let (first, more) = rest.split_first()?;
    if *first < 128 {
        *rest = more;
        return Some(usize::from(*first));
    }
    let (four, more) = rest.split_first_chunk::<4>()?;
    *rest = more;
    Some((u32::from_be_bytes(*four) & 0x7fff_ffff) as usize)
}

/// A record of this request.
pub fn record(kind: u8, request: u16, content: &[u8]) -> Vec<u8> {
    let ([high, low], [long, short]) = (request.to_be_bytes(), (content.len() as u16).to_be_bytes());
    [&[1, kind, high, low, long, short, 0, 0][..], content].concat()
}

/// An answer, head and body, and the end of the request.
pub fn answer(head_and_body: &[u8]) -> Vec<u8> {
    let output: Vec<u8> = head_and_body.chunks(60_000).flat_map(|part| record(6, 1, part)).collect();
    [output, record(3, 1, &END)].concat()
}
