"""`make demo`: starts every part of the store on one machine, and stops all of it."""
