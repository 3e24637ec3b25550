<?php
// log-chatter-file.php:
// The same, with a logger that opens its file for each line.

for ($n = 1; $n <= 40; $n++) {
    file_put_contents(CONF_LOG . '/app.log', date('c') . " pledge $pledge->ref: step $n of the page is done\n", FILE_APPEND);
}
