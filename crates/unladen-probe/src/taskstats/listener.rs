//! The principal type is [`Listener`]: a socket on which the kernel sends a record for each thread that ends.

use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recvmsg, send, setsockopt, socket,
    sockopt,
};

use super::netlink::{Attributes, GENL_ID_CTRL, Message, request, u16_at, u32_at};
use super::record::Record;

const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;
const TASKSTATS_CMD_GET: u8 = 1;
const TASKSTATS_CMD_ATTR_REGISTER_CPUMASK: u16 = 3;
const TASKSTATS_TYPE_PID: u16 = 1;
const TASKSTATS_TYPE_STATS: u16 = 3;
const TASKSTATS_TYPE_AGGR_PID: u16 = 4;

/// Room for records between two drains. A record takes some 2.5 KiB (kernel bookkeeping included): 32 MiB hold 12,000
/// ends of threads.
const RECEIVE_BUFFER: usize = 32 * 1024 * 1024;

/// A record is some 500 bytes, twice that with the thread group's.
const DATAGRAM: usize = 8 * 1024;

const MAX_ANSWERS: usize = 16;

#[derive(Debug)]
pub(crate) struct Listener {
    socket: OwnedFd,
    family: u16,
    buffer: Vec<u8>,
    lost: u64,
    unknown: u64,
}

impl Listener {
    /// Asks for the records of all processors in `cpus` (a list such as `0-1`). Fails with `EPERM` without
    /// CAP_NET_ADMIN, `ENOENT` if the kernel was built without taskstats.
    pub(crate) fn open(cpus: &str) -> Result<Self, Errno> {
        let socket =
            socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkGeneric)?;
        bind(socket.as_raw_fd(), &NetlinkAddr::new(0, 0))?;
        // Before registering, as records sent before the first drain must find room.
        setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BUFFER)?;
        let mut listener = Self { socket, family: 0, buffer: vec![0; DATAGRAM], lost: 0, unknown: 0 };
        let name = request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, b"TASKSTATS\0");
        listener.family = listener.ask(&name)?.ok_or(Errno::ENOENT)?;
        let mut mask = cpus.trim().as_bytes().to_vec();
        mask.push(0);
        listener.ask(&request(listener.family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, &mask))?;
        Ok(listener)
    }

    pub(crate) fn drain(&mut self, mut each: impl FnMut(Record)) {
        loop {
            match self.receive(MsgFlags::MSG_DONTWAIT) {
                Ok(length) => {
                    for message in Message::all(&self.buffer[..length]).filter(|message| message.kind == self.family) {
                        for record in records(&message) {
                            match record {
                                Some(record) => each(record),
                                None => self.unknown += 1,
                            }
                        }
                    }
                }
                // The buffer overflowed: how many were lost is unknown.
                Err(Errno::ENOBUFS) => self.lost += 1,
                Err(Errno::EINTR) => {}
                Err(_) => return,
            }
        }
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost + self.unknown
    }

    /// Sends a request and waits for its acknowledgement; returns the family's id if one is answered.
    fn ask(&mut self, message: &[u8]) -> Result<Option<u16>, Errno> {
        send(self.socket.as_raw_fd(), message, MsgFlags::empty())?;
        let mut family = None;
        for _ in 0..MAX_ANSWERS {
            let length = self.receive(MsgFlags::empty())?;
            for answer in Message::all(&self.buffer[..length]) {
                match answer.error() {
                    Some(0) => return Ok(family),
                    Some(error) => return Err(Errno::from_raw(error)),
                    None => {
                        let id = answer.attributes().get(CTRL_ATTR_FAMILY_ID).and_then(|value| u16_at(value, 0));
                        family = family.or(id.filter(|_| answer.kind == GENL_ID_CTRL));
                    }
                }
            }
        }
        Err(Errno::EPROTO)
    }

    /// One datagram from the kernel (port 0); other senders are ignored.
    fn receive(&mut self, flags: MsgFlags) -> Result<usize, Errno> {
        let mut slices = [IoSliceMut::new(&mut self.buffer)];
        let message = loop {
            match recvmsg::<NetlinkAddr>(self.socket.as_raw_fd(), &mut slices, None, flags) {
                // A tracer of the kernel came or went.
                Err(Errno::EINTR) => {}
                received => break received?,
            }
        };
        let from_kernel = message.address.is_some_and(|address| address.pid() == 0);
        Ok(if from_kernel { message.bytes } else { 0 })
    }
}

fn records<'a>(message: &Message<'a>) -> impl Iterator<Item = Option<Record>> + 'a {
    message.attributes().filter(|(kind, _)| *kind == TASKSTATS_TYPE_AGGR_PID).map(|(_, value)| {
        let nested = Attributes(value);
        let tid = i32::try_from(u32_at(nested.get(TASKSTATS_TYPE_PID)?, 0)?).ok()?;
        Record::parse(tid, nested.get(TASKSTATS_TYPE_STATS)?)
    })
}

#[cfg(feature = "fuzzing")]
pub(crate) fn records_in(datagram: &[u8]) -> impl Iterator<Item = Option<Record>> {
    Message::all(datagram).flat_map(|message| records(&message).collect::<Vec<_>>())
}
