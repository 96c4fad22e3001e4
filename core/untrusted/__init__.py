"""What third parties give us: text, files, plain data and exceptions, none of them to be trusted."""
