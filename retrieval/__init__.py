"""What might matter to this goal? The store, the lanes, admission, closure and ingest."""
