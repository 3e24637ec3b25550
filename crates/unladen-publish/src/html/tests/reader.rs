//! The principal type is [`Read`]: a page as a strict reader sees it.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

/// What a page has, beside its words.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// What people read, a line a block.
    pub(super) words: String,
    /// Names of elements in the order of the document.
    pub(super) elements: Vec<String>,
    /// Element, name and value of each attribute.
    pub(super) attributes: Vec<(String, String, String)>,
    /// What is not as the standard has it.
    pub(super) errors: Vec<String>,
    open: Vec<String>,
}

/// Elements without an end.
const VOID: [&str; 6] = ["meta", "link", "input", "img", "br", "hr"];
/// Elements that stand within a line.
const INLINE: [&str; 11] = ["a", "code", "strong", "span", "em", "small", "button", "text", "svg", "title", "option"];
/// Elements that separate cells.
const CELLS: [&str; 5] = ["th", "td", "dt", "dd", "label"];

struct Sink(RefCell<Read>);

/// Reads a page.
pub(super) fn read(page: &str) -> Read {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(page));
    let options = TokenizerOpts { exact_errors: true, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Sink(RefCell::default()), options);
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut read = tokenizer.sink.0.into_inner();
    let left: Vec<String> = read.open.drain(..).collect();
    read.errors.extend(left.into_iter().map(|name| format!("<{name}> is left open")));
    let lines = read.words.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    read.words = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    read
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<()> {
        let read = &mut *self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => return read.tag(&tag, line),
            Token::CharacterTokens(text) => {
                if !read.open.iter().any(|name| matches!(name.as_str(), "style" | "script" | "desc" | "title" | "head"))
                {
                    // A label of a picture stands alone.
                    read.words.push_str(&text.replace('\n', " "));
                }
            }
            Token::ParseError(error) => read.errors.push(format!("line {line}: {error}")),
            Token::CommentToken(text) => read.errors.push(format!("line {line}: a comment: {text}")),
            Token::NullCharacterToken => read.errors.push(format!("line {line}: a character of no bits")),
            Token::DoctypeToken(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

impl Read {
    fn tag(&mut self, tag: &Tag, line: u64) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        if CELLS.contains(&name.as_str()) {
            self.words.push_str(if tag.kind == TagKind::EndTag { " | " } else { "" });
        } else if !INLINE.contains(&name.as_str()) {
            self.words.push('\n');
        }
        if tag.kind == TagKind::EndTag {
            if self.open.pop().as_deref() != Some(&name) {
                self.errors.push(format!("line {line}: </{name}> ends something else"));
            }
            return TokenSinkResult::Continue;
        }
        self.elements.push(name.clone());
        for attribute in &tag.attrs {
            self.attributes.push((name.clone(), attribute.name.local.to_string(), attribute.value.to_string()));
        }
        if tag.self_closing || VOID.contains(&name.as_str()) {
            return TokenSinkResult::Continue;
        }
        let is_in_picture = self.open.iter().any(|name| name == "svg");
        self.open.push(name.clone());
        match name.as_str() {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" if !is_in_picture => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        }
    }
}

impl Read {
    /// Fails unless the page is well-formed, runs and loads nothing, and every link and label leads to something in it.
    #[track_caller]
    pub(super) fn is_sound(&self) {
        assert_eq!(self.errors, [""; 0]);
        let values = |name: &str| -> Vec<&str> {
            self.attributes.iter().filter(|(_, of, _)| of == name).map(|(_, _, value)| value.as_str()).collect()
        };
        let mut ids = values("id");
        ids.sort_unstable();
        assert!(ids.windows(2).all(|two| two[0] != two[1]), "ids that stand twice: {ids:?}");
        for target in values("href").into_iter().filter_map(|href| href.strip_prefix('#')) {
            assert!(ids.contains(&target), "#{target} leads nowhere");
        }
        for target in values("aria-labelledby") {
            assert!(ids.contains(&target), "nothing is called #{target}");
        }
        for (element, name, value) in &self.attributes {
            assert!(!name.starts_with("on") && name != "style", "{element} has {name}={value:?}");
            if ["href", "src", "action"].contains(&name.as_str()) {
                let is_here = value.starts_with(['#', '/']) && !value.starts_with("//");
                assert!(is_here || value.starts_with("data:image/svg+xml"), "{element} leads to {value}");
            }
        }
        for (element, most) in [("script", 1), ("style", 1), ("main", 1), ("h1", 1)] {
            assert_eq!(self.elements.iter().filter(|name| *name == element).count(), most, "{element}");
        }
        assert!(!self.elements.iter().any(|name| ["iframe", "object", "embed", "base"].contains(&name.as_str())));
    }
}
