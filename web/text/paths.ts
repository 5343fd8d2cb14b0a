// Paths in few words.

/** The last two folders of a path, which tell projects apart. */
export const lastFolders = (path: string): string => path.split('/').slice(-2).join('/')
