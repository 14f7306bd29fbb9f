"""What the product is made of: packages as they are pinned, and what is known about them."""
