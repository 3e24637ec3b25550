<?php
// page.php:
// What is around every page.

function page_header($title) {
    global $locale_lang;
    header('Content-Type: text/html; charset=utf-8');
?>
<!DOCTYPE html>
<html lang="<?= h($locale_lang) ?>">
<head>
<meta charset="utf-8">
<title><?= h($title) ?> – <?= h(CONF_SITE) ?></title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em; }
.pledge { border: 2px solid #522994; border-radius: 8px; padding: 1em; }
.progress { color: #522994; font-weight: bold; }
.signers li { margin: .2em 0; }
</style>
</head>
<body>
<header><?= html_link(url_home(), CONF_SITE) ?></header>
<main>
<h1><?= h($title) ?></h1>
<?php
}

function page_footer() {
?>
</main>
<footer><?= html_link(url_home(), _s('All pledges')) ?></footer>
</body>
</html>
<?php
}
