<?php
// sleeps.php:
// As when waiting for something in small steps.

usleep(5000);
