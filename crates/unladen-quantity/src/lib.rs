//! The principal type is [`Quantity`]: a number in a suitable unit, with as many digits as its margin leaves
//! meaningful. [`Span`] is a value with its interval, [`Scale`] a value's position in a picture.
//!
//! Every result format writes numbers with this crate, so that a figure reads the same everywhere.
//!
//! ```
//! use unladen_quantity::{Kind, Quantity, Span, plain};
//!
//! let cpu = Quantity { kind: Kind::Time, value: 17_918_223.0, margin: 214_000.0 };
//! assert_eq!(cpu.to_string(), "17.92 ± 0.21 ms");
//! assert_eq!(plain(Kind::Bytes, 1_234_567.0), "1.23 MB");
//!
//! let ratio = Span { value: 0.866, low: 0.854, high: 0.878 };
//! assert_eq!(ratio.change_text(), "−13.4 % (−14.6 to −12.2)");
//! ```
#![forbid(unsafe_code)]

mod area;
mod quantity;
mod scale;
mod span;
mod treemap;
mod unseen;

pub use area::{Area, interval_path};
pub use quantity::{
    Kind, Quantity, UNKNOWN, between, bucket, bucket_name, bucket_text, grouped, lasting, plain, settling, short,
    signed,
};
pub use scale::{PERCENTILES, Scale, odds};
pub use span::{Span, percent, with_sign};
pub use treemap::treemap;
pub use unseen::{inert_json, is_unseen};
