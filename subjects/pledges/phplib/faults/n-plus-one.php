<?php
// n-plus-one.php:
// For each signer, how many signed before. One query could tell it of all.

foreach (fault_signers(30, $signers) as $n => $signer) {
    db_value('select count(*) from signer where pledge_id = $1 and signed < to_timestamp($2) - $3 * interval \'1 day\'',
        $pledge->id, $signer['signed'], $n);
}
