"""`python -m paceline` is `python -m paceline.build`."""

from .build import main

main()
