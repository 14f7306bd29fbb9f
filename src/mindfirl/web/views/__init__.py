"""One module per stage: each view reads a request, calls a service, and draws a page."""
