<?php
// write-per-request-sql.php:
// Counts the page's views.

db_query('insert into view values ($1, 1) on conflict (pledge_id) do update set views = view.views + 1', $pledge->id);
