//! Templates are parsed in each request.

use unladen_trace::{Evidence, EvidenceSource, FunctionSeen, State};

use crate::finding::{Finding, Rule};
use crate::fix::Fix;
use crate::rules::profiled;

const LEAST_PART: f64 = 0.03;

/// Functions that parse or compile a template, and what avoids that: suffixes of names as profilers show them.
const PARSERS: &[(&str, &str)] = &[
    (
        "Template::Parser::parse",
        "keep one Template object, or one Template::Provider as LOAD_TEMPLATES, for the life of the process; COMPILE_DIR and COMPILE_EXT keep them on the disk",
    ),
    ("HTML::Template::_parse", "switch its cache on: HTML::Template->new(cache => 1), or shared_cache"),
    ("Text::Template::compile", "keep the Text::Template objects for the life of the process"),
    ("Mason::Interp::_compile", "keep static_source or the object files: data_dir"),
    (
        "Twig\\Environment::compileSource",
        "give Twig a cache: new Environment($loader, ['cache' => DIR]), auto_reload off in production",
    ),
    (
        "Twig\\Parser::parse",
        "give Twig a cache: new Environment($loader, ['cache' => DIR]), auto_reload off in production",
    ),
    (
        "Smarty_Internal_TemplateCompilerBase::compileTemplate",
        "let Smarty keep what it compiles: compile_dir writable, force_compile off",
    ),
    ("Mustache_Engine::compile", "give Mustache a cache: new Mustache_Engine(['cache' => DIR])"),
    ("LightnCandy\\LightnCandy::compile", "keep the compiled templates in files or in APCu"),
    (
        "BladeCompiler::compileString",
        "compile the views once, when the application is deployed: php artisan view:cache",
    ),
    ("Latte\\Compiler\\TemplateParser::parse", "give Latte a folder for what it compiles: setTempDirectory"),
];

pub(super) const RULE: Rule = Rule {
    name: "template-parsed-again",
    about: "templates are parsed again in each request",
    needs: &[EvidenceSource::Profile],
    reads: &[],
    page: include_str!("../../pages/template-parsed-again.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let Some(profile) = profiled::profile(evidence) else { return Vec::new() };
    // A fresh process has to parse them once.
    if evidence.state == State::Fresh {
        return Vec::new();
    }
    let Some(function) = profiled::largest(profile, LEAST_PART, |one| fix(one).is_some()) else {
        return Vec::new();
    };
    let Some(advice) = fix(function) else { return Vec::new() };
    vec![profiled::finding(&RULE, evidence, profile, function, Fix::code(evidence, profile.group, advice))]
}

fn fix(function: &FunctionSeen) -> Option<&'static str> {
    PARSERS.iter().find(|(end, _)| function.name.ends_with(end)).map(|(_, fix)| *fix)
}

#[cfg(test)]
mod tests;
