//! [`Root::precompressed`]: a file's shorter form that lies beside it.

use std::time::Instant;

use unladen_cache::{Accepted, Coding};

use crate::open_file::OpenFile;
use crate::resolve::{Found, Search};
use crate::root::Root;
use crate::rules::Rules;

impl Root {
    /// The form of a file in the coding that the client likes best, of those that lie beside it: `style.css.br`,
    /// `.zst`, `.gz`. One that is older than the file is of what the file was before, and is passed over; so is one that
    /// cannot be read.
    pub fn precompressed(
        &self,
        file: &OpenFile,
        accepted: Accepted,
        rules: &Rules,
        now: Instant,
    ) -> Option<(Coding, OpenFile)> {
        let folder = self.folder(now);
        let search = Search { folder: &folder, links: self.links(), rules, now };
        accepted.shortest_by_weight().find_map(|coding| {
            let extension: &[u8] = match coding {
                Coding::Brotli => b".br",
                Coding::Zstd => b".zst",
                Coding::Gzip => b".gz",
            };
            match search.look(&[&file.path, extension].concat()) {
                Ok(Found::File(coded)) if coded.meta.modified >= file.meta.modified => Some((coding, coded)),
                _ => None,
            }
        })
    }
}
