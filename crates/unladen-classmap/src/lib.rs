//! Which file each class of a PHP application is in. The principal types are [`Application`], what an application's own
//! loaders do to find a class, as one of the [`READERS`] reads it from the application's files; [`Tree`], the PHP files
//! and what each of them declares; and [`Map`], what comes of both: each class that the loaders would find, and the one
//! file they would find it in.
//!
//! Nothing of the application is run: its files are read, as text.
//!
//! ```
//! use unladen_classmap::{Options, Project, reader_for};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("Cart.php"), "<?php namespace App; final class Cart {}")?;
//! let options = Options { psr4: vec![("App".into(), ".".into())], ..Options::default() };
//! let reader = reader_for(folder.path(), &options).ok_or("no application")?;
//! let project = Project::read(folder.path(), reader, &options)?;
//! assert_eq!(project.map.entries[0].class, "App\\Cart");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod answers;
mod application;
mod check;
mod claim;
pub mod emit;
mod excluded;
mod input;
mod map;
mod owners_rights;
pub mod php;
mod project;
mod readers;
mod tree;
mod watch;

pub use answers::{Answers, Asked};
pub use application::{Application, Loader, Problem, Rule, Standing};
pub use check::{Check, Made, Written};
pub use claim::{Claim, Claims, Resolution};
pub use excluded::Excluded;
pub use input::read_whole;
pub use map::{Duplicate, Entry, Map, Verdict, Violation, verdict};
pub use owners_rights::OwnersRights;
pub use project::{Project, reader_for, reader_named};
pub use readers::folders::Survey;
pub use readers::{Extensions, Options, READERS, Reader};
pub use tree::{SourceFile, Tree};
pub use watch::{Changes, Watch};
