<?php
// process-per-request.php:
// A program for what PHP could tell itself.

shell_exec('/bin/date');
