"""Search for Thousand: what a seat knows, the solver of the card play, and both as search uses them."""
