//! Pictures of block characters.

/// A bar in eighths of a cell.
pub(super) fn bar(value: f64, most: f64, cells: usize) -> String {
    const EIGHTHS: [char; 8] = ['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if most <= 0.0 {
        return String::new();
    }
    let eighths = ((value / most * (cells * 8) as f64).round() as usize).min(cells * 8);
    let mut bar = EIGHTHS[0].to_string().repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}
