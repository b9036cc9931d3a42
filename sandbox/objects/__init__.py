"""The objects of the API, one module for each thing that a shop does with them."""
