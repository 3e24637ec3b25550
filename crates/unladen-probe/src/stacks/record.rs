//! Decodes samples of the kernel's part. Malformed bytes never panic: they make no sample, and count as lost.

use super::StackSample;

/// `COMM_BYTES` in bpf/stacks.bpf.c.
const COMM_BYTES: usize = 16;

/// `struct sample` in bpf/stacks.bpf.c, and the frames that follow it.
pub(super) fn sample(bytes: &[u8]) -> Option<StackSample> {
    let (at_ns, rest) = bytes.split_first_chunk()?;
    let (pid, rest) = number(rest)?;
    let (tid, rest) = number(rest)?;
    let (parent, rest) = number(rest)?;
    let (uid, rest) = number(rest)?;
    let (kernel, rest) = number(rest)?;
    let (user, rest) = number(rest)?;
    let (comm, rest) = rest.split_first_chunk::<COMM_BYTES>()?;
    let (kernel, rest) = rest.split_at_checked(usize::try_from(kernel).ok()?)?;
    let user = rest.get(..usize::try_from(user).ok()?)?;
    let comm = comm.split(|byte| *byte == 0).next().unwrap_or_default();
    Some(StackSample {
        at_ns: u64::from_ne_bytes(*at_ns),
        pid,
        tid,
        parent,
        uid,
        comm: String::from_utf8_lossy(comm).into_owned(),
        kernel: addresses(kernel),
        user: addresses(user),
    })
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_ne_bytes(*number), rest))
}

/// The kernel fills unused places with zeros, and address 0 is no code.
fn addresses(bytes: &[u8]) -> Vec<u64> {
    let (chunks, _) = bytes.as_chunks();
    chunks.iter().map(|chunk| u64::from_ne_bytes(*chunk)).take_while(|address| *address != 0).collect()
}

#[cfg(test)]
mod tests;
