//! The principal type is [`Names`]: a server of the DNS for which every name is this machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};

use crate::port::free_address;

/// An answer, and that recursion is available (RFC 1035, section 4.1.1).
const ANSWER: [u8; 2] = [0x81, 0x80];
/// The question before it by its place, A, IN, a second, 127.0.0.1.
const HERE: [u8; 16] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1];

/// A server of the DNS for which every name is 127.0.0.1, by UDP and TCP, until the process ends.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    address: SocketAddr,
}

impl Names {
    /// Starts one.
    ///
    /// # Panics
    /// If its address is taken meanwhile.
    pub fn start() -> Self {
        let address = free_address();
        let datagrams = UdpSocket::bind(address).expect("a free address");
        let streams = TcpListener::bind(address).expect("a free address");
        std::thread::spawn(move || {
            let mut question = [0; 512];
            while let Ok((length, from)) = datagrams.recv_from(&mut question) {
                if let Some(answer) = answer(&question[..length]) {
                    let _ = datagrams.send_to(&answer, from);
                }
            }
        });
        std::thread::spawn(move || {
            for stream in streams.incoming().flatten() {
                std::thread::spawn(move || converse(stream));
            }
        });
        Self { address }
    }

    /// Where it is.
    pub fn address(self) -> SocketAddr {
        self.address
    }
}

/// Each message behind its length.
fn converse(mut stream: TcpStream) -> Option<()> {
    loop {
        let mut length = [0; 2];
        stream.read_exact(&mut length).ok()?;
        let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut question).ok()?;
        let answer = answer(&question)?;
        let length = u16::try_from(answer.len()).ok()?.to_be_bytes();
        stream.write_all(&[&length[..], &answer].concat()).ok()?;
    }
}

/// To a message with one question.
fn answer(question: &[u8]) -> Option<Vec<u8>> {
    // Behind the head is the name, which ends with an empty label, and then the type.
    let end = 12 + question.get(12..)?.iter().position(|byte| *byte == 0)? + 1;
    let asked = question.get(..end + 4)?;
    let is_ipv4 = asked[end..end + 2] == [0, 1];
    let mut answer = [&asked[..2], &ANSWER, &[0, 1, 0, u8::from(is_ipv4), 0, 0, 0, 0], &asked[12..]].concat();
    if is_ipv4 {
        answer.extend_from_slice(&HERE);
    }
    Some(answer)
}
