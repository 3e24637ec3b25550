<?php
return [
    'date' => 'j.n.Y',
    '%s will %s but only if %d %s %s.' => '%s will: „%s“ – aber nur, wenn %d („%s“) mitmachen: „%s“.',
    '%d signed up of %d needed' => '%d von %d haben unterschrieben',
    'Deadline to sign up by: %s' => 'Unterschreiben bis: %s',
    'Made on %s by %s' => 'Am %s von %s',
    'Latest pledges' => 'Neueste Versprechen',
    'More details' => 'Mehr dazu',
    'Current signatories' => 'Wer bisher unterschrieben hat',
    'and %d others' => 'und %d weitere',
    'somebody who did not want to give a name' => 'jemand ohne Namen',
    'Sign up' => 'Unterschreiben',
    'Your name' => 'Ihr Name',
    'Please give your name.' => 'Bitte nennen Sie Ihren Namen.',
    'Please use the form.' => 'Bitte benutzen Sie das Formular.',
    'There is no such pledge.' => 'Dieses Versprechen gibt es nicht.',
    'All pledges' => 'Alle Versprechen',
];
