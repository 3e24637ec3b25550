//! The principal type is [`Raw`]: a record split into its fields.

/// `struct record` in bpf/record.h, and what follows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raw<'a> {
    pub(super) at_ns: u64,
    pub(super) took_ns: u64,
    pub(super) result: i64,
    pub(super) arguments: [u64; 6],
    pub(super) pid: u32,
    pub(super) tid: u32,
    pub(super) group: u32,
    pub(super) kind: u8,
    pub(super) number: u16,
    pub(super) object: RawObject,
    pub(super) first: &'a [u8],
    pub(super) second: &'a [u8],
}

/// `struct object`.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawObject {
    pub(super) id: u64,
    pub(super) kind: u8,
    pub(super) family: u8,
    pub(super) socket_type: u8,
    pub(super) flags: u8,
    pub(super) peer_port: u16,
    pub(super) own_port: u16,
    pub(super) peer: [u8; 16],
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_ne_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_ne_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_ne_bytes)
    }
}

impl<'a> Raw<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut bytes = Bytes(bytes);
        let (at_ns, took_ns) = (bytes.u64()?, bytes.u64()?);
        let result = bytes.u64()?.cast_signed();
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = bytes.u64()?;
        }
        let (pid, tid, group) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
        let (kind, number) = (u8::try_from(bytes.u16()?).ok()?, bytes.u16()?);
        let object = RawObject {
            id: bytes.u64()?,
            kind: bytes.u8()?,
            family: bytes.u8()?,
            socket_type: bytes.u8()?,
            flags: bytes.u8()?,
            peer_port: bytes.u16().map(u16::from_be)?,
            own_port: bytes.u16()?,
            peer: bytes.take()?,
        };
        let (first, second) = (usize::from(bytes.u16()?), usize::from(bytes.u16()?));
        bytes.u32()?;
        let (first, second) = (bytes.slice(first)?, bytes.slice(second)?);
        Some(Self { at_ns, took_ns, result, arguments, pid, tid, group, kind, number, object, first, second })
    }

    pub(super) fn errno_or(&self) -> i32 {
        i32::try_from(self.result).unwrap_or(i32::MAX)
    }

    pub(super) fn fd(&self, argument: usize) -> i32 {
        // The kernel uses the lower half only.
        self.arguments.get(argument).map_or(-1, |&fd| fd as u32 as i32)
    }
}
