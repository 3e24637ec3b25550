//! What `unladen profile` does: from options to a result. The principal function is [`profile()`].

mod evidence;
mod files;
mod result;
mod run;
mod session;

pub(crate) use files::{slug, stacks, write_all, write_flame_diff, write_native};
pub(crate) use result::{diff_of, of_file};
pub(crate) use run::{Ran, diff_urls, profile};
pub(crate) use session::{Budget, Options, Page, Session, Which};
