<?php
// same-query-again.php:
// As when each part of a page asks for the site's figures by itself.

for ($n = 0; $n < 12; $n++) {
    db_value('select count(*) from pledge where deadline > $1', '2030-06-01');
}
