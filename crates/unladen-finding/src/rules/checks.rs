//! Shared by the rules on file checks: what the checks take of the latency.

use unladen_trace::Interval;

use crate::share::widened;

/// Latency of a check relative to the kernel's part of it, which alone is seen: between the two below. At MediaWiki
/// 1.39 a class map took away 690 of 850 `newfstatat` a request; on a quiet machine it took 1.74 ms off, 2.7 times the
/// kernel's part, and beside other work 1.56 ms (1.0 to 2.1), 1.7 times (1.1 to 2.3).
const KERNEL_VALUE: f64 = 2.0;
/// Lower end, where nothing is done but checking: a loop over `file_exists` in PHP 8.2 takes 1.1 to 1.5 times the
/// kernel's part, over `-e` in Perl 5.36 1.15 times.
const KERNEL_LOW: f64 = 1.1;
/// Upper end: a fifth more than at MediaWiki on a quiet machine, whose autoloader builds a path for each check.
const KERNEL_HIGH: f64 = 3.2;

/// Latency of checks from the kernel's part of it: the application's own work around them is not seen here.
pub(super) fn of_latency(kernel: Interval) -> Interval {
    widened(kernel, KERNEL_LOW, KERNEL_VALUE, KERNEL_HIGH)
}
