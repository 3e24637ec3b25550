//! What `make advice` is made of: a printed fix is applied as it is printed, on the real server, and looked at
//! afterwards. The principal types are [`Fix`], what a finding prints, [`Ground`], the server that it is applied to,
//! and [`Visitors`], who must not see each other's pages.

mod fix;
mod ground;
mod undo;
mod visitors;

pub use fix::{Applied, Fix};
pub use ground::Ground;
pub use undo::Undo;
pub use visitors::{Visitor, Visitors, curl, form};
