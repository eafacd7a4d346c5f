"""Groups of processes that train one job together, and exchanges of bytes for them."""
