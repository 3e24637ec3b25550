# Prints what Devel::NYTProf itself makes of a file: of each subroutine its calls and its own time in ns, and of each caller how often.
# Evals at one place count together, as nytprofcalls has them.
use strict;
use Devel::NYTProf::Data;
my $data = Devel::NYTProf::Data->new({ filename => $ARGV[0], quiet => 1 });
my (%sub, %pair);
sub plain { my $name = shift; $name =~ s/\( (\w*eval)\s\d+ \) (?= \[ .+? :\d+ \] )/($1 0)/gx; $name }
for my $info (values %{ $data->subname_subinfo_map }) {
    next unless $info->calls;
    my $name = plain($info->subname);
    my $fid = $info->fid;
    my $sum = $sub{$name} ||= { calls => 0, own => 0 };
    $sum->{calls} += $info->calls;
    $sum->{own} += $info->excl_time;
    $sum->{file} = $fid && $info->first_line ? plain($data->fileinfo_of($fid)->filename) : '';
    $sum->{line} = $info->first_line || 0;
}
printf "%s\t%d\t%.0f\t%s\t%d\n", $_, $sub{$_}{calls}, $sub{$_}{own} * 1e9, $sub{$_}{file}, $sub{$_}{line} for sort keys %sub;
