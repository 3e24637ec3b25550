<?php
// index.php:
// The site page: the latest pledges.

require_once '../phplib/conf.php';
require_once '../phplib/generated/framework.php';
require_once '../phplib/db.php';
require_once '../phplib/lang.php';
require_once '../phplib/error.php';
require_once '../phplib/html.php';
require_once '../phplib/locale.php';
require_once '../phplib/dates.php';
require_once '../phplib/urls.php';
require_once '../phplib/page.php';
require_once '../phplib/pledge.php';

locale_use(lang_choose());
page_header(_s('Latest pledges'));
echo "<ul class=\"pledges\">\n";
foreach (Pledge::latest(20) as $pledge) {
    echo '<li>', html_link(url_pledge($pledge->ref), $pledge->sentence()), ' ',
        h(sprintf(_s('%d signed up of %d needed'), $pledge->signers, $pledge->target)), "</li>\n";
}
echo "</ul>\n";
page_footer();
