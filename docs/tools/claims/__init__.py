"""What earlier systems claimed, beside what the published leaderboards measure."""
