"""In which order does what was found come? One ranker for each class of query."""
