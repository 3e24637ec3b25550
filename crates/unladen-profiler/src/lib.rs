//! Drives the profilers that there are for a language. The principal type is [`Profiler`]: it has a request answered,
//! and adds what was seen on the stack meanwhile to a profile.
//!
//! Nothing of the application is changed, nor of its server: there is nothing to put back.
//!
//! - [`capture_request`] sees what the web server hands to the application for one request of ours.
//! - [`Excimer`] hands the same to PHP-FPM itself, over FastCGI, with another script: ours, which starts the profiler
//!   and then runs the application's.
//! - [`Prepended`] has it start in a PHP without FastCGI, by a file that this PHP was set to run before each script.
//! - [`NytProf`] starts a second process of the Perl program, with the profiler in its environment, and hands it the
//!   same.
//! - [`PerfClock`] sends requests as they are, and has the kernel note the stacks of all processes that follow them.
#![forbid(unsafe_code)]

mod application;
mod capture_request;
mod error;
mod excimer;
mod fastcgi;
mod nytprof;

mod perf_clock;
mod profiler;
mod run_folder;
mod shadow;

pub use application::{Application, Kind};
pub use capture_request::{Captured, capture_request};
pub use error::ProfilerError;
pub use excimer::{Clock, Excimer, ExcimerOptions, Prepended};
pub use nytprof::{NytProf, NytProfOptions};
pub use perf_clock::{PerfClock, PerfClockOptions};
pub use profiler::{Answered, Profiler};
pub use unladen_fastcgi::Params;
pub use unladen_path::Address;
