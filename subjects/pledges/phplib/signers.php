<?php
// signers.php:
// Those who have signed.

function signers_latest($pledge_id, $count) {
    // signer.signed, for its index: signed alone would be the number that is selected.
    return db_rows('select name, showname, extract(epoch from signed) as signed from signer
        where pledge_id = $1 order by signer.signed desc limit $2', $pledge_id, $count);
}

function signers_add($pledge_id, $name) {
    db_query('insert into signer (pledge_id, name) values ($1, $2)', $pledge_id, $name);
}

// signers_list SIGNERS TOTAL: some of them, and how many more there are
function signers_list($signers, $total) {
    $html = '<h2>' . h(_s('Current signatories')) . "</h2>\n<ul class=\"signers\">\n";
    foreach ($signers as $signer) {
        $name = $signer['showname'] === 't' ? $signer['name'] : _s('somebody who did not want to give a name');
        $html .= '<li>' . h($name) . ', ' . date_html($signer['signed']) . "</li>\n";
    }
    if ($total > count($signers)) {
        $html .= '<li>' . h(sprintf(_s('and %d others'), $total - count($signers))) . "</li>\n";
    }
    return $html . "</ul>\n";
}

// signer_line SIGNER: for who has signed, and is known again
function signer_line($signer) {
    return $signer === '' ? '' : '<p>' . h(sprintf(_s('You have signed as %s'), $signer)) . "</p>\n";
}
