<?php
// debug-left-on.php:
// Something that production's settings keep quiet about, and that display_errors puts on the page.

trigger_error('This way to show a pledge will be removed', E_USER_DEPRECATED);
