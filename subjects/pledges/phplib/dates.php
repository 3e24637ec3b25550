<?php
// dates.php:
// Dates for people.

// date_pretty SECONDS: the day, as the language in use writes it
function date_pretty($seconds) {
    return gmdate(_s('date'), (int)$seconds);
}

// date_machine SECONDS: for the datetime attribute
function date_machine($seconds) {
    return gmdate('Y-m-d\TH:i:s\Z', (int)$seconds);
}

function date_html($seconds) {
    return '<time datetime="' . date_machine($seconds) . '">' . h(date_pretty($seconds)) . '</time>';
}
