"""What requests take: tokens, time and money."""
