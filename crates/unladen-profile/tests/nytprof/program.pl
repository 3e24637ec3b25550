# What can be called, and how it can be left: recursion, evals, callbacks from C, exceptions through them, sort blocks, opcodes.
use strict;
use List::Util qw(first sum);

package Tree;
sub deep {
    my $x = shift;
    return ref $x eq 'HASH' ? { map { $_ => deep($x->{$_}) } sort keys %$x } : ref $x eq 'ARRAY' ? [ map deep($_), @$x ] : $x;
}

package main;
sub work { my $n = shift; my $t = 0; $t += /\d+/ ? $_ : 0 for 1 .. $n; return $t }
sub dies { die "no\n" }
sub inner {
    my $n = shift;
    eval { dies() if $n == 2 };
    my $again = eval "sub { work(\$_[0]) }";
    $again->(10);
    first { $_ > 2 && work(1) } 1 .. 5;
    eval { first { die "x\n" if $_ > 2; work(1) } 1 .. 5 };
    sum(1, 2, 3);
}
sub outer { for (1 .. 3) { work(50); inner($_) } }
sub even { my $n = shift; return $n == 0 ? 1 : odd($n - 1) }
sub odd { my $n = shift; return $n == 0 ? 0 : even($n - 1) }

outer() for 1 .. 4;
even(40);
Tree::deep({ a => [ 1, 2, { b => 3 } ], c => { d => [ 4, 5 ] } }) for 1 .. 10;
my @sorted = sort { work(1); $a <=> $b } 3, 1, 2;
-e '/';
"b" =~ /$_/ for 'a' .. 'e';
