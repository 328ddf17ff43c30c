"""Training of `audience-135m`, the small language model that has learned to be a user."""
