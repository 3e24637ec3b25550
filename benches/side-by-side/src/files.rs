//! Files: what one costs `unladen serve`, and nginx with `sendfile`, as both are used: small ones, larger ones, a very
//! large one; as they are, and over TLS. They are in the system's memory, and each server is told as little as a user
//! has to write.

use std::fs;
use std::time::Duration;

use serde_json::json;

use crate::comparison::Comparison;
use crate::{Bench, Options, Result, counting};

pub(crate) const BENCH: Bench = Bench { name: "files", about: "files of a site: CPU of a request", run };

const FILES: [(&str, usize); 3] = [("1k.bin", 1_000), ("100k.bin", 100_000), ("100m.bin", 100_000_000)];

fn run(options: &Options) -> Result<()> {
    let mut all = Comparison::new("files", options)?;
    let root = all.scratch.path("root");
    fs::create_dir(&root)?;
    for (name, bytes) in FILES {
        fs::write(root.join(name), vec![b'x'; bytes])?;
    }
    // What has just changed is not kept in memory.
    std::thread::sleep(Duration::from_secs(2));
    all.told.insert("root".to_owned(), json!(root));
    all.run(counting::run, |_, _| Ok(()))
}
