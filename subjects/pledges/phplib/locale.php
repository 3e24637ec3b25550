<?php
// locale.php:
// The texts in the reader's language.

$locale_lang = 'en';
$locale_texts = [];

function locale_use($lang) {
    global $locale_lang, $locale_texts;
    $locale_lang = $lang;
    $locale_texts = require __DIR__ . "/locale/$lang.php";
    header("Content-Language: $lang");
}

// _s TEXT: TEXT, which is English, in the language in use
function _s($text) {
    global $locale_texts;
    return $locale_texts[$text] ?? $text;
}
