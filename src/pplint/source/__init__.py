"""Files as bytes, characters, lines and comments: the only rooms that know encodings and column units."""
