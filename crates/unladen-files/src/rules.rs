//! The principal type is [`Rules`]: which files a path may mean, and which are sent.

use crate::private_names::PrivateNames;
use crate::script_names::ScriptNames;

/// Which files a path may mean, and which are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Names of files that stand for a folder, in this order.
    pub index: Vec<String>,
    pub tries: Vec<Try>,
    pub scripts: ScriptNames,
    /// Whether files are sent whose names begin with a dot.
    pub hidden: bool,
    /// Files that are refused by name or by an `.htaccess`; `None` if an application, and no client, has named the
    /// file.
    pub private: Option<PrivateNames>,
}

/// One place to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// The file at the path with this suffix: `{path}` has an empty one, `{path}.html` has `.html`.
    Path(String),
    /// The folder at the path, and its index: `{path}/`.
    Folder,
    /// This path, whatever was asked for: `/index.php`. A script that is the last of several is used without a look.
    Fixed(String),
    /// This status: `=404`.
    Status(u16),
}

impl Default for Rules {
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
