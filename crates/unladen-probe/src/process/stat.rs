//! The principal type is [`Stat`]: what Unladen takes from /proc/PID/stat (proc_pid_stat(5)).

/// `PF_KTHREAD` of include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// One reading of /proc/PID/stat. Times are in clock ticks (10 ms on all common kernels).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Stat {
    pub(crate) comm: String,
    pub(crate) ppid: i32,
    pub(crate) kernel_thread: bool,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) user_ticks: u64,
    pub(crate) system_ticks: u64,
    /// User and system ticks of children that ended and were waited for.
    pub(crate) children_ticks: u64,
    pub(crate) threads: u64,
    /// When it started, in ticks since boot: with the pid, this names a process for good.
    pub(crate) start: u64,
}

impl Stat {
    /// `None` if the line reads otherwise than documented.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        // The name may hold blanks and parentheses itself; only the last one ends it.
        let open = line.iter().position(|&byte| byte == b'(')?;
        let close = line.iter().rposition(|&byte| byte == b')')?;
        let comm = String::from_utf8_lossy(line.get(open + 1..close)?).into_owned();
        let rest = std::str::from_utf8(line.get(close + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // proc_pid_stat(5) counts from 1 and the state, `fields[0]`, is its third.
        let number = |n: usize| fields.get(n - 3)?.parse::<u64>().ok();
        let signed = |n: usize| fields.get(n - 3)?.parse::<i64>().ok();
        let children = signed(16)?.max(0).saturating_add(signed(17)?.max(0));
        Some(Self {
            comm,
            ppid: i32::try_from(signed(4)?).ok()?,
            kernel_thread: number(9)? & KERNEL_THREAD != 0,
            minor_faults: number(10)?,
            major_faults: number(12)?,
            user_ticks: number(14)?,
            system_ticks: number(15)?,
            children_ticks: u64::try_from(children).ok()?,
            threads: number(20)?,
            start: number(22)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &[u8] =
        b"4242 (php-fpm: pool (w) x) S 17 4242 4242 0 -1 4194624 1200 30 4 5 150 60 7 8 20 0 3 0 998877 1 2 3\n";

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let stat = Stat::parse(LINE).unwrap();
        assert_eq!(stat.comm, "php-fpm: pool (w) x");
        assert_eq!((stat.ppid, stat.minor_faults, stat.major_faults), (17, 1200, 4));
        assert_eq!((stat.user_ticks, stat.system_ticks, stat.children_ticks), (150, 60, 15));
        assert_eq!((stat.threads, stat.start, stat.kernel_thread), (3, 998_877, false));
    }

    #[test]
    fn a_line_cut_short_is_refused() {
        for length in 0..LINE.len() - 8 {
            assert_eq!(Stat::parse(&LINE[..length]).filter(|stat| stat.start == 998_877), None, "{length}");
        }
    }

    #[test]
    fn times_beyond_all_measure_do_not_overflow() {
        let line = format!("1 (x) S 0 0 0 0 0 0 0 0 0 0 0 0 {0} {0} 0 0 1 0 5", i64::MAX);
        let stat = Stat::parse(line.as_bytes()).unwrap();
        assert_eq!((stat.children_ticks, stat.start), (i64::MAX as u64, 5));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = Stat::parse(&bytes);
        }
    }
}
