//! Drives existing profilers of several languages. The principal type is [`Profiler`]: it sends a request and adds the
//! stacks seen meanwhile to a profile.
//!
//! Neither the application nor its server is changed: there is nothing to restore.
//!
//! - [`capture_request`] sees what the web server hands to the application for one request of ours.
//! - [`Excimer`] hands the same to PHP-FPM over FastCGI, with our script, which starts the profiler and then runs the
//!   application's.
//! - [`Prepended`] starts it in a PHP without FastCGI, by a file that this PHP was set to run before each script.
//! - [`NytProf`] starts a second process of the Perl program, with the profiler in its environment, and hands it the
//!   same.
//! - [`PerfClock`] sends requests as they are, and makes the kernel sample the stacks of all processes that follow
//!   them.
#![forbid(unsafe_code)]

mod application;
mod capture_request;
mod excimer;
mod fastcgi;
mod nytprof;

mod perf_clock;
mod profiler;
mod run_folder;
mod shadow;

pub use application::{Application, Kind};
pub use capture_request::{Captured, capture_request};
pub use excimer::{Clock, Excimer, ExcimerOptions, Prepended};
pub use nytprof::{NytProf, NytProfOptions};
pub use perf_clock::{PerfClock, PerfClockOptions};
pub use profiler::{Answered, Profiler, ProfilerError};
pub use unladen_fastcgi::Params;
pub use unladen_path::Address;
