"""`python -m fibermsk`: the command line, also where its program is not on the path."""

from fibermsk.cli.main import main

if __name__ == "__main__":
    main()
