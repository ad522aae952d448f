"""One module per rule, its code in the file name; `base` says what a rule is, `registry` lists them."""
