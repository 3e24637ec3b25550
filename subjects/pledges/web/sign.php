<?php
// sign.php:
// Signs a pledge: POST ref, name, and an e-mail address or none. It is what changes a pledge's page; and who gave an address is known by it.

require_once '../phplib/conf.php';
require_once '../phplib/generated/framework.php';
require_once '../phplib/db.php';
require_once '../phplib/input.php';
require_once '../phplib/lang.php';
require_once '../phplib/error.php';
require_once '../phplib/html.php';
require_once '../phplib/locale.php';
require_once '../phplib/dates.php';
require_once '../phplib/urls.php';
require_once '../phplib/page.php';
require_once '../phplib/pledge.php';
require_once '../phplib/signers.php';

locale_use(lang_choose());
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    error_page(405, _s('Please use the form.'));
}
$name = input_text($_POST, 'name');
$pledge = Pledge::find(input_text($_POST, 'ref'));
if (!$pledge) {
    error_not_found(_s('There is no such pledge.'));
}
if ($name === '' || strlen($name) > 800) { // 200 characters
    error_page(400, _s('Please give your name.'));
}
signers_add($pledge->id, $name);
$email = input_text($_POST, 'email');
if ($email !== '' && strlen($email) <= 200) {
    setcookie('signer', $email, ['path' => '/', 'httponly' => true, 'samesite' => 'Lax']);
}
header('Location: ' . url_pledge($pledge->ref), true, 303);
