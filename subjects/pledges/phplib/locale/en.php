<?php
// English is the language of the sources: only what has to differ from them.
return [
    'date' => 'j F Y',
];
