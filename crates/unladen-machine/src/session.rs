//! [`in_own_session`]: starts a program as another user from root.

use std::path::Path;
use std::process::Command;

/// A command that runs this program in a session of its own, by setsid(1) of util-linux.
///
/// A program keeps its parent's terminal, also as another user. It could type commands into root's (`TIOCSTI`), or
/// write escape codes to it. The process has the id of the program; the path has to be absolute, as the program's own
/// environment may say where to look.
///
/// ```
/// use std::path::Path;
/// use unladen_machine::in_own_session;
///
/// let said = in_own_session(Path::new("/bin/sh")).args(["-c", "true </dev/tty || echo none"]).output()?;
/// assert_eq!(said.stdout, b"none\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn in_own_session(program: &Path) -> Command {
    let mut command = Command::new("/usr/bin/setsid");
    command.arg(program);
    command
}
