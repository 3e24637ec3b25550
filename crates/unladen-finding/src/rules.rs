//! The list [`RULES`].

pub(crate) mod answers;
mod autoload_share;
mod cacheable;
mod clone_storm;
mod cold_start;
mod database_reconnect;
mod debug_left_on;
mod dns_again;
mod files;
mod hot_call;
mod lock_churn;
mod log_chatter;
mod missing_vary;
mod n_plus_one;
mod no_validator;
mod opcache_revalidation;
mod peers;
mod prepare_per_query;
mod process_per_request;
mod profiled;
mod recompile;
mod regex_storm;
mod same_file_again;
mod same_query_again;
mod sessions;
mod sleep;
mod slow_conditional;
mod splits_cache;
mod stat_storm;
mod statements;
mod template_parsed_again;
mod uncompressed;
mod unladen_cache;
mod unladen_outbound;
pub(crate) mod unladen_site;
mod unpooled_connection;
mod unpooled_tls;
mod unused_connection;
mod web_server;
mod write_per_request;

use crate::finding::Rule;

/// All rules, in listing order.
pub static RULES: &[&Rule] = &[
    &sleep::RULE,
    &stat_storm::RULE,
    &same_file_again::RULE,
    &opcache_revalidation::RULE,
    &recompile::RULE,
    &lock_churn::RULE,
    &log_chatter::RULE,
    &process_per_request::RULE,
    &cold_start::RULE,
    &debug_left_on::RULE,
    &write_per_request::RULE,
    &unpooled_connection::RULE,
    &unpooled_tls::RULE,
    &dns_again::RULE,
    &unused_connection::RULE,
    &database_reconnect::RULE,
    &n_plus_one::RULE,
    &same_query_again::RULE,
    &prepare_per_query::RULE,
    &slow_conditional::RULE,
    &cacheable::RULE,
    &no_validator::RULE,
    &missing_vary::RULE,
    &splits_cache::RULE,
    &uncompressed::RULE,
    &hot_call::RULE,
    &autoload_share::RULE,
    &template_parsed_again::RULE,
    &clone_storm::RULE,
    &regex_storm::RULE,
];

/// Looks up a rule by name.
pub fn rule_named(name: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name() == name)
}

#[cfg(test)]
pub(crate) mod tests;
