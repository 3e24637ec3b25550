-- Triggers of WordPress that increment the counter of docs/concepts/caching.md, "What a validator must cover". They skip
-- transients, the job list, editing locks and login times.
create trigger wp_posts_insert after insert on wp_posts for each row call page_changed();
create trigger wp_posts_update after update on wp_posts for each row call page_changed();
create trigger wp_posts_delete after delete on wp_posts for each row call page_changed();
create trigger wp_postmeta_insert after insert on wp_postmeta for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and coalesce(new.meta_key, '') not in ('_edit_lock', '_edit_last', '_pingme', '_encloseme');
create trigger wp_postmeta_update after update on wp_postmeta for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and coalesce(new.meta_key, '') not in ('_edit_lock', '_edit_last', '_pingme', '_encloseme');
create trigger wp_postmeta_delete after delete on wp_postmeta for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and coalesce(old.meta_key, '') not in ('_edit_lock', '_edit_last', '_pingme', '_encloseme');
create trigger wp_terms_insert after insert on wp_terms for each row call page_changed();
create trigger wp_terms_update after update on wp_terms for each row call page_changed();
create trigger wp_terms_delete after delete on wp_terms for each row call page_changed();
create trigger wp_termmeta_insert after insert on wp_termmeta for each row call page_changed();
create trigger wp_termmeta_update after update on wp_termmeta for each row call page_changed();
create trigger wp_termmeta_delete after delete on wp_termmeta for each row call page_changed();
create trigger wp_term_taxonomy_insert after insert on wp_term_taxonomy for each row call page_changed();
create trigger wp_term_taxonomy_update after update on wp_term_taxonomy for each row call page_changed();
create trigger wp_term_taxonomy_delete after delete on wp_term_taxonomy for each row call page_changed();
create trigger wp_term_relationships_insert after insert on wp_term_relationships for each row call page_changed();
create trigger wp_term_relationships_update after update on wp_term_relationships for each row call page_changed();
create trigger wp_term_relationships_delete after delete on wp_term_relationships for each row call page_changed();
create trigger wp_comments_insert after insert on wp_comments for each row call page_changed();
create trigger wp_comments_update after update on wp_comments for each row call page_changed();
create trigger wp_comments_delete after delete on wp_comments for each row call page_changed();
create trigger wp_commentmeta_insert after insert on wp_commentmeta for each row call page_changed();
create trigger wp_commentmeta_update after update on wp_commentmeta for each row call page_changed();
create trigger wp_commentmeta_delete after delete on wp_commentmeta for each row call page_changed();
create trigger wp_options_insert after insert on wp_options for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and new.option_name not regexp '^(_transient_|_site_transient_|cron$)';
create trigger wp_options_update after update on wp_options for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and new.option_name not regexp '^(_transient_|_site_transient_|cron$)';
create trigger wp_options_delete after delete on wp_options for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and old.option_name not regexp '^(_transient_|_site_transient_|cron$)';
create trigger wp_users_insert after insert on wp_users for each row call page_changed();
create trigger wp_users_update after update on wp_users for each row call page_changed();
create trigger wp_users_delete after delete on wp_users for each row call page_changed();
create trigger wp_usermeta_insert after insert on wp_usermeta for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and new.meta_key in ('nickname', 'first_name', 'last_name', 'description');
create trigger wp_usermeta_update after update on wp_usermeta for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and new.meta_key in ('nickname', 'first_name', 'last_name', 'description');
create trigger wp_usermeta_delete after delete on wp_usermeta for each row
    update page_version set n = n + 1 where slot = connection_id() % 64 and old.meta_key in ('nickname', 'first_name', 'last_name', 'description');
