use super::Process;

#[test]
fn nothing_is_nothing() {
    let process = Process::read();
    assert!(process.cpu.as_nanos() > 0 && process.resident > 1 << 20 && process.addressed >= process.resident);
    let files: Vec<_> = (0..10).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
    let more = Process::read();
    assert!(more.open_files >= process.open_files.saturating_sub(8) && more.open_files > files.len() as u64);
    assert!(more.max_files >= more.open_files);
}
