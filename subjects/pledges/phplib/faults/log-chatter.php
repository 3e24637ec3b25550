<?php
// log-chatter.php:
// What was of use once in looking for a mistake. Where nobody listens at /dev/log, each line still tries to connect.

openlog('pledges', LOG_PID, LOG_LOCAL0);
for ($n = 1; $n <= 40; $n++) {
    syslog(LOG_DEBUG, "pledge $pledge->ref: step $n of the page is done");
}
closelog();
