"""`python -m bidtrick.cli` is the command `bidtrick`."""

from . import main

main()
