"""What is known of a tree from earlier looks, in this process or on disk."""
