two = 2
one = two
