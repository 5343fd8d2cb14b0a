def f():
    if b:
        return 3
    return 2
