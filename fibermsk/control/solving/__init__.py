"""Solution of a problem: guesses, IPOPT, the search, and forward runs of what it finds."""
