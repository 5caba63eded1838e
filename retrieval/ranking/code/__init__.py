"""In which order come files and functions for a question about code? The ranker `code-1`, one lane a file."""
