"""The configuration of a tournament: the yaml file, its model, and the messages for its errors."""
