<?php
namespace д\B;class яю9 {}
/**/ class
C {}// xclass D {}
class_alias(D::class, Eд::class);