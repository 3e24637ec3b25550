<?php
// lock-churn-link.php:
// The same as it is done for the sake of NFS: who succeeds in linking the lock's name has it.

$own = CONF_WORK . '/lock.' . getmypid();
touch($own);
foreach (fault_signers(30, $signers) as $signer) {
    // Another worker has it for microseconds only. One that was killed leaves it, which must not hang the others.
    for ($try = 0; !@link($own, CONF_WORK . '/lock') && $try < 100; $try++) {
        usleep(50);
    }
    @unlink(CONF_WORK . '/lock');
}
unlink($own);
