"""Whether figures make sense together: what a careful reader would work out by hand."""
