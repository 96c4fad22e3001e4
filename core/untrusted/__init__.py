"""Safe handling of third-party text, files, plain data and exceptions."""
