//! The principal type is [`Sheet`]: a text with a maximum size.

/// Bytes reserved for the remark on omissions, and for closing an open part.
const REMARK: usize = 160;

/// Accepts parts while there is room, and says what was left out.
pub(super) struct Sheet {
    text: String,
    room: usize,
    left_out: usize,
}

/// Its cells are Markdown already.
pub(super) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    /// Maximum rows: nobody reads on beyond them.
    most: usize,
}

impl Table {
    /// Default of `most`.
    const ROWS: usize = 40;

    /// The first column is text, others are figures unless their heads end with a space.
    pub(super) fn new(head: &[&'static str]) -> Self {
        Self { head: head.to_vec(), rows: Vec::new(), most: Self::ROWS }
    }

    pub(super) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn line(cells: impl IntoIterator<Item = impl AsRef<str>>) -> String {
        let mut line = String::from("|");
        for cell in cells {
            line.push_str(&format!(" {} |", cell.as_ref().trim_end()));
        }
        line.push('\n');
        line
    }

    fn head(&self) -> String {
        let align = |(index, name): (usize, &&str)| if index == 0 || name.ends_with(' ') { "---" } else { "---:" };
        Self::line(&self.head) + &Self::line(self.head.iter().enumerate().map(align))
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
        for line in table.rows.iter().take(table.most).map(Table::line) {
            if !self.has_room(line.len() + REMARK) {
                break;
            }
            self.text.push_str(&line);
            shown += 1;
        }
        self.text.push('\n');
        let more = table.rows.len() - shown;
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
            self.text.push_str(&format!("*Left out for want of room: {parts}. The JSON document has all.*\n"));
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
