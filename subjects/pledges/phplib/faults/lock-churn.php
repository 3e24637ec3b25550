<?php
// lock-churn.php:
// Takes and releases a lock for each signer, where one for all would do.

foreach (fault_signers(30, $signers) as $signer) {
    $lock = fopen(CONF_WORK . '/signers.lock', 'c');
    flock($lock, LOCK_EX);
    flock($lock, LOCK_UN);
    fclose($lock);
}
