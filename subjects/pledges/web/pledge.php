<?php
// pledge.php:
// The page of one pledge: pledge.php?ref=NAME

// First only what a 304 takes: the framework, and little of the application itself.
require_once '../phplib/conf.php';
require_once '../phplib/generated/framework.php';
if (CONF_FAULTS) {
    require_once '../phplib/faults.php';
    faults_begin();
}
require_once '../phplib/db.php';
require_once '../phplib/conditional.php';
require_once '../phplib/input.php';
require_once '../phplib/lang.php';

$ref = input_text($_GET, 'ref');
$lang = lang_choose();
// Who gave an address has a page that differs (see sign.php).
$signer = input_text($_COOKIE, 'signer');
$variant = $signer === '' ? $lang : "$lang $signer";

if (cond_asked()) {
    $changed = db_value('select extract(epoch from changed) from pledge where lower(ref) = lower($1)', $ref);
    if ($changed !== null) {
        cond_maybe_respond($changed, $variant);
    }
}

require_once '../phplib/error.php';
require_once '../phplib/html.php';
require_once '../phplib/locale.php';
require_once '../phplib/dates.php';
require_once '../phplib/urls.php';
require_once '../phplib/page.php';
require_once '../phplib/pledge.php';
require_once '../phplib/signers.php';

locale_use($lang);

$pledge = Pledge::find($ref);
if (!$pledge) {
    error_not_found(_s('There is no such pledge.'));
}
$signers = signers_latest($pledge->id, CONF_SIGNERS_SHOWN);
if (CONF_FAULTS) {
    faults_page($pledge, $signers);
}

cond_headers($pledge->changed, $variant);
page_header($pledge->sentence());
echo $pledge->box();
echo $pledge->progress();
echo signer_line($signer);
echo signers_list($signers, $pledge->signers);
page_footer();
