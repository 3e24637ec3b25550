//! Circles of files: files of one crate whose production code uses names defined in each other, in a loop. The
//! principal function is [`circles`]; it takes the sources of a crate as [`Sources`] and gives each [`Circle`].
//!
//! - [`Sources`] are the files of a crate, from a folder or made up.
//! - `Tree` is the crate's modules: what each defines, what it imports, and which paths its code uses. What is compiled
//!   for tests alone is left out.
//! - `Resolver` follows a path, through imports and re-exports, to the file that defines its name.
//! - `Graph` has the files, and who uses what of whom; it finds the shortest ways round.
//!
//! A `mod` line and a re-export (`pub use`, of any visibility) are no use: a parent may declare and hand out what its
//! children define. A method's call has no path, so it is no use either: the type's name is, where it stands.

mod circle;
mod graph;
mod module;
mod paths;
mod production;
mod resolver;
mod sources;
mod tree;

pub use circle::{Circle, Use};
pub use sources::Sources;

use graph::Graph;
use resolver::Resolver;
use tree::Tree;

/// The circles of one crate, the shortest first; of those that have a use in common, one.
///
/// # Errors
/// When a source cannot be parsed, is not there, or no root of the crate leads to it.
pub fn circles(sources: &Sources) -> Result<Vec<Circle>, String> {
    let mut graph = Graph::default();
    let mut reached = Vec::new();
    for root in sources.roots() {
        let tree = Tree::of(sources, root)?;
        Resolver::new(&tree).each_use(|from, name, to| graph.add(from, name, to));
        reached.extend(tree.into_files());
    }
    let lost: Vec<&str> = sources.names().filter(|name| !reached.iter().any(|reached| reached == name)).collect();
    if lost.is_empty() { Ok(graph.circles()) } else { Err(format!("no `mod` leads to {}", lost.join(", "))) }
}
