"""Pages of buying, of the account and of delivery: each asks the rules and shows the answer."""
