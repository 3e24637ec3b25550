mod round_trips;
