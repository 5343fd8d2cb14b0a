// Paths in few words.

/** The last two folders of a path, which tell projects apart. */
export const lastSegments = (path: string): string => path.split('/').slice(-2).join('/')
