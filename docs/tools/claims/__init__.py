"""What earlier systems claimed, compared with what the published leaderboards measure."""
