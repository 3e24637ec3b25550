//! Who a request goes through. The principal function is [`follow`]: it sends a few requests that bear a mark, and
//! finds who takes them, and whom those ask before they answer: the [`Route`].
//!
//! - [`Trail`] sends the marked requests and watches who may take them: the listeners at their target, and those to
//!   whom these pass them on.
//! - [`Stream`] is the observed part of what was sent over one connection; [`marked`] are those that bear the mark.
//! - [`listeners`] are the processes that listen at an [`Address`].
//!
//! Plain-text protocols bear the mark themselves: HTTP/1, FastCGI, SCGI, uwsgi. Whatever else a process asks while it
//! has our request alone, it asks for our request: a database speaks no HTTP.
//!
//! ```no_run
//! use unladen_load::{Cancel, DriverConfig, Request};
//! use unladen_path::follow;
//!
//! let driver = DriverConfig::new(vec![Request::get("http://127.0.0.1/")?.build()?]);
//! for station in follow(&driver, 0, &Cancel::new())?.stations {
//!     println!("{}: {:?}", station.address, station.pids);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod follow;
mod listener;
mod route;
mod stream;
mod trail;

pub use follow::follow;
pub use listener::{listeners, master, name_of};
pub use route::{Address, PathError, Route, Station};
pub use stream::{Marked, Stream, contains, marked};
pub use trail::{Seen, Trail};
pub use unladen_probe::parent;
