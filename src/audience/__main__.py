"""`python -m audience` is `audience`."""

from audience.cli import main

main()
