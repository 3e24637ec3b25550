//! The principal type is [`Revision`]: which revision of the application was measured.

mod repository;
mod status;

pub use repository::RevisionError;
pub use status::in_own_session;

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use repository::{Head, Repository};

/// The revision of a git work tree.
///
/// It serialises as the field `revision` of the result documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revision {
    #[serde(serialize_with = "lossy")]
    pub folder: PathBuf,
    /// The checked-out commit: 40 hexadecimal digits, 64 with SHA-256.
    pub commit: String,
    /// `None` if the head is detached.
    pub branch: Option<String>,
    /// Whether a tracked file differs from the commit. `None` if unknown: git is missing, takes longer than five
    /// seconds, or must not be run as the repository's owner.
    pub dirty: Option<bool>,
}

impl Revision {
    /// The revision of the work tree around `folder`: a clone, a linked work tree, or a submodule.
    ///
    /// The commit and the branch are read from git's files. `dirty` needs git itself, which runs with the rights of the
    /// repository's owner at most, since the configuration of a repository can name programs that git starts.
    ///
    /// Fails if the folder is in no work tree, has no commit yet, or if git's files are not as expected.
    ///
    /// ```no_run
    /// let revision = unladen_machine::Revision::of("/srv/wiki".as_ref())?;
    /// println!("{} {}", revision.commit, if revision.dirty == Some(true) { "and changes" } else { "" });
    /// # Ok::<(), unladen_machine::RevisionError>(())
    /// ```
    pub fn of(folder: &Path) -> Result<Self, RevisionError> {
        let repository = Repository::around(folder)?;
        let head = Head::read(&repository);
        let status = status::status(&repository);
        let (commit, branch) = match (head, &status) {
            (Ok(Head { commit: Some(commit), branch }), _) => (commit, branch),
            // References outside of files are known to git alone.
            (head, Some(status)) => match (status.commit.clone(), head) {
                (Some(commit), _) => (commit, status.branch.clone()),
                (None, Ok(head)) => return Err(no_commit(&repository, head.branch)),
                (None, Err(error)) => return Err(error),
            },
            (Ok(head), None) => return Err(no_commit(&repository, head.branch)),
            (Err(error), None) => return Err(error),
        };
        Ok(Self { folder: repository.work_tree, commit, branch, dirty: status.map(|status| status.dirty) })
    }
}

fn no_commit(repository: &Repository, branch: Option<String>) -> RevisionError {
    RevisionError::NoCommit { folder: repository.work_tree.clone(), branch: branch.unwrap_or_default() }
}

/// Invalid UTF-8 is replaced.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

#[cfg(test)]
mod tests;
