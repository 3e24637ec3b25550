//! What the end-to-end tests share. The principal types are [`Call`], a call of the built `unladen` that ends within a
//! time limit, and [`Subject`], a real application that is up while a test needs it.
//!
//! The tests are in `tests/tests/`, one file a theme. Each is independent of the others, of their order, and of what is
//! on the machine: a subject has a state folder of its own. Nothing asserts how long something took; but lengths of
//! runs are given, so that all of it takes minutes.

pub mod advice;
mod authority;
mod bed;
mod binary;
pub mod bpf;
mod call;
mod chromium;
pub mod circles;
mod control_plane;
mod counts;
mod document;
mod experiment;
pub mod exporter;
pub mod findings;
pub mod frames;
mod go_program;
pub mod h2;
mod machine;
mod names;
mod nats;
mod nginx;
mod outbound;
mod output;
pub mod pebble;
mod php_fpm;
mod port;
mod postgres;
mod pypi;
pub mod quick_page;
mod quota;
mod rate_limits;
mod recorder;
mod records;
pub mod relay;
mod script_server;
mod serve;
mod server;
pub mod site;
mod ssh;
mod subject;
mod succession;
mod upstream;
mod valkey;
pub mod wait;
mod wanting;
mod wire;

pub use authority::{Authority, Certificate};
pub use bed::{Bed, Host, Started};
pub use binary::{agent, binary, burn};
pub use call::{Call, Done, Running};
pub use chromium::Chromium;
pub use control_plane::ControlPlane;
pub use counts::Counted;
pub use document::{Compared, Document, Weight};
pub use experiment::{Lab, SHORT_LOAD};
pub use machine::{Ability, skip_without, worker};
pub use names::Names;
pub use nats::Nats;
pub use nginx::Nginx;
pub use outbound::Outbound;
pub use pebble::Pebble;
pub use php_fpm::PhpFpm;
pub use port::{free_address, free_port};
pub use postgres::Postgres;
pub use pypi::pypi;
pub use quota::Quota;
pub use rate_limits::RateLimits;
pub use recorder::{Part, Recorded, Recorder, good};
pub use records::Records;
pub use script_server::{ScriptServer, php_settings};
pub use serve::{Serve, wait_until_it_takes_signals};
pub use server::{Asked, Reply, Server};
pub use site::Site;
pub use ssh::{Namespace, Sshd};
pub use subject::Subject;
pub use succession::Succession;
pub use upstream::{Peer, Seen, Upstream};
pub use valkey::Valkey;
pub use wanting::Wanting;
pub use wire::{Answer, Ending, Wire};
