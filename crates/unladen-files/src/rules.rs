//! The principal type is [`Rules`]: what is looked for by a path, and what of it is sent.

use crate::private_names::PrivateNames;
use crate::script_names::ScriptNames;

/// What is looked for by a path, and what of it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Names of files that stand for a folder, in this order.
    pub index: Vec<String>,
    /// Where to look, in this order.
    pub tries: Vec<Try>,
    /// Which names are programs.
    pub scripts: ScriptNames,
    /// Whether files are sent whose names begin with a dot.
    pub hidden: bool,
    /// Which files are refused by their names, and by an `.htaccess` of their folders; none: an application has named the
    /// file, and no client.
    pub private: Option<PrivateNames>,
}

/// One place where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// The file at the path, with this behind it: `{path}` has nothing behind it, `{path}.html` has `.html`.
    Path(String),
    /// The folder at the path, and its index: `{path}/`.
    Folder,
    /// This path, whatever was asked for: `/index.php`. A script that is the last of several is not looked for: it is
    /// it.
    Fixed(String),
    /// This status: `=404`.
    Status(u16),
}

impl Default for Rules {
    /// Files and folders with an `index.html`; no scripts.
    fn default() -> Self {
        Self {
            index: vec!["index.html".to_owned()],
            tries: vec![Try::Path(String::new()), Try::Folder],
            scripts: ScriptNames::default(),
            hidden: false,
            private: Some(PrivateNames::default()),
        }
    }
}
