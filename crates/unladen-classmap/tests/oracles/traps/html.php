<p>class Fake1 {} <?xml class Fake2 ?> <?phpclass Fake3 ?></p>
<?PHP class A {} ?>
<p class="B"> class Fake ' <?= A::class ?> it's class Fake
<?php
class C {}
