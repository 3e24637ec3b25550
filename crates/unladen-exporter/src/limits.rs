//! The bounds of what is read of an exporter.

/// The longest answer, in bytes. A large cAdvisor or kube-state-metrics answers some 5 MB.
pub const BODY: usize = 16 << 20;
/// The most samples of an answer.
pub const SERIES: usize = 50_000;
/// The most metric families of an answer.
pub const FAMILIES: usize = 10_000;
/// The longest line, in bytes: a sample with long labels, or a help text.
pub const LINE: usize = 64 << 10;
/// The most labels of a sample.
pub const LABELS: usize = 64;
/// The longest name of a metric or a label, in bytes.
pub const NAME: usize = 256;
/// The longest displayed name of a series, in characters; longer ones end with `…`.
pub const SHOWN: usize = 200;
/// The most series that [`Growth`](crate::Growth) keeps over all answers, as exporters may keep making new ones.
pub const KEPT: usize = 2 * SERIES;
/// The most bytes of their names with all labels.
pub const KEPT_BYTES: usize = 64 << 20;
/// Most growth of a counter from one answer to the next: a thousand processors take 1e15 ns in eleven days, and bytes
/// are fewer. More is no count, and its square would overflow.
pub const GROWTH: f64 = 1e24;
