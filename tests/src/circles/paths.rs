//! The principal type is [`Paths`]: collects the paths that code uses.

use std::collections::HashSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, Block, ImplItem, Item, Stmt, TraitItem};

use super::module::Path;
use super::production;

/// The keys of serde's attributes that name a function or a type in a string.
const NAMING_KEYS: [&str; 8] =
    ["with", "serialize_with", "deserialize_with", "skip_serializing_if", "default", "from", "into", "try_from"];

/// The paths of one item.
#[derive(Default)]
pub(super) struct Paths {
    pub(super) found: Vec<Path>,
    /// `use` declarations within functions.
    pub(super) imports: Vec<syn::ItemUse>,
    local: Local,
}

/// Names that stand for something local.
#[derive(Clone, Default)]
struct Local {
    /// Of these no path goes on: `text` may be a variable, and the first of `text::trim` is a module all the same.
    variables: HashSet<String>,
    /// Generic types, and items within functions.
    items: HashSet<String>,
}

// === impl Paths ===

impl Paths {
    /// Those of an item that is no module and no `use`.
    pub(super) fn of(item: &Item) -> Self {
        let mut paths = Self::default();
        paths.look_at_item(item);
        paths
    }

    /// An item with names of its own.
    fn look_at_item(&mut self, item: &Item) {
        let outer = self.local.clone();
        match item {
            // Their items have variables of their own.
            Item::Impl(item) => self.local.visit_generics(&item.generics),
            Item::Trait(item) => self.local.visit_generics(&item.generics),
            _ => self.local.visit_item(item),
        }
        visit::visit_item(self, item);
        self.local = outer;
    }

    fn add(&mut self, path: Path) {
        let is_local = match path.segments.as_slice() {
            [] => true,
            _ if path.external || path.of_macro => false,
            [name] if self.local.variables.contains(name) => true,
            [name, ..] => name == "Self" || self.local.items.contains(name),
        };
        if !is_local {
            self.found.push(path);
        }
    }

    /// Macros' tokens: all of `a::b`, and of single names those that are called or begin with a capital.
    fn look_at_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => {
                    self.look_at_tokens(group.stream());
                    at += 1;
                }
                TokenTree::Ident(_) => at = self.look_at_path(&tokens, at),
                TokenTree::Punct(_) | TokenTree::Literal(_) => at += 1,
            }
        }
    }

    /// The path that begins here; returns where it has ended.
    fn look_at_path(&mut self, tokens: &[TokenTree], begin: usize) -> usize {
        let mut path = Path { external: begin >= 2 && is_colons(tokens, begin - 2), ..Path::default() };
        let mut at = begin;
        while let Some(TokenTree::Ident(name)) = tokens.get(at) {
            path.segments.push(plain(name));
            at += 1;
            if !(is_colons(tokens, at) && matches!(tokens.get(at + 2), Some(TokenTree::Ident(_)))) {
                break;
            }
            at += 2;
        }
        // Of `a.b` and `a::<T>::b`, `b` is no path of its own; what `fn b` declares is none either.
        let before = begin.checked_sub(1).and_then(|before| tokens.get(before));
        let follows = |mark| matches!(before, Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
        let declares = matches!(before, Some(TokenTree::Ident(word)) if word == "fn");
        let goes_on = path.external
            && begin >= 3
            && !matches!(&tokens[begin - 3], TokenTree::Punct(punct) if punct.as_char() != '>');
        let is_range = begin >= 2 && matches!(&tokens[begin - 2], TokenTree::Punct(punct) if punct.as_char() == '.');
        if (follows('.') && !is_range) || goes_on || declares {
            return at;
        }
        path.of_macro = matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == '!')
            && matches!(tokens.get(at + 1), Some(TokenTree::Group(_)));
        let called =
            matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let is_capital = path.segments[0].starts_with(char::is_uppercase);
        if path.segments.len() > 1 || called || is_capital || path.of_macro {
            self.add(path);
        }
        at
    }

    /// `with = "crate::x::y"`, of serde.
    fn look_at_strings(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for three in tokens.windows(3) {
            let [TokenTree::Ident(key), TokenTree::Punct(_), TokenTree::Literal(text)] = three else { continue };
            let text = text.to_string();
            if NAMING_KEYS.iter().any(|naming| key == naming) {
                let segments = text.trim_matches('"').split("::").map(str::to_owned).collect();
                self.add(Path { segments, ..Path::default() });
            }
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        if production::is_for_tests(production::of_item(item)) {
            return;
        }
        match item {
            Item::Use(import) => self.imports.push(import.clone()),
            _ => self.look_at_item(item),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !production::is_for_tests(production::of_impl_item(item)) {
            let outer = self.local.clone();
            self.local.visit_impl_item(item);
            visit::visit_impl_item(self, item);
            self.local = outer;
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if !production::is_for_tests(production::of_trait_item(item)) {
            let outer = self.local.clone();
            self.local.visit_trait_item(item);
            visit::visit_trait_item(self, item);
            self.local = outer;
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !production::is_for_tests(production::of_statement(statement)) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        if !production::is_for_tests(&arm.attrs) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !production::is_for_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if !production::is_for_tests(&field.attrs) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if !production::is_for_tests(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(Path {
            external: path.leading_colon.is_some(),
            segments: path.segments.iter().map(|segment| plain(&segment.ident)).collect(),
            of_macro: false,
        });
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.add(Path {
            external: call.path.leading_colon.is_some(),
            segments: call.path.segments.iter().map(|segment| plain(&segment.ident)).collect(),
            of_macro: true,
        });
        self.look_at_tokens(call.tokens.clone());
    }

    /// Of attributes, derives and arguments: `#[error("{}", innermost(source))]`.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            if list.path.is_ident("serde") {
                self.look_at_strings(list.tokens.clone());
            } else if !list.path.is_ident("cfg") {
                self.look_at_tokens(list.tokens.clone());
            }
        }
    }

    /// `pub(in crate::a)` names no definition.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}

impl<'ast> Visit<'ast> for Local {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        // A constant in a pattern looks as a variable does.
        if !pattern.ident.to_string().starts_with(char::is_uppercase) {
            self.variables.insert(plain(&pattern.ident));
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_type_param(&mut self, parameter: &'ast syn::TypeParam) {
        self.items.insert(plain(&parameter.ident));
    }

    fn visit_const_param(&mut self, parameter: &'ast syn::ConstParam) {
        self.items.insert(plain(&parameter.ident));
    }

    /// Items within functions.
    fn visit_block(&mut self, block: &'ast Block) {
        for statement in &block.stmts {
            if let Stmt::Item(item) = statement {
                self.items.extend(name_of(item));
            }
        }
        visit::visit_block(self, block);
    }
}

/// The name that an item defines, if it does.
pub(super) fn name_of(item: &Item) -> Option<String> {
    Some(plain(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    }))
}

/// `type` of `r#type`.
fn plain(name: &proc_macro2::Ident) -> String {
    let name = name.to_string();
    name.strip_prefix("r#").map_or(name.clone(), str::to_owned)
}

fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}
