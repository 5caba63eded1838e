"""Which question does it answer? One program each; none runs by default."""
