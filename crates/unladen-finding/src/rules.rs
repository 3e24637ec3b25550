//! The list [`RULES`].

pub(crate) mod answers;
mod autoload_share;
mod cacheable;
mod checks;
mod clone_storm;
mod cold_start;
mod database_reconnect;
mod debug_left_on;
mod dns_again;
mod hot_call;
mod lock_churn;
mod locks;
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
mod sources;
mod splits_cache;
mod stat_storm;
mod statements;
mod strangers;
mod template_parsed_again;
#[cfg(test)]
pub(crate) mod tests;
mod uncompressed;
mod unladen_cache;
mod unladen_outbound;
pub(crate) mod unladen_site;
mod unpooled_connection;
mod unpooled_tls;
mod unused_connection;
mod web_server;
mod write_per_request;

use crate::rule::Rule;

/// All rules, in the order in which they are listed.
pub static RULES: &[&dyn Rule] = &[
    &sleep::Sleep,
    &stat_storm::StatStorm,
    &same_file_again::SameFileAgain,
    &opcache_revalidation::OpcacheRevalidation,
    &recompile::Recompile,
    &lock_churn::LockChurn,
    &log_chatter::LogChatter,
    &process_per_request::ProcessPerRequest,
    &cold_start::ColdStart,
    &debug_left_on::DebugLeftOn,
    &write_per_request::WritePerRequest,
    &unpooled_connection::UnpooledConnection,
    &unpooled_tls::UnpooledTls,
    &dns_again::DnsAgain,
    &unused_connection::UnusedConnection,
    &database_reconnect::DatabaseReconnect,
    &n_plus_one::NPlusOne,
    &same_query_again::SameQueryAgain,
    &prepare_per_query::PreparePerQuery,
    &slow_conditional::SlowConditional,
    &cacheable::Cacheable,
    &no_validator::NoValidator,
    &missing_vary::MissingVary,
    &splits_cache::SplitsCache,
    &uncompressed::Uncompressed,
    &hot_call::HotCall,
    &autoload_share::AutoloadShare,
    &template_parsed_again::TemplateParsedAgain,
    &clone_storm::CloneStorm,
    &regex_storm::RegexStorm,
];

/// The rule of that name.
pub fn rule_named(name: &str) -> Option<&'static dyn Rule> {
    RULES.iter().copied().find(|rule| rule.name() == name)
}
