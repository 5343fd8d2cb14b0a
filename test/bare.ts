// Starting a program as anybody would: without what tap adds to every Node that a test starts, which watches what it
// loads and writes files of its own.

/** What to hand to `spawn` instead of the program and its arguments. */
export const bare = (program: string, args: readonly string[] = []): [string, string[]] => [
  'env',
  ['-u', 'NODE_OPTIONS', program, ...args]
]
