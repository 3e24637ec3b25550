<?php
// html.php:
// Pieces of HTML. What comes from outside goes through h().

function h($text) {
    return htmlspecialchars((string)$text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
}

function html_link($url, $text) {
    return '<a href="' . h($url) . '">' . h($text) . '</a>';
}

// html_paragraphs TEXT: a paragraph for each two sentences, as people write without any
function html_paragraphs($text) {
    $html = '';
    foreach (array_chunk(preg_split('/(?<=[.!?])\s+/', $text), 2) as $sentences) {
        $html .= '<p>' . h(implode(' ', $sentences)) . "</p>\n";
    }
    return $html;
}

function html_field($name, $label) {
    return '<label>' . h($label) . ' <input type="text" name="' . h($name) . '" maxlength="200"></label>';
}
