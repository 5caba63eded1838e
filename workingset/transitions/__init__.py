"""How does a working set become the next one? Each call of the protocol that moves it is one pure function here."""
