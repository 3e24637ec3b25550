//! The principal type is [`Sheet`]: a text with a maximum size.

/// Bytes reserved for the remark on omissions, and for closing an open part.
const REMARK: usize = 160;

/// Accepts parts while there is room, and says what was left out.
pub(super) struct Sheet {
    text: String,
    room: usize,
    left_out: usize,
}

/// Its texts are Markdown already.
#[derive(Default)]
pub(super) struct Table {
    /// A paragraph above it, unless it is empty.
    pub(super) caption: String,
    /// Titles, and whether the column is of numbers.
    pub(super) head: Vec<(String, bool)>,
    pub(super) rows: Vec<Vec<String>>,
    /// Rows that are not among them.
    pub(super) more: usize,
}

impl Table {
    /// Maximum rows: nobody reads on beyond them.
    pub(super) const MOST: usize = 40;

    fn line(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
        let mut line = String::from("|");
        for cell in cells {
            line.push_str(&format!(" {} |", cell.as_ref().trim_end()));
        }
        line.push('\n');
        line
    }

    fn head(&self) -> String {
        let caption = if self.caption.is_empty() { String::new() } else { format!("{}\n\n", self.caption) };
        let titles = Self::line(self.head.iter().map(|(title, _)| title));
        caption + &titles + &Self::line(self.head.iter().map(|(_, is_number)| if *is_number { "---:" } else { "---" }))
    }
}

impl Sheet {
    /// `most` is in bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { text: String::new(), room: most.saturating_sub(REMARK), left_out: 0 }
    }

    /// Adds a part that stays whole: a paragraph, a heading, a list.
    pub(super) fn part(&mut self, part: &str) {
        if self.has_room(part.len() + 2) {
            self.text.push_str(part.trim_end());
            self.text.push_str("\n\n");
        } else {
            self.left_out += 1;
        }
    }

    /// Adds as many lines of a list as fit.
    pub(super) fn list(&mut self, items: impl IntoIterator<Item = String>) {
        let (mut shown, mut more) = (0_usize, 0_usize);
        for item in items {
            if more == 0 && self.has_room(item.len() + REMARK) {
                self.text.push_str(&format!("- {item}\n"));
                shown += 1;
            } else {
                more += 1;
            }
        }
        match (shown, more) {
            (0, 0) => {}
            (0, _) => self.left_out += 1,
            (_, 0) => self.text.push('\n'),
            (_, more) => self.text.push_str(&format!("- *{more} more*\n\n")),
        }
    }

    /// Adds a table with as many rows as fit.
    pub(super) fn table(&mut self, table: &Table) {
        let Some(first) = table.rows.first() else { return };
        let head = table.head();
        if !self.has_room(head.len() + Table::line(first).len() + REMARK) {
            self.left_out += 1;
            return;
        }
        self.text.push_str(&head);
        let mut shown = 0;
        for line in table.rows.iter().take(Table::MOST).map(Table::line) {
            if !self.has_room(line.len() + REMARK) {
                break;
            }
            self.text.push_str(&line);
            shown += 1;
        }
        self.text.push('\n');
        let more = table.rows.len() + table.more - shown;
        if more > 0 {
            self.text.push_str(&format!("*{more} more row{}*\n\n", if more == 1 { "" } else { "s" }));
        }
    }

    /// Adds a folded part. Its title is HTML already.
    pub(super) fn details(&mut self, title: &str, fill: impl FnOnce(&mut Self)) {
        let (open, close) = (format!("<details>\n<summary>{title}</summary>\n\n"), "</details>\n\n");
        let around = self.text.len() + open.len() + close.len();
        let mut inner = Self { text: String::new(), room: self.room.saturating_sub(around), left_out: 0 };
        fill(&mut inner);
        match inner.text.is_empty() {
            true => self.left_out += inner.left_out.min(1),
            false => {
                self.text.push_str(&format!("{open}{}{close}", inner.text));
                self.left_out += inner.left_out;
            }
        }
    }

    pub(super) fn finish(mut self) -> String {
        if self.left_out > 0 {
            let parts = if self.left_out == 1 { "1 part" } else { &format!("{} parts", self.left_out) };
            self.text.push_str(&format!("*Left out for lack of space: {parts}. The JSON document has everything.*\n"));
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        self.text
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.text.len() + bytes <= self.room
    }
}

#[cfg(test)]
mod tests;
