if x:  # pylint: disable=literal-layer-id, E7201; a
    y(  # pplint: ignore[PPL101, x] why # noqa
        0
    )
# pplint: ignore-file[PPL201] x
try:
    pass
finally:
    # pylint: enable=all
    z = 1
