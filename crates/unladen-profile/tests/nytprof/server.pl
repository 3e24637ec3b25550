# Takes requests as a FastCGI program does, within a subroutine that never returns until the end.
use strict;

package FCGI;
my $left = 4;
sub wait_for_it { select undef, undef, undef, 0.02 }
sub Accept { wait_for_it(); return $left-- > 0 ? 0 : -1 }

package main;
sub leaf { my $t = 0; $t += $_ for 1 .. 300; $t }
sub page { leaf() for 1 .. 3 }
sub first_page { leaf() for 1 .. 50 }
sub start_up { leaf() for 1 .. 7 }
sub shut_down { leaf() for 1 .. 9 }
sub next_request { return FCGI::Accept() >= 0 }
sub serve {
    my $is_first = 1;
    while (next_request()) {
        first_page() if $is_first;
        $is_first = 0;
        page();
    }
}
start_up();
serve();
shut_down();
