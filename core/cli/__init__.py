"""The command line of what needs no tournament, and the program that collects every command."""
