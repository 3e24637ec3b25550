//! The principal type is [`Driver`]: an HTTP client that sends requests back to back or at a rate, in phases, checks
//! every response and keeps every latency.
//!
//! ```
//! use std::time::Duration;
//! use unladen_load::{Cancel, Driver, DriverConfig, Request, Stop};
//!
//! # use std::io::{Read, Write};
//! # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
//! # let url = format!("http://{}/", listener.local_addr()?);
//! # std::thread::spawn(move || {
//! #     for mut stream in listener.incoming().flatten() {
//! #         let mut request = [0; 4096];
//! #         while stream.read(&mut request).is_ok_and(|read| read > 0) {
//! #             stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").unwrap();
//! #         }
//! #     }
//! # });
//! let page = Request::get(&url)?.header("Accept-Language: cy".parse()?).build()?;
//! let mut driver = Driver::start(DriverConfig { concurrency: 1, ..DriverConfig::new(vec![page]) })?;
//! let cancel = Cancel::new();
//!
//! let sample = driver.sample(0, &cancel)?;
//! assert_eq!(&sample.body_start[..], b"hello");
//!
//! let tally = driver.run(0, Stop::after(Duration::from_secs(10)).or_requests(50), &cancel)?;
//! assert_eq!((tally.requests, tally.changed), (50, 0));
//! assert_eq!(tally.connections_opened, 0, "the sample's connection was kept open");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The path of a request, from top to bottom; no file uses names of one above it:
//!
//! - `driver`: a thread that takes commands: a sample, an inquiry, a run into a `tally`, a `load`;
//! - `run`: when requests are sent, by the turns of a share in a `schedule`, and a `pacer`; each has an `outcome`;
//! - `client`: one request within its time limit, with the cookies of a `jar`; reads and checks the answer;
//! - `origin`: idle connections;
//! - `connect`, `connection`, `wire`: open a stream, start HTTP on it, and count its bytes;
//! - `exchange`, `sample`, `failure`, `error`: an answer, or why there is none;
//! - `form`: the parts that go to another host; [`name_services`]: host lookups of a static program;
//! - leaves: `request`, `expect`, `http_version`.
//!
//! Everything is bounded: name lookups and connections by the connect timeout, requests by theirs, bodies by a size,
//! a run by its own time plus one request's timeout; and a [`Cancel`] ends all of them at once.

mod access_log;
mod answers;
mod bins;
mod cancel;
mod client;
mod config;
mod connect;
mod connection;
mod driver;
mod error;
mod exchange;
mod expect;
mod failure;
mod form;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod header;
mod http_version;
mod inquiry;
mod jar;
mod load;
mod mix;
pub mod name_services;
mod open_files;
mod origin;
mod outcome;
mod pacer;
mod record;
mod record_file;
mod request;
mod run;
mod sample;
mod schedule;
mod share;
mod tally;
mod target;
mod tls;
mod typed;
mod urgent;
mod urls;
mod wire;

pub use crate::access_log::{AccessLog, AccessLogError, LogEntry, LogLine, LogReader, PassedOver, RequestLine};
pub use crate::answers::{Answers, Ask, LeftOut, Variation};
pub use crate::bins::Bins;
pub use crate::cancel::Cancel;
pub use crate::config::DriverConfig;
pub use crate::driver::Driver;
pub use crate::error::{LoadError, Stage};
pub use crate::form::{
    BinnedLatencies, ConfigForm, DamagedBatch, PlanForm, RecordBatch, RecordSummary, RequestForm, TlsForm,
};
pub use crate::header::{Header, HeaderError};
pub use crate::http_version::HttpVersion;
pub use crate::load::{LoadEnd, Running, Waited};
pub use crate::mix::Mix;
pub use crate::open_files::open_files_before;
pub use crate::outcome::{ErrorKind, LoadOutcome};
pub use crate::record::RequestRecord;
pub use crate::record_file::{RecordEnd, RecordError, RecordHead, RecordReader, RecordWriter};
pub use crate::request::{Request, RequestBuilder, RequestError};
pub use crate::run::LoadPlan;
pub use crate::sample::{Sample, Unpacked};
pub use crate::schedule::{Arrivals, End, Schedule, Step, StepError, Stop, Times};
pub use crate::share::Share;
pub use crate::target::{ConnectTo, Target};
pub use crate::tls::{Carried, ClientIdentity, Roots, TlsOptions};
pub use crate::typed::{count_of, rate_of, time_of};
pub use crate::urls::{UrlLine, UrlList, UrlListError};
pub use exchange::{ConnectTimes, Digest, Exchange, Fingerprint, Verdict};
pub use expect::{BodyText, Expect, Statuses, StatusesError};
pub use tally::{BodySizes, KEPT_LATENCIES, RunError, Tally};
pub use unladen_tls::TlsFault;
