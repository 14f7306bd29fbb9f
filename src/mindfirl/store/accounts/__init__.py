"""What signing in needs: names, links, guesses counted."""
