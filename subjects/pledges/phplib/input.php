<?php
// input.php:
// What comes from outside. PostgreSQL takes text only when it is valid UTF-8.

// input_text SOURCE NAME: the text NAME of $_GET or $_POST without the spaces around it, or '' when there is none
function input_text($source, $name) {
    $text = $source[$name] ?? '';
    return is_string($text) && preg_match('//u', $text) ? trim($text) : '';
}
