//! PostgreSQL: [`see`].

use unladen_trace::ServerSeen;

use super::process::Server;

/// Its working folder is that of its data, where `postmaster.pid` has these lines: its process, that folder, when it
/// started, its port, the first folder of its sockets.
pub(super) fn see(server: &Server, seen: &mut ServerSeen) {
    let data = server.path("");
    if let Some(text) = server.text(&server.path("postmaster.pid")) {
        (seen.port, seen.socket) = of_pid_file(&text, server.pid);
    }
    let option = |letter: char| server.command.option(letter);
    seen.port = seen.port.or_else(|| option('p')?.parse().ok());
    seen.socket = seen.socket.take().or_else(|| option('k').map(str::to_owned));
    seen.prefix = Some(data.trim_end_matches('/').to_owned());
    seen.account = server.account().filter(|account| account != "postgres");
}

/// Port and folder, if the file is this process's.
pub(super) fn of_pid_file(text: &str, pid: u32) -> (Option<u16>, Option<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let is_its = lines.first().is_some_and(|line| line.trim() == pid.to_string());
    let line = |at: usize| lines.get(at).map(|line| line.trim()).filter(|line| is_its && !line.is_empty());
    let socket = line(4).filter(|folder| folder.starts_with('/')).map(str::to_owned);
    (line(3).and_then(|port| port.parse().ok()), socket)
}
