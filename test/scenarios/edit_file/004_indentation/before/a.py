def f():
    if a:
        return 1
    return 2
