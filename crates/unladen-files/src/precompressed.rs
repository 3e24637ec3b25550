//! [`Root::precompressed`]: a compressed form that lies beside a file.

use std::time::Instant;

use unladen_cache::{Accepted, Coding};

use crate::open_file::OpenFile;
use crate::resolve::{Found, Search};
use crate::root::Root;
use crate::rules::Rules;

impl Root {
    /// The coded form beside a file that the client likes best: `style.css.br`, `.zst`, `.gz`. A form that is older
    /// than the file belongs to an earlier content, and is ignored; so is one that cannot be read.
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
