"""Run the command line as ``python -m gskn``."""

from gskn.cli import main

if __name__ == "__main__":
    main()
