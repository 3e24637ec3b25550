//! Whether something is production code: [`is_for_tests`].

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ImplItem, Item, Meta, Stmt, Token, TraitItem};

/// Whether one of these attributes leaves it to tests alone: `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, unix))]`.
pub(super) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => list.parse_args::<Meta>().is_ok_and(|meta| needs_test(&meta)),
        _ => false,
    })
}

/// The attributes of an item.
pub(super) fn of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item of an `impl`.
pub(super) fn of_impl_item(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item of a trait.
pub(super) fn of_trait_item(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of a statement, as far as they can be had: those of the expressions that are made conditional.
pub(super) fn of_statement(statement: &Stmt) -> &[Attribute] {
    match statement {
        Stmt::Local(local) => &local.attrs,
        Stmt::Macro(call) => &call.attrs,
        Stmt::Item(_) => &[],
        Stmt::Expr(expression, _) => match expression {
            Expr::Assign(expression) => &expression.attrs,
            Expr::Block(expression) => &expression.attrs,
            Expr::Call(expression) => &expression.attrs,
            Expr::If(expression) => &expression.attrs,
            Expr::Macro(expression) => &expression.attrs,
            Expr::MethodCall(expression) => &expression.attrs,
            Expr::Return(expression) => &expression.attrs,
            _ => &[],
        },
    }
}

fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { return false };
            (list.path.is_ident("all") && parts.iter().any(needs_test))
                || (list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(needs_test))
        }
        Meta::NameValue(_) => false,
    }
}
