//! The principal type is [`PhpFpm`]: PHP-FPM with a page, a pool and a socket of its own.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Map, Value, json};

use crate::Result;
use crate::contestant::{Contestant, Manner};
use crate::running::{Listen, Running};
use crate::scratch::ScratchFolder;

/// It runs until it is dropped.
pub(crate) struct PhpFpm {
    /// What a server in front is told: `root`, the folder of its page, `index.php`, and `socket`.
    pub(crate) told: Map<String, Value>,
    _running: Running,
}

impl PhpFpm {
    /// With so many workers; returns when it listens.
    pub(crate) fn start(name: &str, scratch: &ScratchFolder, workers: usize, page: &str) -> Result<Self> {
        // Its processes are another user's.
        fs::set_permissions(scratch.folder(), fs::Permissions::from_mode(0o755))?;
        let (root, socket) = (scratch.path(&format!("www-{name}")), scratch.path(&format!("{name}.sock")));
        fs::create_dir_all(&root)?;
        fs::write(root.join("index.php"), page)?;
        let mut service = Contestant::service("php-fpm")?;
        service.name = format!("php-fpm-{name}");
        let told = Map::from_iter([("root".to_owned(), json!(root)), ("socket".to_owned(), json!(socket))]);
        let mut own = told.clone();
        own.insert("workers".to_owned(), json!(workers));
        let running = service.start(scratch, &Value::Object(own), &[Listen::Unix(socket)], Manner::default())?;
        Ok(Self { told, _running: running })
    }
}
