"""One module per output format; each has `render(report, out)`."""
