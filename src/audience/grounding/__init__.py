"""Minds grounded in what real people did: evidence, choices, ratings, from training rows alone."""
