"""`make walkthrough`: a buyer's whole journey, from the outside, each step with its proof."""
