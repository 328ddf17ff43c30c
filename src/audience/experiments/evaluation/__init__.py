"""How human is it: minds and baselines on the same cases, from what real people did."""
