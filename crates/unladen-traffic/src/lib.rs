//! The principal type is [`Traffic`]: what a site was asked for, by kind of page and by kind of client, from its access
//! logs.
//!
//! ```
//! use unladen_traffic::{Options, Traffic};
//!
//! let mut log = String::new();
//! for page in 0..100 {
//!     log += &format!("203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /wiki/Page_{page} HTTP/1.1\" 200 9 \"-\" \"x\"\n");
//!     log += "203.0.113.9 - - [10/Oct/2026:13:55:37 +0000] \"GET /style.css?1 HTTP/1.1\" 200 9 \"-\" \"GPTBot/1.2\"\n";
//! }
//! let traffic = Traffic::parse(log.as_bytes(), "access.log".as_ref(), &Options::default())?;
//! let kinds: Vec<_> = traffic.kinds.iter().map(|kind| (kind.name.as_str(), kind.requests)).collect();
//! assert_eq!(kinds, [("/wiki/{title*}", 100), ("static .css", 100)]);
//! assert_eq!((traffic.clients[0].name.as_str(), traffic.clients[0].requests), ("GPTBot", 100));
//! # Ok::<(), unladen_traffic::TrafficError>(())
//! ```
//!
//! A log is read once, as it may come by a pipe. From top to bottom:
//!
//! - `traffic`: reads files, line by line, and sums up;
//! - `kind_list`, `pattern`: kinds that were named, by a user's file or a preset;
//! - `tree`: learns the kinds of all other targets; `tally`, `sample`, `sketch`: what is counted and kept of each;
//! - `clients`: crawlers that say so, and networks;
//! - `sitemap`: pages that a site says it has, where there is no log;
//! - `files`, `gzip`: logs as plain text;
//! - `dialect`, `entry`, `json_line`, `fpm_line`, `time`, `line`: a line of a log, without any allocation;
//! - `change`, `secrets`: which targets nobody should repeat or keep.
//!
//! Everything is bounded, whatever the log has in it: lines, names, samples, kinds, networks. Addresses are not kept.
#![forbid(unsafe_code)]

mod carried;
mod gzip;
mod line;

#[cfg(feature = "kinds")]
mod change;
#[cfg(feature = "kinds")]
mod clients;
#[cfg(feature = "kinds")]
mod dialect;
#[cfg(feature = "kinds")]
mod entry;
#[cfg(feature = "kinds")]
mod files;
#[cfg(feature = "kinds")]
mod fpm_line;
#[cfg(feature = "kinds")]
mod json_line;
#[cfg(feature = "kinds")]
mod kind_list;
#[cfg(feature = "kinds")]
mod pattern;
#[cfg(feature = "kinds")]
mod sample;
#[cfg(feature = "kinds")]
mod secrets;
#[cfg(feature = "kinds")]
mod sitemap;
#[cfg(feature = "kinds")]
mod sketch;
#[cfg(feature = "kinds")]
mod tally;
#[cfg(feature = "kinds")]
mod target;
#[cfg(feature = "kinds")]
mod time;
#[cfg(feature = "kinds")]
mod token;
#[cfg(feature = "kinds")]
mod traffic;
#[cfg(feature = "kinds")]
mod tree;

pub use carried::{NotCarried, carried};
pub use gzip::Gzip;
pub use line::{LogEntry, LogLine, LogReader, RequestLine, beginning};
#[cfg(feature = "kinds")]
pub use {
    change::looks_like_a_change,
    entry::{Entry, Method, PassedOver},
    files::expand,
    kind_list::{KindList, KindListError},
    sitemap::{Sitemap, SitemapError},
    tally::{CacheCounts, LeftOut, MethodCounts, StatusCounts},
    traffic::{Change, Client, ClientSort, Kind, Options, Traffic, TrafficError, UrlCount},
};
