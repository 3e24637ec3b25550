//! Files of a website: what a path means beneath a folder, and the answer to a request for a file. Nothing is sent
//! here.
//!
//! The principal type is [`Root`]: a folder that is held open. [`Root::resolve`] finds a path's file, script, redirect
//! to a folder, or nothing. Nothing outside the folder is ever opened, whatever the path and links in the folder say:
//! the kernel resolves beneath the folder alone (`openat2`, Linux 5.6).
//!
//! - [`RequestPath`] is a request's path, decoded once; [`Unfit`] is why no file is looked for.
//! - [`Rules`] say what is looked for, and which names are [scripts](ScriptNames): those are run, never sent.
//! - [`FileAnswer`] is the answer for a file: conditions and ranges (RFC 9110, sections 13 and 14),
//!   [precompressed](Root::precompressed) forms, and [how long](Lifetimes) it may be kept.
//!
//! ```
//! use std::time::Instant;
//! use unladen_files::{RequestPath, Resolved, Root, Rules};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("style.css"), "body {}")?;
//! let root = Root::open(folder.path())?;
//! let path = RequestPath::parse(b"/style.css?v=2")?;
//! match root.resolve(&path, &Rules::default(), Instant::now()) {
//!     Resolved::File(file) => assert_eq!(file.meta.length, 7),
//!     other => panic!("{other:?}"),
//! }
//! assert!(RequestPath::parse(b"/../etc/passwd").is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod htaccess;
mod htaccess_walk;
mod lifetimes;
mod media_type;
mod open_file;
mod private_names;
mod request_path;
mod resolve;
mod root;
mod script_names;

pub use answer::{CodedBy, FileAnswer, FileBody, Representation};
pub use htaccess::Denial;
pub use htaccess_walk::{HtaccessSeen, HtaccessWalk};
pub use lifetimes::{Lifetimes, PathPattern};
pub use media_type::{coding_of_name, is_text, media_type};
pub use open_file::{Meta, OpenFile, Refusal, Resolved, Script};
pub use private_names::{PRIVATE, Place, PrivateName, PrivateNames, Rules, Try};
pub use request_path::{PathFault, RequestPath, Unfit};
pub use root::{Root, RootError};
pub use script_names::ScriptNames;
