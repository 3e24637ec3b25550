<?php
// urls.php:
// Where things are.

function url_pledge($ref) {
    return '/pledge.php?ref=' . rawurlencode($ref);
}

function url_sign() {
    return '/sign.php';
}

function url_home() {
    return '/';
}
