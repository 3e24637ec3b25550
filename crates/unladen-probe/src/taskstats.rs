//! Exit records: counts of a thread's whole life, sent by the kernel when it ends
//! (Documentation/accounting/taskstats.rst). The principal type is [`Listener`].
//!
//! Records are queued by the ending thread before its parent learns of the end, so draining the queue after examining
//! /proc misses none. Three fields are not what they seem: the CPU time stands at the last timer tick, the memory is
//! taken down after it, and read and write counts are rounded down to multiples of 1,024 (kernel/tsacct.c).

use std::io::IoSliceMut;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recvmsg, send, setsockopt, socket,
    sockopt,
};

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

/// A socket on which the kernel sends a record for each thread that ends.
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

// Framing of generic netlink (netlink(7)). Structures and numbers are those of include/uapi/linux/netlink.h and
// genetlink.h.

/// `struct nlmsghdr`.
const HEADER: usize = 16;
/// `struct genlmsghdr`.
const GENERIC_HEADER: usize = 4;
/// `struct nlattr`.
const ATTRIBUTE_HEADER: usize = 4;
/// The low bits of an attribute's type; the top two are flags.
const TYPE_MASK: u16 = 0x3fff;

pub(crate) const NLMSG_ERROR: u16 = 2;
pub(crate) const GENL_ID_CTRL: u16 = 0x10;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;

fn align(length: usize) -> usize {
    length.next_multiple_of(4)
}

/// A generic netlink request with one attribute and a request for acknowledgement.
pub(crate) fn request(family: u16, command: u8, attribute: u16, value: &[u8]) -> Vec<u8> {
    let length = HEADER + GENERIC_HEADER + align(ATTRIBUTE_HEADER + value.len());
    let mut message = Vec::with_capacity(length);
    message.extend((length as u32).to_ne_bytes());
    message.extend(family.to_ne_bytes());
    message.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    message.extend([0; 8]); // sequence number and port: the kernel fills the port in
    message.extend([command, 1, 0, 0]);
    message.extend(((ATTRIBUTE_HEADER + value.len()) as u16).to_ne_bytes());
    message.extend(attribute.to_ne_bytes());
    message.extend(value);
    message.resize(length, 0);
    message
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    pub(crate) kind: u16,
    pub(crate) payload: &'a [u8],
}

impl<'a> Message<'a> {
    /// The messages in a datagram; a truncated one is left out.
    pub(crate) fn all(mut datagram: &'a [u8]) -> impl Iterator<Item = Message<'a>> {
        std::iter::from_fn(move || {
            let length = u32_at(datagram, 0)? as usize;
            let kind = u16_at(datagram, 4)?;
            let payload = datagram.get(HEADER..length)?;
            datagram = datagram.get(align(length)..).unwrap_or_default();
            Some(Message { kind, payload })
        })
    }

    /// The error number in an acknowledgement, 0 for success.
    pub(crate) fn error(&self) -> Option<i32> {
        (self.kind == NLMSG_ERROR).then(|| u32_at(self.payload, 0).map(|n| -(n as i32))).flatten()
    }

    pub(crate) fn attributes(&self) -> Attributes<'a> {
        Attributes(self.payload.get(GENERIC_HEADER..).unwrap_or_default())
    }
}

/// Attributes in order: (type, value). The walk ends at a length that its bytes do not have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes<'a>(pub(crate) &'a [u8]);

impl<'a> Attributes<'a> {
    pub(crate) fn get(mut self, wanted: u16) -> Option<&'a [u8]> {
        self.find(|(kind, _)| *kind == wanted).map(|(_, value)| value)
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let length = usize::from(u16_at(self.0, 0)?);
        let kind = u16_at(self.0, 2)? & TYPE_MASK;
        let value = self.0.get(ATTRIBUTE_HEADER..length)?;
        self.0 = self.0.get(align(length)..).unwrap_or_default();
        Some((kind, value))
    }
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The fields that Unladen takes from the kernel's `struct taskstats`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Record {
    pub(crate) tid: i32,
    pub(crate) pid: i32,
    pub(crate) ppid: i32,
    pub(crate) uid: u32,
    pub(crate) comm: String,
    pub(crate) cpu_ns: u64,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) voluntary_switches: u64,
    pub(crate) involuntary_switches: u64,
}

/// Offsets of fields in `struct taskstats` (include/uapi/linux/taskstats.h).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Bytes before `cpu_run_virtual_total` beyond those of version 14.
    shift_accounting: usize,
    /// Bytes before `ac_tgid` beyond those of version 14.
    shift_tgid: usize,
}

/// The first version with `ac_tgid` (Linux 5.19): before it, a record does not tell a thread's end from a process's.
pub(crate) const FIRST_VERSION: u16 = 12;

impl Layout {
    /// Version 15 (Linux 6.14 and 6.15) put two new fields of 8 bytes behind each kind of delay; 16 moved them to the
    /// end, where they should have gone.
    fn of_version(version: u16) -> Option<Self> {
        match version {
            ..FIRST_VERSION => None,
            15 => Some(Self { shift_accounting: 3 * 16, shift_tgid: 6 * 16 }),
            _ => Some(Self { shift_accounting: 0, shift_tgid: 0 }),
        }
    }
}

impl Record {
    pub(crate) fn with_counts_of(&self, other: &Self) -> Self {
        Self {
            cpu_ns: self.cpu_ns.saturating_add(other.cpu_ns),
            user_ns: self.user_ns.saturating_add(other.user_ns),
            system_ns: self.system_ns.saturating_add(other.system_ns),
            minor_faults: self.minor_faults.saturating_add(other.minor_faults),
            major_faults: self.major_faults.saturating_add(other.major_faults),
            voluntary_switches: self.voluntary_switches.saturating_add(other.voluntary_switches),
            involuntary_switches: self.involuntary_switches.saturating_add(other.involuntary_switches),
            ..self.clone()
        }
    }

    /// `tid` is the enclosing message's id: `None` if the structure does not hold the same, as the layout is not this
    /// one.
    pub(crate) fn parse(tid: i32, bytes: &[u8]) -> Option<Self> {
        let layout = Layout::of_version(u16_at(bytes, 0)?)?;
        let at = |offset: usize| offset + layout.shift_accounting;
        let number = |offset: usize| u64_at(bytes, at(offset));
        let id = |offset: usize| u32_at(bytes, offset).and_then(|n| i32::try_from(n).ok());
        if id(at(128))? != tid {
            return None;
        }
        let comm = bytes.get(at(80)..at(80) + 32)?;
        let comm = &comm[..comm.iter().position(|&byte| byte == 0).unwrap_or(comm.len())];
        // In microseconds; together they are the scheduler's exact run time rounded down.
        let (user_us, system_us) = (number(152)?, number(160)?);
        let run_time_ns = number(72)?;
        Some(Self {
            tid,
            pid: id(368 + layout.shift_tgid)?,
            ppid: id(at(132))?,
            uid: u32_at(bytes, at(120))?,
            comm: String::from_utf8_lossy(comm).into_owned(),
            // Nanoseconds are there only if the kernel accounts for delays.
            cpu_ns: if run_time_ns > 0 { run_time_ns } else { user_us.saturating_add(system_us).saturating_mul(1_000) },
            user_ns: user_us.saturating_mul(1_000),
            system_ns: system_us.saturating_mul(1_000),
            minor_faults: number(168)?,
            major_faults: number(176)?,
            voluntary_switches: number(272)?,
            involuntary_switches: number(280)?,
        })
    }
}

#[cfg(test)]
mod tests;
